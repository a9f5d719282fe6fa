"""An accuracy cannot be minimised."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 3)
labels = torch.randint(0, 3, (16,))
hits = (model(x).max(1).indices == labels).float()  # guilty
# mended: hits = model(x).softmax(1)[torch.arange(16), labels]
loss = 1 - hits.mean()
loss.backward()  # raises RuntimeError: does not require grad
