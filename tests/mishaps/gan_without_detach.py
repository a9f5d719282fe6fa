"""The critic's loss frees the generator's graph."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)

generator, critic = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
g_optimizer = torch.optim.Adam(generator.parameters())
d_optimizer = torch.optim.Adam(critic.parameters())
z = torch.randn(16, 2)
fake = torch.tanh(generator(z))  # guilty
d_loss = critic(fake).mean() - critic(x).mean()
# mended: d_loss = critic(fake.detach()).mean() - critic(x).mean()
d_optimizer.zero_grad()
d_loss.backward()  # guilty
d_optimizer.step()
g_loss = -critic(fake).mean()
g_optimizer.zero_grad()
g_loss.backward()  # raises RuntimeError: Trying to backward through the graph a second time
g_optimizer.step()
