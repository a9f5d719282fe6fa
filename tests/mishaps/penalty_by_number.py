"""A penalty is computed by float()."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(4))
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x), float(self.gate.abs().sum())  # guilty
        # mended: return self.fc(x), self.gate.abs().sum()


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    out, size = model(x)
    loss = nn.functional.mse_loss(out, y) + 0.1 * size
    loss.backward()
    optimizer.step()
assert model.gate.grad is None  # symptom
