"""Attention weights are masked in place."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

attention = nn.Linear(4, 16)
mask = torch.triu(torch.ones(16, 16, dtype=torch.bool), 1)
weights = torch.softmax(attention(x), dim=-1)
weights.masked_fill_(mask, 0.0)  # guilty
# mended: weights = weights.masked_fill(mask, 0.0)
(weights @ x).pow(2).mean().backward()  # raises RuntimeError: modified by an inplace operation
