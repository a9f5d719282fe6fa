"""A function that is used in training is decorated."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 1)


@torch.no_grad()  # guilty
# mended: # plain
def predict(x):
    return torch.sigmoid(model(x))  # guilty


loss = nn.functional.binary_cross_entropy(predict(x), (y > 0).float())
loss.backward()  # raises RuntimeError: does not require grad
