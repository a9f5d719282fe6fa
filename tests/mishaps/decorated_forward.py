"""A method that training uses, too, is decorated with no_grad."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 8)
        self.outer = nn.Linear(8, 1)

    @torch.no_grad()  # guilty
    # mended: # no decorator
    def predict(self, x):
        return self.outer(self.inner(x).relu())


model = Model()
loss = (model.predict(x) - y).abs().mean()
loss.backward()  # raises RuntimeError: does not require grad
