"""Weights are binarised, and do not learn."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Binary(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(1, 4))

    def forward(self, x):
        w = torch.sign(self.weight)  # guilty
        # mended: w = self.weight + (torch.sign(self.weight) - self.weight).detach()
        return nn.functional.linear(x, w)


model = Binary()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
assert not model.weight.grad.any()  # symptom
