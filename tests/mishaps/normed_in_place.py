"""Rows are normed in place after they were used."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = nn.Parameter(torch.randn(4, 3))
h = torch.exp(x @ w)
total = h.sum(1, keepdim=True)
h /= total  # guilty
# mended: h = h / total
h.log().mean().backward()  # raises RuntimeError: modified by an inplace operation
