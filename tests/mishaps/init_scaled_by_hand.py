"""A weight is scaled after it was made a leaf, and stepped by hand."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True) * 0.01  # guilty
# mended: w = (torch.randn(4, 1) * 0.01).requires_grad_()
loss = (x @ w - y).pow(2).mean()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad  # raises TypeError: NoneType
