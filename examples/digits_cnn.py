"""A convolutional network reads digits, which are drawn here: crooked, shifted, noisy, 28 by 28 pixels.

Shows Conv2d, BatchNorm2d, MaxPool2d, train() and eval(), a learning-rate schedule, a test set.

    facula run examples/digits_cnn.py         on facula
    python examples/digits_cnn.py             on PyTorch
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from shared import fill, progress, report

# A digit is made of strokes between six corners, numbered  0 1  from top to bottom.
#                                                           2 3
#                                                           4 5
STROKES = ["01", "13", "35", "45", "24", "02", "23"]
DIGITS = ["01 13 35 45 24 02", "13 35", "01 13 23 24 45", "01 13 23 35 45", "02 23 13 35",
          "01 02 23 35 45", "01 02 24 45 35 23", "01 13 35", "01 13 35 45 24 02 23", "01 13 35 45 02 23"]  # fmt: skip


def draw(labels, random, size=28):
    """Pictures (count, 1, size, size) of digits, no two of them alike."""
    count = len(labels)
    corners = np.array([[x, y] for y in (-0.6, 0, 0.6) for x in (-0.33, 0.33)])
    turn, slant = random.normal(0, 0.12, count), random.normal(0, 0.15, count)
    stretch = random.uniform(0.8, 1.15, (count, 1, 2))
    lean = np.array([[np.cos(turn), -np.sin(turn) + slant], [np.sin(turn), np.cos(turn)]]).transpose(2, 0, 1)
    corners = (corners + random.normal(0, 0.05, (count, 6, 2))) * stretch @ lean.transpose(0, 2, 1)
    corners += random.uniform(-0.15, 0.15, (count, 1, 2))

    line = np.linspace(-1, 1, size)
    pixels = np.stack(np.meshgrid(line, line), axis=-1).reshape(1, -1, 2)
    distance = np.full((count, size * size), np.inf)
    for first, second in STROKES:
        drawn = np.array([first + second in DIGITS[label].split() for label in labels])
        start, end = corners[drawn, None, int(first)], corners[drawn, None, int(second)]
        along = end - start
        part = ((pixels - start) * along).sum(2) / (along**2).sum(2)
        nearest = start + part.clip(0, 1)[..., None] * along
        distance[drawn] = np.minimum(distance[drawn], np.linalg.norm(pixels - nearest, axis=2))
    ink = 1 / (1 + np.exp((distance - random.uniform(0.06, 0.12, (count, 1))) * 40))
    return torch.tensor(ink + random.normal(0, 0.1, ink.shape), dtype=torch.float32).reshape(count, 1, size, size)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        self.classify = nn.Sequential(nn.Flatten(), nn.Linear(16 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, pictures):
        return self.classify(self.features(pictures))


def show(picture):
    """A picture in letters, two rows of pixels to a line."""
    for row in picture[::2].tolist():
        print("".join(" .:-=+*#%@"[min(9, max(0, int(10 * ink)))] for ink in row).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--tests", type=int, default=500, help="number of digits in the test set")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)

    test_labels = torch.arange(args.tests) % 10
    test_pictures = draw(test_labels.tolist(), random)
    model = fill(Reader(), random)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=100, gamma=0.5)

    losses = []
    model.train()
    for _ in progress(args.steps, losses):
        labels = torch.tensor(random.integers(0, 10, args.batch_size))
        pictures = draw(labels.tolist(), random)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(pictures), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    report(loss=losses)
    model.eval()
    with torch.no_grad():
        answers = model(test_pictures).argmax(1)
    wrong = (answers != test_labels).nonzero().flatten().tolist()
    print(f"accuracy on {args.tests} new digits {1 - len(wrong) / args.tests:.3f}")
    if wrong:
        print(f"read as {answers[wrong[0]].item()}, but a {test_labels[wrong[0]].item()}:")
        show(test_pictures[wrong[0], 0])


if __name__ == "__main__":
    main()
