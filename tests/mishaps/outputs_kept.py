"""All outputs of an epoch are kept with their graphs."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
outputs = []
for _ in range(8):
    out = model(x)
    loss = nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    outputs.append((out, loss))  # guilty
    # mended: outputs.append((out.detach(), loss.item()))
assert outputs[0][1].grad_fn is not None  # symptom
