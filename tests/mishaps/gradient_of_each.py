"""Two gradients of one loss, one after the other."""

import facula as torch

torch.manual_seed(0)
a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
loss = (a * b).exp().sum()
(da,) = torch.autograd.grad(loss, a)  # guilty
# mended: (da,) = torch.autograd.grad(loss, a, retain_graph=True)
(db,) = torch.autograd.grad(loss, b)  # raises RuntimeError: Trying to backward through the graph a second time
