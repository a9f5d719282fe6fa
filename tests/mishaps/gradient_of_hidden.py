"""The gradient of an activation is not kept."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

first, second = nn.Linear(4, 8), nn.Linear(8, 1)
h = torch.tanh(first(x))  # guilty
# mended: h = torch.tanh(first(x)); h.retain_grad()
nn.functional.mse_loss(second(h), y).backward()
importance = h.grad.abs().mean(0)  # raises AttributeError: 'NoneType' object has no attribute 'abs'
