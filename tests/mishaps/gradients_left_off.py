"""Evaluation switches gradients off and never on again."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)


def evaluate():
    torch.set_grad_enabled(False)  # guilty
    # mended: torch.set_grad_enabled(True)
    return model(x).mean().item()


evaluate()
loss = (model(x) - y).pow(2).mean()
loss.backward()  # raises RuntimeError: does not require grad
