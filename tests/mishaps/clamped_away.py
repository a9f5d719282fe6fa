"""A clamp that holds everything."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
p = (x @ w + 100).clamp(0, 1)  # guilty
# mended: p = (x @ w).clamp(-100, 100)
loss = (p - y).pow(2).mean()
loss.backward()
assert not w.grad.any()  # symptom
