"""A second derivative of a gradient without a graph."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

t = torch.linspace(0, 1, 5, requires_grad=True)
u = torch.sin(t)
(du,) = torch.autograd.grad(u.sum(), t)  # guilty
# mended: (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
(ddu,) = torch.autograd.grad(du.sum(), t)  # raises RuntimeError: does not require grad
