"""Numbers are summed, and there is nothing to go back from."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
total = 0.0
for row, target in zip(x, y):
    loss = nn.functional.mse_loss(model(row), target)
    total += loss.item()  # guilty
    # mended: total = total + loss
total.backward()  # raises AttributeError: 'float' object has no attribute 'backward'
