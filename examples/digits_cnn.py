"""A convolutional network reads digits, which are drawn here: crooked, shifted, noisy, 28 by 28 pixels.

Shows Conv2d, BatchNorm2d, MaxPool2d, train() and eval(), a learning-rate schedule, a test set.

    facula run examples/digits_cnn.py         on facula
    python examples/digits_cnn.py             on PyTorch
"""

import argparse

import torch
import torch.nn.functional as F
from torch import nn

from shared import progress, report

# A digit is made of strokes between six corners, numbered  0 1  from top to bottom.
#                                                           2 3
#                                                           4 5
STROKES = ["01", "13", "35", "45", "24", "02", "23"]
DIGITS = ["01 13 35 45 24 02", "13 35", "01 13 23 24 45", "01 13 23 35 45", "02 23 13 35",
          "01 02 23 35 45", "01 02 24 45 35 23", "01 13 35", "01 13 35 45 24 02 23", "01 13 35 45 02 23"]  # fmt: skip


STROKES_OF = torch.tensor([[stroke in digit.split() for stroke in STROKES] for digit in DIGITS])


def draw(labels, size=28):
    """Pictures (count, 1, size, size) of digits, no two of them alike."""
    count = len(labels)
    corners = torch.tensor([[x, y] for y in (-0.6, 0, 0.6) for x in (-0.33, 0.33)])
    turn, slant = 0.12 * torch.randn(count), 0.15 * torch.randn(count)
    stretch = torch.empty(count, 1, 2).uniform_(0.8, 1.15)
    lean = torch.stack([turn.cos(), turn.sin(), slant - turn.sin(), turn.cos()], dim=1).reshape(count, 2, 2)
    corners = (corners + 0.05 * torch.randn(count, 6, 2)) * stretch @ lean
    corners = corners + torch.empty(count, 1, 2).uniform_(-0.15, 0.15)

    line = torch.linspace(-1, 1, size)
    pixels = torch.cartesian_prod(line, line).flip(1)
    distance = torch.full((count, size * size), torch.inf)
    for stroke, (first, second) in enumerate(STROKES):
        drawn = STROKES_OF[labels, stroke]
        start, end = corners[drawn, None, int(first)], corners[drawn, None, int(second)]
        along = end - start
        part = ((pixels - start) * along).sum(2) / (along**2).sum(2)
        nearest = start + part.clamp(0, 1).unsqueeze(2) * along
        distance[drawn] = torch.minimum(distance[drawn], (pixels - nearest).norm(dim=2))
    ink = torch.sigmoid((torch.empty(count, 1).uniform_(0.06, 0.12) - distance) * 40)
    return (ink + 0.1 * torch.randn(ink.shape)).reshape(count, 1, size, size)


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
    torch.manual_seed(args.seed)

    test_labels = torch.arange(args.tests) % 10
    test_pictures = draw(test_labels)
    model = Reader()
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=100, gamma=0.5)

    losses = []
    model.train()
    for _ in progress(args.steps, losses):
        labels = torch.randint(10, (args.batch_size,))
        pictures = draw(labels)
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
