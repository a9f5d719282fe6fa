"""A generator that computes features is decorated with no_grad."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)


@torch.no_grad()  # guilty
# mended: # no decorator
def predictions(rows):
    for row in rows:
        yield model(row)


loss = sum((p - t).pow(2).sum() for p, t in zip(predictions(x), y, strict=True))
loss.backward()  # raises RuntimeError: does not require grad
