"""step before backward."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    # mended: (model(x) - y).pow(2).mean().backward()
    optimizer.step()  # guilty
    loss.backward()
    # mended: pass
