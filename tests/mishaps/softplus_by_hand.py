"""log(1 + exp(x)) overflows."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(x * 200)
loss = torch.log(1 + torch.exp(out)).mean()  # guilty
# mended: loss = nn.functional.softplus(out).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
assert model.weight.isnan().any()  # symptom
