"""A generator of parameters is used up before the optimizer gets it."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
params = model.parameters()
# mended: params = list(model.parameters())
print("parameters:", sum(p.numel() for p in params))  # guilty
optimizer = torch.optim.SGD(params, lr=0.1)  # raises ValueError: optimizer got an empty parameter list
