"""The leaf is lost in a cast."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True).double()  # guilty
# mended: w = torch.randn(4, 1, dtype=torch.float64, requires_grad=True)
loss = (x.double() @ w - y).pow(2).mean()
loss.backward()
gradient = w.grad
assert gradient is None  # symptom
