"""A layer that forward forgets."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.LayerNorm(8)  # guilty
        # mended: self.norm = nn.Identity()
        self.second = nn.Linear(8, 1)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
assert model.norm.weight.grad is None  # symptom
