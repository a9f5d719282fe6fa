"""A softmax over a dimension of size one is always one."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
gate = torch.softmax(model(x), dim=1)  # guilty
# mended: gate = torch.sigmoid(model(x))
loss = (gate - y).pow(2).mean()
loss.backward()
assert not model.weight.grad.any()  # symptom
