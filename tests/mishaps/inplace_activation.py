"""An activation that works in place after one that saves its output."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(
    nn.Linear(4, 8),
    nn.Sigmoid(),
    nn.Dropout(0.0),
    nn.ReLU(inplace=True),  # guilty
    # mended: nn.ReLU(),
    nn.Linear(8, 1),
)
loss = (model(x) - y).pow(2).mean()
loss.backward()  # raises RuntimeError: modified by an inplace operation
