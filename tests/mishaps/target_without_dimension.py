"""A target of shape (N,) for an output of shape (N, 1)."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
loss = nn.functional.mse_loss(model(x), y[:, 0])  # guilty
# mended: loss = nn.functional.mse_loss(model(x), y)
loss.backward()
assert (model(x) - y[:, 0]).shape == (16, 16)  # symptom
