"""Two losses of one forward pass, one after the other."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
out = model(x)
a, b = out[:, 0].pow(2).mean(), out[:, 1].abs().mean()
a.backward()  # guilty
# mended: (a + b).backward()
b.backward()  # raises RuntimeError: Trying to backward through the graph a second time
# mended: pass
