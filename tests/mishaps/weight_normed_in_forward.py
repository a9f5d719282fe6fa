"""A weight is normed in place at each time step."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 4))

    def forward(self, h):
        with torch.no_grad():
            self.w.div_(self.w.norm())  # guilty
            # mended: pass
        return torch.tanh(h @ self.w)


cell = Cell()
h = x
for _ in range(3):
    h = cell(h)
h.sum().backward()  # raises RuntimeError: modified by an inplace operation
