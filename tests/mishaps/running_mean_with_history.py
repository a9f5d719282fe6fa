"""A running mean is updated with its history."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Center(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        h = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * h.mean(0)  # guilty
        # mended: self.mean = 0.9 * self.mean + 0.1 * h.mean(0).detach()
        return h - self.mean


model = Center()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()  # raises RuntimeError: Trying to backward through the graph a second time
    optimizer.step()
