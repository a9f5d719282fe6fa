"""A weight is initialised by a new parameter, after the optimizer was made."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
model[0].weight = nn.Parameter(torch.ones(8, 4) / 4)  # guilty
# mended: nn.init.constant_(model[0].weight, 0.25)
for _ in range(4):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
assert (model[0].weight == 0.25).all()  # symptom
