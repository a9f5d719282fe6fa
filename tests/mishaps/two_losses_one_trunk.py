"""Two backward calls through one trunk."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

trunk, left, right = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
shared = trunk(x).tanh()
first = (left(shared) - y).pow(2).mean()
second = (right(shared) + y).pow(2).mean()
first.backward()  # guilty
# mended: first.backward(retain_graph=True)
second.backward()  # raises RuntimeError: backward through the graph a second time
