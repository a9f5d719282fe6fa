"""A sampled action is taken for something with a gradient."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

policy = nn.Linear(4, 3)
reward = torch.randn(16)
dist = torch.distributions.Categorical(logits=policy(x))
action = dist.sample()  # guilty
loss = -(action * reward).mean()  # guilty
# mended: loss = -(dist.log_prob(action) * reward).mean()
loss.backward()  # raises RuntimeError: does not require grad
