"""A Wasserstein GAN with gradient penalty: noise is turned into points on a ring.

The penalty holds the slope of the critic near one. The slope is itself a gradient (autograd.grad with
create_graph=True), and training goes through it: second derivatives in earnest.

    facula run examples/gan.py                on facula
    python examples/gan.py                    on PyTorch
"""

import argparse

import numpy as np
import torch
from torch import nn

from shared import progress, report


def ring(count):
    """Real points: (count, 2)."""
    angle, radius = 2 * torch.pi * torch.rand(count, 1), 2 + 0.1 * torch.randn(count, 1)
    return radius * torch.cat([angle.cos(), angle.sin()], dim=1)


def network(inputs, outputs, hidden=64):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.LeakyReLU(0.2),
        nn.Linear(hidden, hidden), nn.LeakyReLU(0.2),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


def gradient_penalty(critic, real, fake, mix):
    """How far the slope of the critic is from one, at places between the real points and the others."""
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    scores = critic(between)
    (slope,) = torch.autograd.grad(scores, between, torch.ones_like(scores), create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def draw(points, side=21):
    """The plane in letters, darker where there are more points."""
    counts, _, _ = np.histogram2d(points[:, 1], points[:, 0], bins=(side, 2 * side), range=[[-3, 3], [-3, 3]])
    for row in counts[::-1]:
        print("".join(" .:+*#"[min(5, int(count))] for count in row).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5, help="steps of the critic for each step of the generator")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    torch.set_default_dtype(torch.float64)
    generator, critic = network(2, 2), network(2, 1)
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))

    def noise():
        return torch.randn(args.batch_size, 2)

    critic_losses, generator_losses = [], []
    for _ in progress(args.steps, critic_losses):
        for _ in range(args.rounds):
            real, fake = ring(args.batch_size), generator(noise()).detach()
            mix = torch.rand(args.batch_size, 1)
            loss = critic(fake).mean() - critic(real).mean() + gradient_penalty(critic, real, fake, mix)
            critic_optimizer.zero_grad()
            loss.backward()
            critic_optimizer.step()
        critic_losses.append(loss.item())

        critic.requires_grad_(False)
        loss = -critic(generator(noise())).mean()
        generator_optimizer.zero_grad()
        loss.backward()
        generator_optimizer.step()
        critic.requires_grad_(True)
        generator_losses.append(loss.item())

    report(critic=critic_losses, generator=generator_losses)
    with torch.no_grad():
        points = torch.cat([generator(noise()) for _ in range(8)])
    draw(points.numpy())
    print(f"mean distance from the middle {points.norm(dim=1).mean().item():.3f} (the ring's is 2)")


if __name__ == "__main__":
    main()
