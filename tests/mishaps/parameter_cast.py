"""A parameter that is cast is a parameter no more."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1).double()
        self.scale = nn.Parameter(torch.ones(1)).double()  # guilty
        # mended: self.scale = nn.Parameter(torch.ones(1, dtype=torch.float64))

    def forward(self, x):
        return self.fc(x) * self.scale


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x.double()), y.double())
    loss.backward()
    optimizer.step()
assert "scale" not in dict(model.named_parameters())  # symptom
