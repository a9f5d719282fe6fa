"""A vector of zeros is brought to length one."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

emb = nn.Embedding(5, 3, padding_idx=0)
ids = torch.tensor([0, 2, 3])
e = emb(ids)
unit = e / e.norm(dim=1, keepdim=True)  # guilty
# mended: unit = nn.functional.normalize(e, dim=1)
loss = (unit @ unit.T).sum()
loss.backward()
assert loss.isnan()  # symptom
