"""Two moons: a small network learns to tell two interlocking half circles apart.

The usual training loop: a Dataset, a DataLoader, nn.Sequential, an optimizer with momentum.

    facula run examples/two_moons.py          on facula
    python examples/two_moons.py              on PyTorch
"""

import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

from shared import fill, progress, report


def two_moons(count, random):
    """Points (count, 2) and their classes (count, 1), which are 0 or 1."""
    angle = random.uniform(0, np.pi, count)
    label = np.arange(count) % 2
    x = np.where(label, 1 - np.cos(angle), np.cos(angle))
    y = np.where(label, 0.5 - np.sin(angle), np.sin(angle))
    points = np.stack([x, y], axis=1) + random.normal(0, 0.1, (count, 2))
    return torch.tensor(points, dtype=torch.float32), torch.tensor(label[:, None], dtype=torch.float32)


class Shuffled(Sampler):
    """Endless indices, in an order that is new each time round."""

    def __init__(self, count, random):
        self.count, self.random = count, random

    def __iter__(self):
        while True:
            yield from self.random.permutation(self.count).tolist()


def draw(model, points, labels):
    """The plane in letters: what the model answers, and where the points of either class are."""
    x, y = torch.linspace(-1.5, 2.5, 64), torch.linspace(1.4, -0.9, 20)
    grid = torch.cartesian_prod(y, x).flip(1)
    with torch.no_grad():
        answers = model(grid).sigmoid().reshape(20, 64)
    rows = [["·" if answer > 0.5 else " " for answer in row] for row in answers.tolist()]
    for (px, py), label in zip(points[:150].tolist(), labels[:150, 0].tolist()):
        column, row = round((px + 1.5) / 4 * 63), round((1.4 - py) / 2.3 * 19)
        if 0 <= row < 20 and 0 <= column < 64:
            rows[row][column] = "x" if label else "o"
    print("\n".join("".join(row) for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)

    points, labels = two_moons(1000, random)
    dataset = TensorDataset(points, labels)
    batches = iter(DataLoader(dataset, batch_size=64, sampler=Shuffled(len(dataset), random)))
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    fill(model, random)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    losses = []
    for _ in progress(args.steps, losses):
        inputs, targets = next(batches)
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    report(loss=losses)
    draw(model, points, labels)
    with torch.no_grad():
        right = (model(points) > 0) == (labels > 0.5)
    print(f"accuracy {right.float().mean().item():.3f}")


if __name__ == "__main__":
    main()
