"""A part of a chunked tensor is changed in place."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

layer = nn.Linear(4, 4)
gate, value = layer(x).chunk(2, dim=1)  # guilty
gate.sigmoid_()  # guilty  # raises RuntimeError: is a view and is being modified inplace
# mended: gate = gate.sigmoid()
(gate * value).pow(2).mean().backward()
