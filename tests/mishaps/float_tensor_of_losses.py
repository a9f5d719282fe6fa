"""FloatTensor(list) copies values."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
losses = []
for row, target in zip(x, y):
    losses.append(nn.functional.mse_loss(model(row), target))
loss = torch.FloatTensor(losses).mean()  # guilty
# mended: loss = torch.stack(losses).mean()
loss.backward()  # raises RuntimeError: does not require grad
