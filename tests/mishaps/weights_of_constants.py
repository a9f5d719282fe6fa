"""A weighted sum whose weights are all zero."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
weight = torch.zeros(16, 1)  # guilty
# mended: weight = torch.ones(16, 1)
loss = (weight * (model(x) - y).pow(2)).sum()  # guilty
loss.backward()
assert not model.weight.grad.any()  # symptom
