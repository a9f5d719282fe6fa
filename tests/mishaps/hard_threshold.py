"""A comparison in the middle of a model."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
on = (x @ w > 0).float()  # guilty
# mended: on = torch.sigmoid(x @ w)
loss = (on - y).abs().mean()
loss.backward()  # raises RuntimeError: does not require grad
