"""zero_grad between backward and step."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
before = model.weight.detach().clone()
for _ in range(3):
    loss = (model(x) - y).pow(2).mean()
    # mended: loss = (optimizer.zero_grad() or model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()  # guilty
    # mended: pass
    optimizer.step()
assert torch.equal(before, model.weight)  # symptom
