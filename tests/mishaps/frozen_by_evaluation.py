"""An evaluation freezes the model and leaves it so."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)


def evaluate(model):
    model.requires_grad_(False)  # guilty
    # mended: pass
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # raises RuntimeError: does not require grad
    optimizer.step()
    evaluate(model)
