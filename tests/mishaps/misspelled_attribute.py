"""require_grad is an attribute like any other."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1)
w.require_grad = True  # guilty
# mended: w.requires_grad = True
loss = (x @ w - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
