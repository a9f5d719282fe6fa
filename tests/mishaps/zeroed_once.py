"""zero_grad is called once, before the loop."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
optimizer.zero_grad()  # guilty
for _ in range(5):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # guilty
    optimizer.step()
    # mended: optimizer.step(); optimizer.zero_grad()
last = model.weight.grad.clone()
# mended: pass
model.zero_grad()
nn.functional.mse_loss(model(x), y).backward()
assert last.norm() > 2 * model.weight.grad.norm()  # symptom
