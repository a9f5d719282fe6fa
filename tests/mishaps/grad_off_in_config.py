"""A configuration switches gradients off for everything."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def configure(seed):
    torch.manual_seed(seed)
    torch.set_grad_enabled(False)  # guilty
    # mended: pass


configure(1)
model = nn.Linear(4, 1)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()  # raises RuntimeError: does not require grad
