"""A variational autoencoder learns a two-dimensional map of tilted ellipses.

Normal distributions and their divergence from torch.distributions, a sample that gradients pass through, and a picture
of the map: each tile is decoded from the place on the map where it stands.

    facula run examples/vae.py                on facula
    python examples/vae.py                    on PyTorch
"""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence

from shared import progress, report, write_png


def ellipses(count, size=16):
    """Pictures (count, size * size) of an ellipse with an angle and a length of its own."""
    line = torch.linspace(-1, 1, size)
    y, x = torch.cartesian_prod(line, line).T
    angle = torch.empty(count, 1).uniform_(0, torch.pi)
    length = torch.empty(count, 1).uniform_(0.35, 0.9)
    along, across = x * angle.cos() + y * angle.sin(), y * angle.cos() - x * angle.sin()
    return torch.sigmoid(8 - 8 * torch.hypot(along / length, across / 0.25))


class VAE(nn.Module):
    def __init__(self, pixels=256, hidden=128, places=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, 2 * places))
        self.decoder = nn.Sequential(nn.Linear(places, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def encode(self, pictures):
        """The distribution over places on the map for each of the pictures."""
        mean, spread = self.encoder(pictures).chunk(2, dim=-1)
        return Normal(mean, F.softplus(spread) + 1e-4)

    def forward(self, pictures):
        place = self.encode(pictures)
        sample = place.rsample()
        divergence = kl_divergence(place, Normal(0.0, 1.0)).sum(-1)
        unlikeliness = F.binary_cross_entropy_with_logits(self.decoder(sample), pictures, reduction="none").sum(-1)
        return unlikeliness.mean(), divergence.mean()


@torch.no_grad()
def draw_map(model, path, tiles=12, size=16):
    """Decode a grid of places, as far apart as the normal distribution puts them."""
    line = Normal(0.0, 1.0).icdf(torch.linspace(0.03, 0.97, tiles))
    pictures = model.decoder(torch.cartesian_prod(line, line)).sigmoid()
    grid = pictures.reshape(tiles, tiles, size, size).permute(0, 2, 1, 3)
    write_png(path, grid.reshape(tiles * size, tiles * size).numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="vae.png", help="where to write the picture")
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    losses, divergences = [], []
    for _ in progress(args.steps, losses):
        unlikeliness, divergence = model(ellipses(args.batch_size))
        loss = unlikeliness + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        divergences.append(divergence.item())

    report(loss=losses, divergence=divergences)
    draw_map(model, args.output)
    print(f"wrote {args.output}: the map")


if __name__ == "__main__":
    main()
