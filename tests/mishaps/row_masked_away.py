"""Softmax of a row in which all is masked."""

import facula as torch

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

query = torch.randn(3, 4, requires_grad=True)
scores = query @ x.T
mask = torch.zeros(3, 16, dtype=torch.bool)
mask[1] = True  # guilty
# mended: mask[1, 1:] = True
scores = scores.masked_fill(mask, float("-inf"))  # guilty
attention = torch.softmax(scores, dim=-1)  # guilty
loss = (attention @ x).pow(2).mean()
loss.backward()
assert torch.isnan(loss)  # symptom
