"""Heads are kept in a tuple."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.heads = (nn.Linear(8, 1), nn.Linear(8, 1))  # guilty
        # mended: self.heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 1)])

    def forward(self, x):
        h = self.body(x).relu()
        return sum(head(h) for head in self.heads)


model = Net()
optimizer = torch.optim.Adam(model.parameters())
before = model.heads[0].weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
assert torch.equal(before, model.heads[0].weight)  # symptom
