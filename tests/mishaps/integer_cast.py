"""A cast to integers in the middle of a model."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
level = (10 * (x @ w)).long()  # guilty
# mended: level = 10 * (x @ w)
loss = (level.float() - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
