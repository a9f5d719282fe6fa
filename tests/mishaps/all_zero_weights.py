"""All weights begin at zero."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
for p in model.parameters():
    nn.init.zeros_(p)  # guilty
    # mended: nn.init.normal_(p)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)  # guilty
    loss.backward()
    optimizer.step()
assert not model[0].weight.any()  # symptom
