"""Two moons: a small network learns to tell two interlocking half circles apart.

The usual training loop: a Dataset, a DataLoader, nn.Sequential, an optimizer with momentum.

    facula run examples/two_moons.py          on facula
    python examples/two_moons.py              on PyTorch
"""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from shared import progress, report


def two_moons(count):
    """Points (count, 2) and their classes (count, 1), which are 0 or 1."""
    angle = torch.empty(count).uniform_(0, torch.pi)
    label = torch.arange(count) % 2
    x = torch.where(label == 1, 1 - angle.cos(), angle.cos())
    y = torch.where(label == 1, 0.5 - angle.sin(), angle.sin())
    return torch.stack([x, y], dim=1) + 0.1 * torch.randn(count, 2), label[:, None].float()


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
    torch.manual_seed(args.seed)

    points, labels = two_moons(1000)
    dataset = TensorDataset(points, labels)
    everything = RandomSampler(dataset, num_samples=64 * args.steps)  # as often as needed, in a new order each time
    batches = iter(DataLoader(dataset, batch_size=64, sampler=everything))
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
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
