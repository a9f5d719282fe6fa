"""The weight was made without requires_grad."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1)  # guilty
# mended: w = torch.randn(4, 1, requires_grad=True)
prediction = x @ w
loss = (prediction - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
