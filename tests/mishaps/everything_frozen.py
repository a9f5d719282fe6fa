"""All parameters are frozen, the new head as well."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for parameter in model.parameters():
    parameter.requires_grad = False  # guilty
    # mended: parameter.requires_grad = parameter.shape[0] == 1
loss = (model(x) - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
