"""A module that keeps an activation cannot be copied."""

import copy

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        h = self.fc(x)
        self.features = h * 2  # guilty
        # mended: self.features = (h * 2).detach()
        return h


model = Net()
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
target = copy.deepcopy(model)  # raises RuntimeError: deepcopy protocol
