"""Why an answer is no, where more can be said than what is different. By entry and aspect; "*" is any aspect."""

from __future__ import annotations

_ONE_ROUNDING = "computed in float32 and rounded once, and so nearer to the exact result than PyTorch's"
_DIMENSIONS = "arrays of NumPy have at most 64 dimensions; the samples have 65"
_MEMORY = "a sample is a view beyond its memory, which arrays of NumPy cannot be"
_CHUNKS = "the logits are made at once here, not in chunks"

REASONS: dict[str, dict[str, str]] = {
    "_unsafe_masked_index_put_accumulate": {"bfloat16": _ONE_ROUNDING},
    "addbmm": {"*": "PyTorch gives the tensor another shape; facula refuses, as both do for addmm_"},
    "amax": {"errors": _DIMENSIONS},
    "amin": {"errors": _DIMENSIONS},
    "aminmax": {"errors": _DIMENSIONS},
    "as_strided_scatter": {
        "*": "PyTorch's gradient of the input is wrong: it is kept where elements were replaced and lost elsewhere"
    },
    "cat": {"errors": _MEMORY},
    "chalf": {"*": "there is no arithmetic in complex32"},
    "fft.ihfftn": {"out": "PyTorch forgets the conjugation when it writes to out="},
    "grid_sampler_2d": {"bfloat16": _ONE_ROUNDING},
    "grid_sampler_3d": {"bfloat16": _ONE_ROUNDING},
    "matrix_exp": {"bfloat16": "refused; PyTorch's results in half precision are not even near"},
    "nn.functional.conv_transpose3d": {"bfloat16": _ONE_ROUNDING},
    "nn.functional.grid_sample": {"bfloat16": _ONE_ROUNDING},
    "nn.functional.linear_cross_entropy.chunked": {"grad_fn": _CHUNKS, "second gradient": "PyTorch has none, silently"},
    "nn.functional.linear_cross_entropy.chunked_none": {"grad_fn": _CHUNKS},
    "special.bessel_j0": {"*": "PyTorch is off by 2e-7 near 5.4; scipy is not"},
    "special.bessel_y1": {"*": "PyTorch is off by 3e-7 near 5.6; scipy is not"},
}

DEPENDS_ON_THE_CPU = {("nn.functional.conv_transpose3d", "bfloat16")}
"""Differences that are there on some CPUs only: PyTorch rounds in between where the CPU has no products of bfloat16."""


def reason(entry: str, aspect: str, seen: str) -> str:
    """What to write into the list of expectations: the reason if it is known, else what was seen."""
    known = REASONS.get(entry, {})
    return known.get(aspect) or known.get("*") or seen
