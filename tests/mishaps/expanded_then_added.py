"""An expanded tensor is written to."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

bias = torch.zeros(1, 3)
table = bias.expand(5, 3)  # guilty
# mended: table = bias.repeat(5, 1)
w = torch.ones(3, requires_grad=True)
table += w  # raises RuntimeError: unsupported operation
table.sum().backward()
