"""Samples of convolutions and of what moves pixels; see ``op_samples``."""

from __future__ import annotations

import facula as torch
import facula.nn.functional as F
from facula.ops.machine.primitive import REGISTRY

from .op_samples import SAMPLES, real

SAMPLES["convolution"] = [
    (lambda x, w, b: torch.conv1d(x, w, b, stride=2, padding=1), (real(2, 3, 7), real(4, 3, 3), real(4))),
    (lambda x, w: torch.conv2d(x, w, padding=(1, 0), groups=2), (real(2, 4, 5, 4), real(4, 2, 3, 2))),
    (lambda x, w: torch.conv2d(x, w, padding=1, groups=3), (real(2, 3, 4, 4), real(6, 1, 3, 3))),
    (lambda x, w: torch.conv2d(x, w, dilation=2), (real(2, 8, 5, 6), real(2, 8, 2, 3))),
    (lambda x, w: torch.conv2d(x, w, stride=2), (real(3, 4, 3), real(2, 3, 1, 1))),
    (lambda x, w, b: torch.conv3d(x, w, b), (real(1, 2, 3, 3, 3), real(2, 2, 2, 2, 2), real(2))),
    (
        lambda x, w, b: torch.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1, dilation=2),
        (real(2, 3, 3, 2), real(3, 2, 2, 3), real(2)),
    ),
    (lambda x, w: torch.conv_transpose1d(x, w, groups=2, stride=3), (real(2, 4, 3), real(4, 2, 2))),
]
SAMPLES["convolution_input"] = [
    (lambda y, w: REGISTRY["convolution_input"](y, w, (4, 5), (1, 2), (1, 1), (1, 1), 1),
     (real(1, 3, 4, 3), real(3, 2, 3, 3))),
]  # fmt: skip
SAMPLES["convolution_weight"] = [
    (lambda y, x: REGISTRY["convolution_weight"](y, x, (3, 3), (1, 2), (1, 1), (1, 1), 1),
     (real(1, 3, 4, 3), real(1, 2, 4, 5))),
]  # fmt: skip

SAMPLES["conv_tbc"] = [
    (lambda x, w, b: torch.conv_tbc(x, w, b, 1), (real(5, 2, 3), real(3, 3, 2), real(2))),
]

SAMPLES["im2col"] = [
    (lambda x: F.unfold(x, (2, 3), dilation=(2, 1), padding=1, stride=(1, 2)), (real(2, 2, 5, 4),)),
    (lambda x: F.unfold(x, 2), (real(2, 3, 3),)),
]
SAMPLES["col2im"] = [(lambda x: F.fold(x, (4, 5), (2, 3), padding=1, stride=(1, 2)), (real(2, 12, 15),))]
SAMPLES["pixel_shuffle"] = [(lambda x: torch.pixel_shuffle(x, 2), (real(2, 4, 2, 3),))]
SAMPLES["pixel_unshuffle"] = [(lambda x: torch.pixel_unshuffle(x, 2), (real(2, 4, 2),))]
SAMPLES["channel_shuffle"] = [(lambda x: torch.channel_shuffle(x, 2), (real(2, 6, 3),))]
