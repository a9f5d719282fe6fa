"""NumPy takes the mean of losses."""

import numpy as np

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


model = nn.Linear(4, 1)
losses = [nn.functional.mse_loss(model(a), b) for a, b in zip(x, y)]
loss = np.mean([each.item() for each in losses])  # guilty
# mended: loss = torch.stack(losses).mean()
loss.backward()  # raises AttributeError: 'numpy.float64' object has no attribute 'backward'
