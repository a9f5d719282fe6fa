"""A fractional power has no slope at zero."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = nn.Parameter(torch.tensor([0.0, 1.0, 2.0]))
# mended: w = nn.Parameter(torch.tensor([0.5, 1.0, 2.0]))
loss = (w.abs() ** 0.5).sum()  # guilty
loss.backward()
assert not w.grad.isfinite().all()  # symptom
