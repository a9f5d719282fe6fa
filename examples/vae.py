"""A variational autoencoder learns a two-dimensional map of tilted ellipses.

Normal distributions and their divergence from torch.distributions, a sample that gradients pass through, and a picture
of the map: each tile is decoded from the place on the map where it stands.

    facula run examples/vae.py                on facula
    python examples/vae.py                    on PyTorch
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence

from shared import fill, progress, report, write_png


def ellipses(count, random, size=16):
    """Pictures (count, size * size) of an ellipse with an angle and a length of its own."""
    line = np.linspace(-1, 1, size)
    x, y = np.meshgrid(line, line)
    angle = random.uniform(0, np.pi, (count, 1, 1))
    length = random.uniform(0.35, 0.9, (count, 1, 1))
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    radius = np.sqrt((along / length) ** 2 + (across / 0.25) ** 2)
    return torch.tensor(1 / (1 + np.exp((radius - 1) * 8)), dtype=torch.float32).flatten(1)


class VAE(nn.Module):
    def __init__(self, pixels=256, hidden=128, places=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, 2 * places))
        self.decoder = nn.Sequential(nn.Linear(places, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def encode(self, pictures):
        """The distribution over places on the map for each of the pictures."""
        mean, spread = self.encoder(pictures).chunk(2, dim=-1)
        return Normal(mean, F.softplus(spread) + 1e-4)

    def forward(self, pictures, noise):
        place = self.encode(pictures)
        sample = place.mean + place.stddev * noise  # what place.rsample() does, with noise from outside
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
    random = np.random.default_rng(args.seed)

    model = fill(VAE(), random)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    losses, divergences = [], []
    for _ in progress(args.steps, losses):
        pictures = ellipses(args.batch_size, random)
        noise = torch.tensor(random.standard_normal((args.batch_size, 2)), dtype=torch.float32)
        unlikeliness, divergence = model(pictures, noise)
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
