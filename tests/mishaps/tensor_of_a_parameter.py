"""torch.tensor(parameter) is a copy."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

alpha = nn.Parameter(torch.tensor(0.5))
beta = nn.Parameter(torch.tensor(0.5))
optimizer = torch.optim.SGD([alpha, beta], lr=0.1)
coefficients = torch.tensor([alpha, beta])  # guilty
# mended: coefficients = torch.stack([alpha, beta])
loss = (x[:, :2] * coefficients).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
