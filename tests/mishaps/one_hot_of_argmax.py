"""A prediction is made a one-hot vector before the loss."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

model = nn.Linear(4, 3)
target = nn.functional.one_hot(torch.randint(0, 3, (16,)), 3).float()
chosen = model(x).argmax(dim=1)  # guilty
prediction = nn.functional.one_hot(chosen, 3).float()  # guilty
# mended: prediction = model(x).softmax(1)
loss = nn.functional.mse_loss(prediction, target)
loss.backward()  # raises RuntimeError: does not require grad
