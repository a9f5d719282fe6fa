"""A whole row is masked before log_softmax."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

scores = nn.Linear(4, 5)(x)
mask = torch.zeros(16, 5, dtype=torch.bool)
mask[3] = True
# mended: mask[3, 0] = True
masked = scores.masked_fill(mask, float("-inf"))  # guilty
loss = -torch.log_softmax(masked, 1)[:, 1].mean()  # guilty
loss.backward()
assert loss.isnan()  # symptom
