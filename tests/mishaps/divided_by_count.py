"""A loss is divided by how many there are of none."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
chosen = (y > 100).float()
# mended: chosen = (y > 0).float()
loss = ((model(x) - y).pow(2) * chosen).sum() / chosen.sum()  # guilty
loss.backward()
assert model.weight.grad.isnan().all()  # symptom
