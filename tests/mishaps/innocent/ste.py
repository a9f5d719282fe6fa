"""A straight-through estimator."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
for _ in range(3):
    h = x @ w
    q = h + (h.round() - h).detach()
    (q - y).pow(2).mean().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
