"""The standard deviation of a batch of one."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
out = model(x[:1])
spread = out.std(0)  # guilty
# mended: spread = out.std(0, correction=0)
loss = (out - y[:1]).pow(2).mean() + 0.1 * spread.sum()
loss.backward()
assert torch.isnan(model.weight.grad).all()  # symptom
