"""A step changes weights that another loss still needs."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

first, second = nn.Linear(4, 4), nn.Linear(4, 1)
one = torch.optim.SGD(first.parameters(), lr=0.1)
two = torch.optim.SGD(second.parameters(), lr=0.1)
out = second(first(x))
loss_a, loss_b = out.mean(), (out - y).pow(2).mean()
loss_a.backward(retain_graph=True)
two.step()  # guilty
# mended: pass
loss_b.backward()  # raises RuntimeError: modified by an inplace operation
one.step()
# mended: one.step(), two.step()
