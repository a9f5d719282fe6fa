"""forward returns nothing."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        self.fc(x).tanh()  # guilty
        # mended: return self.fc(x).tanh()


model = Net()
out = model(x)
loss = (out - y).pow(2).mean()  # raises TypeError: NoneType
loss.backward()
