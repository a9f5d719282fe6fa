"""A loss that is wrapped again is a leaf."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss = torch.tensor(loss, requires_grad=True)  # guilty
    # mended: loss = loss * 1.0
    loss.backward()
    optimizer.step()
assert model.weight.grad is None  # symptom
