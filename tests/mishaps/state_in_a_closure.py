"""A recurrent state is kept in an attribute."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 4)
        self.h = torch.zeros(16, 4)

    def forward(self, x):
        self.h = torch.tanh(self.w(x + self.h))  # guilty
        # mended: self.h = torch.tanh(self.w(x + self.h.detach()))
        return self.h


cell = Cell()
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    cell(x).pow(2).mean().backward()  # raises RuntimeError: Trying to backward through the graph a second time
    optimizer.step()
