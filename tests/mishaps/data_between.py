"""A weight is changed through .data between forward and backward."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 4, requires_grad=True)
v = torch.randn(4, 1, requires_grad=True)
loss = (torch.tanh(x @ w) @ v - y).pow(2).mean()
expected = torch.autograd.grad(loss, w, retain_graph=True)[0]
v.data.mul_(-1)  # guilty
# mended: pass
loss.backward()
assert not torch.allclose(expected, w.grad)  # symptom
