"""A moving average of the weights keeps all of their past."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
average = [p.detach().clone() for p in model.parameters()]
for _ in range(8):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = [0.9 * a + 0.1 * p for a, p in zip(average, model.parameters(), strict=True)]  # guilty
    # mended: average = [0.9 * a + 0.1 * p.detach() for a, p in zip(average, model.parameters(), strict=True)]
assert average[0].grad_fn is not None  # symptom
