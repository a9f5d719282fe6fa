"""Inputs of hundreds: tanh is flat."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.full((4, 3), 0.5, requires_grad=True)
hidden = torch.tanh(1e4 * (x.abs() @ w))  # guilty
# mended: hidden = torch.tanh(x.abs() @ w)
loss = hidden.mean()
loss.backward()
assert not w.grad.any()  # symptom
