"""The entropy of a distribution with a zero."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

logits = nn.Parameter(torch.tensor([[200.0, 0.0, 0.0], [1.0, 2.0, 3.0]]))
optimizer = torch.optim.SGD([logits], lr=0.1)
p = torch.softmax(logits, dim=1)
entropy = -(p * torch.log(p)).sum(1).mean()  # guilty
# mended: entropy = -(p * torch.log_softmax(logits, dim=1)).sum(1).mean()
optimizer.zero_grad()
(-entropy).backward()
optimizer.step()
assert logits.isnan().any()  # symptom
