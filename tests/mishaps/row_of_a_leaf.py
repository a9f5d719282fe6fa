"""A row of a leaf is set."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

table = torch.randn(5, 4, requires_grad=True)
table[0] = 0.0  # guilty  # raises RuntimeError: a view of a leaf Variable
# mended: table = table * (torch.arange(5) > 0).float()[:, None]
loss = table.sum()
loss.backward()
