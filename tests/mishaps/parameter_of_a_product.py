"""nn.Parameter(product) cuts off the factors."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

base = torch.randn(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([base], lr=0.1)
scaled = nn.Parameter(base * 0.5)  # guilty
# mended: scaled = base * 0.5
loss = (x @ scaled - y).pow(2).mean()
loss.backward()
optimizer.step()
assert base.grad is None  # symptom
