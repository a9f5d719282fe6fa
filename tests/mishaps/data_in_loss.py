"""The loss is computed from .data."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
prediction = (x @ w).data  # guilty
# mended: prediction = x @ w
loss = torch.cat([prediction - y, y]).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
