"""The learning rate is decayed at each batch."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)  # guilty
for _ in range(2):
    for row in range(16):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[row]), y[row]).backward()
        optimizer.step()
        scheduler.step()  # guilty
        # mended: pass
    pass
    # mended: scheduler.step()
assert optimizer.param_groups[0]["lr"] < 1e-20  # symptom
