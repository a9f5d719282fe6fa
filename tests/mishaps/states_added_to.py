"""A state that was saved is added to."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

cell = nn.Linear(4, 4)
h = torch.zeros(16, 4)
states = []
for _ in range(3):
    h = torch.tanh(cell(h))
    states.append(h)
    h += x  # guilty
    # mended: h = h + x
torch.stack(states).pow(2).mean().backward()  # raises RuntimeError: modified by an inplace operation
