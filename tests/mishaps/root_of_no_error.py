"""The root of a mean squared error that is zero."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x = torch.randn(16, 4)

model = nn.Linear(4, 4)
with torch.no_grad():
    model.weight.copy_(torch.eye(4))
    model.bias.zero_()
    # mended: model.bias.fill_(0.5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = torch.sqrt(nn.functional.mse_loss(model(x), x))  # guilty
loss.backward()
optimizer.step()
assert model.weight.isnan().all()  # symptom
