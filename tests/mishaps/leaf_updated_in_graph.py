"""Gradient descent by hand without no_grad."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
loss = (x @ w - y).pow(2).mean()
loss.backward()
w -= 0.1 * w.grad  # guilty  # raises RuntimeError: a leaf Variable that requires grad
# mended: w.data -= 0.1 * w.grad
