"""Curve fitting with LBFGS: three peaks on a sloping ground, found in noisy data.

LBFGS with a line search needs a few tens of steps where a first-order method needs thousands. The Hessian at the end
(autograd.functional) tells how sure the numbers are.

    facula run examples/lbfgs_fit.py          on facula
    python examples/lbfgs_fit.py              on PyTorch
"""

import argparse

import torch

from shared import report

NAMES = [f"{what} {i}" for what in ("height", "center", "width") for i in (1, 2, 3)] + ["level", "slope"]
TRUTH = torch.tensor([2.0, 1.2, 1.6, 2.1, 4.0, 7.3, 0.4, 0.9, 0.6, 0.5, -0.04], dtype=torch.float64)
GUESS = torch.tensor([1.0, 1.0, 1.0, 1.5, 4.5, 7.0, 0.7, 0.7, 0.7, 0.0, 0.0], dtype=torch.float64)


def peaks(numbers, x):
    height, center, width = numbers[:9].reshape(3, 3, 1)
    level, slope = numbers[9:]
    return (height * torch.exp(-0.5 * ((x - center) / width) ** 2)).sum(0) + level + slope * x


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    x = torch.linspace(0, 10, 400, dtype=torch.float64)
    y = peaks(TRUTH, x) + args.noise * torch.randn(400, dtype=torch.float64)

    def cost(numbers):
        return ((peaks(numbers, x) - y) ** 2).sum() / (2 * args.noise**2)

    numbers = GUESS.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([numbers], lr=1, max_iter=4, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = cost(numbers)
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(args.steps)]
    report(loss=losses)

    # The curvature of the cost is the inverse of the covariance.
    covariance = torch.linalg.inv(torch.autograd.functional.hessian(cost, numbers.detach()))
    errors = covariance.diagonal().abs().sqrt()
    print(f"{'':10}{'truth':>10}{'found':>10}   sure to")
    for name, true, found, error in zip(NAMES, TRUTH.tolist(), numbers.tolist(), errors.tolist()):
        print(f"{name:10}{true:10.4f}{found:10.4f}   ±{error:.4f}")


if __name__ == "__main__":
    main()
