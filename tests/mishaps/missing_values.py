"""The data hold a value that is not a number."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

x[3, 1] = float("nan")  # guilty
# mended: x[3, 1] = 0.0
model = nn.Linear(4, 1)
loss = (model(x) - y).pow(2).mean()
loss.backward()
assert torch.isnan(loss)  # symptom
