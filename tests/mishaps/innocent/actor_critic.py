"""Advantages are constants for the policy."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.policy = nn.Linear(8, 3)
        self.value = nn.Linear(8, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return torch.distributions.Categorical(logits=self.policy(h)), self.value(h).squeeze(1)


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters())
history = []
for _ in range(4):
    dist, value = model(x)
    action = dist.sample()
    reward = (action == 1).float()
    advantage = (reward - value).detach()
    loss = -(dist.log_prob(action) * advantage).mean() + nn.functional.mse_loss(value, reward)
    loss = loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    history.append((loss.item(), norm.item()))
