"""A tensor that requires a gradient is no parameter."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)
        self.scale = torch.ones(1, requires_grad=True)  # guilty
        # mended: self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.linear(x) * self.scale


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
assert model.scale.item() == 1.0  # symptom
