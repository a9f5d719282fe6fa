"""The critic learns from real and false pictures one after the other; the generator's loss adds to what it has."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x = torch.randn(16, 4)

generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))
critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
g_optimizer = torch.optim.Adam(generator.parameters())
d_optimizer = torch.optim.Adam(critic.parameters())
criterion = nn.BCELoss()
label = torch.ones(16, 1)
for _ in range(4):
    critic.zero_grad()
    criterion(critic(x), label.fill_(1.0)).backward()
    fake = generator(torch.randn(16, 2))
    criterion(critic(fake.detach()), label.fill_(0.0)).backward()
    d_optimizer.step()
    generator.zero_grad()
    criterion(critic(fake), label.fill_(1.0)).backward()
    g_optimizer.step()
