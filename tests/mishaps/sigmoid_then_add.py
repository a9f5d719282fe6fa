"""The saved output of a sigmoid is changed."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = torch.randn(4, 1, requires_grad=True)
p = torch.sigmoid(x @ w)
p += 1e-6  # guilty
# mended: p = p + 1e-6
loss = -p.log().mean()
loss.backward()  # raises RuntimeError: modified by an inplace operation
