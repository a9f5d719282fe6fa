"""zero_grad is named and not called."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(4):
    optimizer.zero_grad  # guilty
    # mended: optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
alone = torch.autograd.grad((model(x) - y).pow(2).mean(), model.weight)[0]
assert model.weight.grad.norm() > 2 * alone.norm()  # symptom
