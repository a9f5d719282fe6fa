"""E[x^2] - E[x]^2 is less than zero, by rounding."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

w = nn.Parameter(torch.tensor([1000.1, 1000.1, 1000.1, 1000.1, 1000.1]))
# mended: w = nn.Parameter(torch.tensor([1000.0, 1300.0, 900.0, 1000.0, 800.0]))
variance = (w**2).mean() - w.mean() ** 2
spread = torch.sqrt(variance)  # guilty
loss = spread.sum()
loss.backward()
assert w.grad.isnan().any()  # symptom
