"""A neural ODE: a network learns the law of motion behind a spiral.

The network gives the speed at each place, and a Runge-Kutta solver follows it. Gradients come from going back through
the solver's steps or, with --adjoint, from a second equation that is solved backwards in time: a function with a
derivative of its own (autograd.Function), whose memory does not grow with the number of steps.

    facula run examples/neural_ode.py         on facula
    python examples/neural_ode.py             on PyTorch
"""

import argparse

import torch
from torch import nn

from shared import progress, report


def runge_kutta(speed, state, step):
    """One step of the classical method. A state is a tuple of tensors."""

    def ahead(slope, length):
        return tuple(s + length * k for s, k in zip(state, slope))

    k1 = speed(state)
    k2 = speed(ahead(k1, step / 2))
    k3 = speed(ahead(k2, step / 2))
    k4 = speed(ahead(k3, step))
    return ahead(tuple(a + 2 * b + 2 * c + d for a, b, c, d in zip(k1, k2, k3, k4)), step / 6)


def solve(speed, start, steps, step):
    """The path from ``start``: (steps + 1, points, 2)."""
    path = [start]
    for _ in range(steps):
        path.extend(runge_kutta(lambda state: (speed(*state),), (path[-1],), step))
    return torch.stack(path)


class Adjoint(torch.autograd.Function):
    """``solve``, with gradients from the adjoint equation."""

    @staticmethod
    def forward(ctx, speed, start, steps, step, *parameters):
        path = solve(speed, start, steps, step)
        ctx.speed, ctx.step = speed, step
        ctx.save_for_backward(path, *parameters)
        return path

    @staticmethod
    def backward(ctx, grad_path):
        path, *parameters = ctx.saved_tensors

        def backwards(state):
            place, grad, *_ = state
            with torch.enable_grad():
                place = place.detach().requires_grad_()
                speed = ctx.speed(place)
            slopes = torch.autograd.grad(speed, (place, *parameters), grad)
            return (speed.detach(), *(-slope for slope in slopes))

        grad, totals = torch.zeros_like(grad_path[0]), [torch.zeros_like(p) for p in parameters]
        for place, arriving in zip(path.flip(0)[:-1], grad_path.flip(0)[:-1]):
            _, grad, *totals = runge_kutta(backwards, (place, grad + arriving, *totals), -ctx.step)
        return None, grad + grad_path[0], None, None, *totals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--adjoint", action="store_true", help="gradients from the adjoint equation")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    torch.set_default_dtype(torch.float64)
    law = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    truth = solve(lambda y: y**3 @ law, torch.tensor([[2.0, 0.0]]), steps=400, step=0.025)[:, 0]

    model = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))

    def speed(place):
        return model(place**3)

    def follow(start, steps):
        if args.adjoint:
            return Adjoint.apply(speed, start, steps, 0.025, *model.parameters())
        return solve(speed, start, steps, 0.025)

    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    length, losses = 10, []
    for _ in progress(args.steps, losses):
        starts = torch.randint(len(truth) - length, (64,))
        pieces = torch.stack([truth[start : start + length + 1] for start in starts.tolist()], dim=1)
        loss = (follow(pieces[0], length) - pieces).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    report(loss=losses)
    with torch.no_grad():
        path = solve(speed, truth[:1], 400, 0.025)[:, 0]
    print(f"mean distance from the spiral, all the way {(path - truth).norm(dim=1).mean().item():.4f}")


if __name__ == "__main__":
    main()
