"""An LSTM learns to continue a curve: two waves of different length, with noise.

It is trained to tell the next value, and then runs on its own answers, its state handed on from step to step.

    facula run examples/lstm_forecast.py      on facula
    python examples/lstm_forecast.py          on PyTorch
"""

import argparse

import torch
from torch import nn

from shared import progress, report


def curve(start, length):
    """Values of the curve at ``length`` times from each ``start``: (count, length, 1)."""
    time = start[:, None] + torch.arange(length)
    clean = 0.6 * torch.sin(time * 2 * torch.pi / 25) + 0.3 * torch.sin(time * 2 * torch.pi / 10)
    return (clean + 0.02 * torch.randn(clean.shape)).unsqueeze(-1)


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, values, state=None):
        hidden, state = self.lstm(values, state)
        return values + self.head(hidden), state


@torch.no_grad()
def forecast(model, past, length):
    """The next ``length`` values, each made from the ones before."""
    answer, state = model(past)
    value, future = answer[:, -1:], []
    for _ in range(length):
        future.append(value)
        value, state = model(value, state)
    return torch.cat(future, dim=1)


def draw(past, future, truth, height=11):
    """The past as dots, the forecast as stars, and the truth as circles where it is elsewhere."""
    series = [(0, past, "."), (len(past), truth, "o"), (len(past), future, "*")]
    rows = [[" "] * (len(past) + len(future)) for _ in range(height)]
    for first, values, mark in series:
        for i, value in enumerate(values):
            rows[round((1 - min(1, max(-1, value))) / 2 * (height - 1))][first + i] = mark
    print("\n".join("".join(row).rstrip() for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--length", type=int, default=50, help="number of values in a training sequence")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    model = Forecaster()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.05 ** (1 / args.steps))
    criterion = nn.MSELoss()

    losses = []
    for _ in progress(args.steps, losses):
        values = curve(torch.randint(1000, (16,)), args.length + 1)
        answers, _ = model(values[:, :-1])
        optimizer.zero_grad()
        loss = criterion(answers, values[:, 1:])
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    report(loss=losses)
    series = curve(torch.tensor([2000]), 100)
    past, truth = series[:, :60], series[:, 60:]
    future = forecast(model, past, truth.shape[1])
    draw(past.flatten().tolist(), future.flatten().tolist(), truth.flatten().tolist())
    print(f"mean error of the forecast {criterion(future, truth).sqrt().item():.4f}")


if __name__ == "__main__":
    main()
