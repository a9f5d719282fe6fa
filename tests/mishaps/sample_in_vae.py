"""The latent code is sampled without a way back."""

import facula as torch
from facula import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.decoder = nn.Linear(2, 4)

    def forward(self, x):
        mu, log_std = self.encoder(x).chunk(2, dim=1)
        z = torch.distributions.Normal(mu, log_std.exp()).sample()  # guilty
        # mended: z = torch.distributions.Normal(mu, log_std.exp()).rsample()
        return self.decoder(z)


model = VAE()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(x) - x).pow(2).mean()
    loss.backward()
    optimizer.step()
assert model.encoder.weight.grad is None  # symptom
