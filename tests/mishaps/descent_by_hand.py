"""Gradient descent by hand that forgets to clear the gradient."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
for _ in range(4):
    loss = (x @ w - y).pow(2).mean()
    loss.backward()  # guilty
    with torch.no_grad():
        w -= 0.01 * w.grad
        # mended: w -= 0.01 * w.grad; w.grad = None
