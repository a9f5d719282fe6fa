"""A second loss uses weights of before the step."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(x)
first, second = (out - y).pow(2).mean(), out.abs().mean()
first.backward(retain_graph=True)
optimizer.step()  # guilty
# mended: pass
second.backward()  # raises RuntimeError: modified by an inplace operation
