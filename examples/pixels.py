"""Pixel optimisation: sharpen a blurred, noisy picture by gradient descent on its pixels.

There is no network here. The pixels themselves are the parameters: they should look like the observed picture once
blurred, and vary little from pixel to pixel (total variation). The result is a picture with three parts: what was
observed, what was found, and the truth.

    facula run examples/pixels.py             on facula
    python examples/pixels.py                 on PyTorch
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F

from shared import progress, report, write_png


def scene(size):
    """A round sun over hills, from formulas: (3, size, size), values from 0 to 1."""
    y, x = np.mgrid[0:size, 0:size] / size
    sky = np.stack([0.2 + 0.5 * y, 0.4 + 0.3 * y, 0.9 - 0.2 * y])
    sun = np.hypot(x - 0.65, y - 0.3) < 0.15
    far = y > 0.65 + 0.10 * np.sin(9 * x)
    near = y > 0.80 + 0.08 * np.sin(5 * x + 2)
    picture = np.where(sun, np.array([1.0, 0.85, 0.3])[:, None, None], sky)
    picture = np.where(far, np.array([0.25, 0.45, 0.35])[:, None, None], picture)
    return np.where(near, np.array([0.1, 0.25, 0.15])[:, None, None], picture)


def gaussian(width, sigma):
    """A blurring kernel for each of three channels: (3, 1, width, width)."""
    line = torch.exp(-((torch.arange(width) - width // 2) ** 2) / (2 * sigma**2))
    kernel = torch.outer(line, line)
    return (kernel / kernel.sum()).expand(3, 1, width, width)


def blur(picture, kernel):
    margin = kernel.shape[-1] // 2
    padded = F.pad(picture, (margin, margin, margin, margin), mode="reflect")
    return F.conv2d(padded, kernel, groups=3)


def total_variation(picture):
    return picture.diff(dim=-1).abs().mean() + picture.diff(dim=-2).abs().mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--size", type=int, default=96, help="height and width in pixels")
    parser.add_argument("--smoothness", type=float, default=0.005, help="weight of the total variation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="pixels.png", help="where to write the picture")
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    truth = torch.tensor(scene(args.size), dtype=torch.float32).unsqueeze(0)
    kernel = gaussian(9, 1.8)
    observed = blur(truth, kernel) + 0.02 * torch.randn(truth.shape)

    pixels = observed.clone().requires_grad_()
    optimizer = torch.optim.Adam([pixels], lr=0.02)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    losses = []
    for _ in progress(args.steps, losses):
        optimizer.zero_grad()
        loss = F.mse_loss(blur(pixels, kernel), observed) + args.smoothness * total_variation(pixels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    report(loss=losses)
    found = pixels.detach().clamp(0, 1)
    print(f"error of the observed picture {F.mse_loss(observed, truth).item():.5f}")
    print(f"error of the one found        {F.mse_loss(found, truth).item():.5f}")
    row = torch.cat([observed, found, truth], dim=-1)[0].permute(1, 2, 0)
    write_png(args.output, row.numpy())
    print(f"wrote {args.output}: observed, found, truth")


if __name__ == "__main__":
    main()
