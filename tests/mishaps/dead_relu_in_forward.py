"""The same, in a model with a forward of its own."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 10), nn.Linear(10, 1)

    def forward(self, x):
        hidden = self.first(x) - 50  # guilty
        # mended: hidden = self.first(x)
        hidden = torch.relu(hidden)  # guilty
        return self.second(hidden)


model = Model()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
assert not model.first.weight.grad.any()  # symptom
