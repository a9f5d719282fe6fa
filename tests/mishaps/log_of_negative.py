"""The logarithm of a difference."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = torch.log(model(x)).mean()  # guilty
# mended: loss = torch.log(model(x).exp()).mean()
loss.backward()
optimizer.step()
assert loss.isnan()  # symptom
