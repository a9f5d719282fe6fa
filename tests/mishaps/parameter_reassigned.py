"""A weight is decayed by giving it a new value."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
for _ in range(2):
    loss = (x @ w - y).pow(2).mean()
    loss.backward()
    w = w - 0.1 * w.grad  # guilty  # raises TypeError: NoneType
    # mended: w = (w - 0.1 * w.grad).detach().requires_grad_()
