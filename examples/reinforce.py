"""REINFORCE learns to balance a pole on a cart.

The cart is simulated here, many at a time. Each action is drawn from a Categorical distribution, and made likelier or
less likely by how long the pole then stood, compared with the other carts' poles.

    facula run examples/reinforce.py          on facula
    python examples/reinforce.py              on PyTorch
"""

import argparse

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from shared import fill, progress, report


class Carts:
    """Carts with a pole each (Barto, Sutton and Anderson, 1983); the state is place, speed, angle and spin."""

    def __init__(self, count, random):
        self.state = random.uniform(-0.05, 0.05, (count, 4))

    def step(self, push_right):
        """Push each cart for a fiftieth of a second; tells which of the poles still stand."""
        _, speed, angle, spin = self.state.T
        force = np.where(push_right, 10.0, -10.0)
        pole, half_length, total = 0.1, 0.5, 1.1
        drive = (force + pole * half_length * spin**2 * np.sin(angle)) / total
        turn = 9.8 * np.sin(angle) - np.cos(angle) * drive
        turn /= half_length * (4 / 3 - pole * np.cos(angle) ** 2 / total)
        change = np.stack([speed, drive - pole * half_length * turn * np.cos(angle) / total, spin, turn], axis=1)
        self.state = self.state + 0.02 * change
        return (np.abs(self.state[:, 0]) < 2.4) & (np.abs(self.state[:, 2]) < np.radians(12))


def play(policy, carts, limit, random):
    """Let the poles fall: the log-probabilities of the actions taken, and who stood then, both (time, carts)."""
    log_probs, alive = [], [np.ones(len(carts.state), dtype=bool)]
    while alive[-1].any() and len(log_probs) < limit:
        choice = Categorical(logits=policy(torch.tensor(carts.state)))
        # What choice.sample() does, with random numbers from outside.
        action = torch.tensor(random.random(len(carts.state))) < choice.probs[:, 1].detach()
        log_probs.append(choice.log_prob(action.long()))
        alive.append(alive[-1] & carts.step(action.numpy()))
    return torch.stack(log_probs), torch.tensor(np.stack(alive[:-1])).double()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--carts", type=int, default=16, help="number of carts that are tried at each step")
    parser.add_argument("--limit", type=int, default=200, help="a pole that stands for so long has won")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)

    torch.set_default_dtype(torch.float64)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    fill(policy, random)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)

    losses, times = [], []
    for _ in progress(args.steps, losses):
        log_probs, alive = play(policy, Carts(args.carts, random), args.limit, random)
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
    print(f"poles stood for {np.mean(times[-5:]):.0f} of {args.limit} moments at the end")


if __name__ == "__main__":
    main()
