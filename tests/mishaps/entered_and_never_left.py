"""A no_grad that is entered by hand and not left."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
guard = torch.no_grad()
guard.__enter__()  # guilty
# mended: pass
baseline = model(x).mean()
loss = (model(x) - y).pow(2).mean() + baseline
loss.backward()  # raises RuntimeError: does not require grad
