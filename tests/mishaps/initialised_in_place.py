"""Weights are filled without no_grad."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
model.weight.fill_(0.1)  # guilty  # raises RuntimeError: a leaf Variable that requires grad
# mended: nn.init.constant_(model.weight, 0.1)
nn.functional.mse_loss(model(x), y).backward()
