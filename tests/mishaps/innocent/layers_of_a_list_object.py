"""An object of the user's own holds tensors, and a parameter is tied to two layers."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Batch:
    def __init__(self, inputs, targets):
        self.inputs, self.targets = inputs, targets


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.emb.weight
        self.batch = Batch(torch.randint(0, 7, (16,)), torch.randint(0, 7, (16,)))

    def forward(self, ids):
        return self.out(torch.tanh(self.emb(ids)))


model = Tied()
optimizer = torch.optim.Adam(model.parameters())
buffer = torch.zeros(4)
for step in range(4):
    loss = nn.functional.cross_entropy(model(model.batch.inputs), model.batch.targets)
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    buffer[step] = loss.detach()
