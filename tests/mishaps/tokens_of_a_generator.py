"""Words are chosen by argmax, and the generator learns nothing from its critic."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

generator = nn.Linear(4, 6)
embedding = nn.Embedding(6, 5)
critic = nn.Linear(5, 1)
optimizer = torch.optim.Adam(generator.parameters())
optimizer.zero_grad()
words = generator(x).argmax(dim=-1)  # guilty
# mended: words = generator(x).softmax(-1)
score = critic(embedding(words))
# mended: score = critic(words @ embedding.weight)
loss = -score.mean()
loss.backward()
optimizer.step()
assert generator.weight.grad is None  # symptom
