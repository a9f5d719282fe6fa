"""The model is still in training mode when it is evaluated."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
# the evaluation
pass
# mended: model.eval()
with torch.no_grad():
    first = model(x)  # guilty
    second = model(x)  # guilty
assert not torch.equal(first, second)  # symptom
