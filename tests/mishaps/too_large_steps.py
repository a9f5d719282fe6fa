"""The learning rate is far too large: the weights run away."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e6)  # guilty
# mended: optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for _ in range(20):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert not torch.isfinite(loss)  # symptom
