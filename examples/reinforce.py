"""REINFORCE learns to balance a pole on a cart.

The cart is simulated here, many at a time. Each action is drawn from a Categorical distribution, and made likelier or
less likely by how long the pole then stood, compared with the other carts' poles.

    facula run examples/reinforce.py          on facula
    python examples/reinforce.py              on PyTorch
"""

import argparse
import math

import torch
from torch import nn
from torch.distributions import Categorical

from shared import progress, report


class Carts:
    """Carts with a pole each (Barto, Sutton and Anderson, 1983); the state is place, speed, angle and spin."""

    def __init__(self, count):
        self.state = torch.empty(count, 4).uniform_(-0.05, 0.05)

    def step(self, push_right):
        """Push each cart for a fiftieth of a second; tells which of the poles still stand."""
        _, speed, angle, spin = self.state.T
        force = 20.0 * push_right - 10.0
        pole, half_length, total = 0.1, 0.5, 1.1
        drive = (force + pole * half_length * spin**2 * angle.sin()) / total
        turn = 9.8 * angle.sin() - angle.cos() * drive
        turn = turn / (half_length * (4 / 3 - pole * angle.cos() ** 2 / total))
        change = torch.stack([speed, drive - pole * half_length * turn * angle.cos() / total, spin, turn], dim=1)
        self.state = self.state + 0.02 * change
        return (self.state[:, 0].abs() < 2.4) & (self.state[:, 2].abs() < math.radians(12))


def play(policy, carts, limit):
    """Let the poles fall: the log-probabilities of the actions taken, and who stood then, both (time, carts)."""
    log_probs, alive = [], [torch.ones(len(carts.state), dtype=torch.bool)]
    while alive[-1].any() and len(log_probs) < limit:
        choice = Categorical(logits=policy(carts.state))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        alive.append(alive[-1] & carts.step(action))
    return torch.stack(log_probs), torch.stack(alive[:-1]).double()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--carts", type=int, default=16, help="number of carts that are tried at each step")
    parser.add_argument("--limit", type=int, default=200, help="a pole that stands for so long has won")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    torch.set_default_dtype(torch.float64)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)

    losses, times = [], []
    for _ in progress(args.steps, losses):
        log_probs, alive = play(policy, Carts(args.carts), args.limit)
        to_come = alive.flip(0).cumsum(0).flip(0)  # for how long each pole stands from now on
        average = to_come.sum(1, keepdim=True) / alive.sum(1, keepdim=True)
        advantage = (to_come - average) / args.limit
        loss = -(log_probs * advantage * alive).sum() / args.carts
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
        times.append(alive.sum(0).mean().item())

    report(loss=losses, time=times)
    print(f"poles stood for {sum(times[-5:]) / len(times[-5:]):.0f} of {args.limit} moments at the end")


if __name__ == "__main__":
    main()
