"""Small products of matrices as loops with their sizes in the text; large ones are the library's."""

from __future__ import annotations

from ..programs.scalars import c_type
from ..programs.steps import Product

MOST = 40_000
"""Multiply-adds up to which the text is written out."""
MOST_PACKED = 4096
"""Elements of a right side that are copied first, so that its rows are dense."""


def small_product(step: Product) -> str | None:
    """The function, called FUNCTION; None if the product is not small."""
    m, n, k = step.a.shape[-2], step.b.shape[-1], step.a.shape[-1]
    batch = step.a.shape[0] if len(step.a.shape) == 3 else 1
    if m * n * k * batch > MOST or n * k > MOST_PACKED or n > 512:
        return None
    real = c_type(step.out.dtype)
    (ra, ca), (rb, cb) = step.a.strides[-2:], step.b.strides[-2:]
    bias = f", const {real} *restrict bias" if step.bias is not None else ""
    lines = [f"APART void FUNCTION(const {real} *restrict a, const {real} *restrict b{bias}, {real} *restrict c) {{"]
    indent = "    "
    if batch > 1:
        sa, sb = step.a.strides[0], step.b.strides[0]
        lines.append(f"    for (int64_t s = 0; s < {batch}; s++, a += {sa}, b += {sb}, c += {m * n}) {{")
        indent = "        "
    start = "bias[j]" if bias else "0"
    by_dots = cb != 1 and rb == 1 and ca == 1 and n < 8 and k >= 8
    if by_dots:
        lanes = f" simdlen({32 // step.out.dtype.itemsize})" if k <= 64 else ""  # wider ones take long to add up
        lines += [
            f"{indent}for (int64_t i = 0; i < {m}; i++)",
            f"{indent}    for (int64_t j = 0; j < {n}; j++) {{",
            f"{indent}        {real} t = 0;",
            f'{indent}        _Pragma("omp simd reduction(+:t){lanes}") for (int64_t k = 0; k < {k}; k++)'
            f" t += a[i * {ra} + k] * b[j * {cb} + k];",
            f"{indent}        c[i * {n} + j] = t + {start};" if bias else f"{indent}        c[i * {n} + j] = t;",
            f"{indent}    }}",
        ]
    elif ra == cb == 1 and m % 16 == 0 and m <= 512 and n < 16:  # columns of A are vectors, rows of B are none
        lines += [
            f"{indent}for (int64_t j = 0; j < {n}; j++) {{",
            f"{indent}    {real} t[{m}];",
            f"{indent}    for (int64_t i = 0; i < {m}; i++) t[i] = {start};",
            f"{indent}    for (int64_t k = 0; k < {k}; k++) {{",
            f"{indent}        {real} x = b[k * {rb} + j];",
            f"{indent}        for (int64_t i = 0; i < {m}; i++) t[i] += x * a[k * {ca} + i];",
            f"{indent}    }}",
            f"{indent}    for (int64_t i = 0; i < {m}; i++) c[i * {n} + j] = t[i];",
            f"{indent}}}",
        ]
    else:
        right = f"b[k * {rb} + j * {cb}]"
        if cb != 1 and n > 1:
            lines += [
                f"{indent}{real} rows[{k * n}];",
                f"{indent}for (int64_t k = 0; k < {k}; k++)",
                f"{indent}    for (int64_t j = 0; j < {n}; j++) rows[k * {n} + j] = {right};",
            ]
            right = f"rows[k * {n} + j]"
        lines += [
            f"{indent}for (int64_t i = 0; i < {m}; i++) {{",
            f"{indent}    {real} t[{n}];",
            f"{indent}    for (int64_t j = 0; j < {n}; j++) t[j] = {start};",
            f"{indent}    for (int64_t k = 0; k < {k}; k++) {{",
            f"{indent}        {real} x = a[i * {ra} + k * {ca}];",
            f"{indent}        for (int64_t j = 0; j < {n}; j++) t[j] += x * {right};",
            f"{indent}    }}",
            f"{indent}    for (int64_t j = 0; j < {n}; j++) c[i * {n} + j] = t[j];",
            f"{indent}}}",
        ]
    if batch > 1:
        lines.append("    }")
    return "\n".join([*lines, "}\n"])
