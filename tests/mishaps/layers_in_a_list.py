"""All layers are in a plain list: there is nothing to train."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 1)]  # guilty
        # mended: self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 1)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # raises ValueError: empty parameter list
loss = (model(x) - y).pow(2).mean()
loss.backward()
optimizer.step()
