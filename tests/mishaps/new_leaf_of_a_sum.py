"""A sum of numbers is made a leaf that requires a gradient: backward runs and nothing learns."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    total = 0.0
    for i in range(4):
        total = total + (model(x[i]) - y[i]).pow(2).mean().item()
        # mended: total = total - total + (model(x[i]) - y[i]).pow(2).mean()
    loss = torch.tensor(total, requires_grad=True)  # guilty
    # mended: loss = total * 1.0
    loss.backward()
    optimizer.step()
assert torch.equal(before, model.weight)  # symptom
