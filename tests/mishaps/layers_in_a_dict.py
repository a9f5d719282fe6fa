"""Some layers are in a plain dict."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 1)
        self.blocks = {}
        # mended: self.blocks = nn.ModuleDict()
        for name in ("a", "b"):
            self.blocks[name] = nn.Linear(4, 4)  # guilty

    def forward(self, x):
        return self.out(self.blocks["b"](self.blocks["a"](x).tanh()))


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
assert len(list(model.parameters())) == 2  # symptom
