"""The gradient with respect to an input that was detached before use."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

point = x.clone().requires_grad_()
model = nn.Linear(4, 1)
energy = model(point.detach()).sum()  # guilty
# mended: energy = model(point).sum()
(force,) = torch.autograd.grad(energy, point)  # raises RuntimeError: appears to not have been used
