"""The best weights are kept without a copy."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
best, best_loss = None, float("inf")
for _ in range(6):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    if loss.item() < best_loss:
        best_loss = loss.item()
        best = model.state_dict()  # guilty
        # mended: best = {k: v.clone() for k, v in model.state_dict().items()}
    loss.backward()
    optimizer.step()
last = model.weight.detach().clone()
model.load_state_dict(best)
assert torch.equal(model.weight, last)  # symptom
