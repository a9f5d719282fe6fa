"""A detach far from the loss: views and products come after it."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 3, requires_grad=True)
hidden = x @ w
kept = hidden.detach()  # guilty
# mended: kept = hidden
rows = torch.stack([kept[:8], kept[8:]]).reshape(16, 3)
loss = torch.einsum("ij,kj->ik", rows, torch.ones(2, 3)).mean()
loss.backward()  # raises RuntimeError: does not require grad
