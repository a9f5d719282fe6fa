"""A block of layers is an ordinary object."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Block:  # guilty
    # mended: class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def __call__(self, x):
        return torch.relu(self.a(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()  # guilty
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.block(x))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.block.a.weight.detach().clone()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
assert torch.equal(before, model.block.a.weight)  # symptom
