"""A loss for each sample."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
loss = nn.functional.mse_loss(model(x), y, reduction="none")  # guilty
# mended: loss = nn.functional.mse_loss(model(x), y)
loss.backward()  # raises RuntimeError: only for scalar outputs
