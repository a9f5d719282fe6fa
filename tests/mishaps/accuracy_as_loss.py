"""The accuracy is taken for a loss."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 3)
labels = torch.randint(0, 3, (16,))
predicted = model(x).argmax(1)  # guilty
# mended: predicted = model(x)
loss = 1 - (predicted == labels).float().mean()
# mended: loss = nn.functional.cross_entropy(predicted, labels)
loss.backward()  # raises RuntimeError: does not require grad
