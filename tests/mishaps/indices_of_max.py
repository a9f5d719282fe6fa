"""The second result of max has no history."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 3)
values, indices = model(x).max(1)  # guilty
# mended: values, indices = model(x).max(1)
loss = indices.float().mean()
# mended: loss = values.mean()
loss.backward()  # raises RuntimeError: does not require grad
