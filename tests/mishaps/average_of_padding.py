"""The average of a row that is all padding."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

emb = nn.Embedding(9, 4)
ids = torch.tensor([[1, 2, 0], [0, 0, 0], [3, 0, 0]])
mask = (ids != 0).float()
total = (emb(ids) * mask[:, :, None]).sum(1)
mean = total / mask.sum(1, keepdim=True)  # guilty
# mended: mean = total / mask.sum(1, keepdim=True).clamp(min=1)
loss = mean.pow(2).sum()
loss.backward()
assert emb.weight.grad.isnan().any()  # symptom
