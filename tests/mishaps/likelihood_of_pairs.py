"""A likelihood by hand: (N,) times (N, 1)."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
target = (y[:, 0] > 0).float()
# mended: target = (y > 0).float()
p = torch.sigmoid(model(x))
loss = -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).mean()  # guilty
loss.backward()
assert (target * torch.log(p)).shape == (16, 16)  # symptom
