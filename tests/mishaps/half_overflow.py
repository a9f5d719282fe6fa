"""A square is too large for half precision."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
h = model(x * 100).to(torch.float16)
# mended: h = model(x * 100)
squares = (h * 10) ** 2  # guilty
loss = squares.mean()
loss.backward()
assert not loss.isfinite()  # symptom
