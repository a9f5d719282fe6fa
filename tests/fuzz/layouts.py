"""Tensors of all dtypes that lie in memory in many ways: what programs of calls begin with."""

from __future__ import annotations

from .scope import Scope

DTYPES = """
float64 float64 float64 float64 float64 float32 float32 float16 bfloat16 complex128 complex128 complex64 int64 int64
int32 int16 int8 uint8 bool bool
""".split()

ODD_NUMBERS = ("float('inf')", "float('-inf')", "float('nan')", "0.0", "-0.0", "1e30", "-1.0", "1.0")


def leaf(s: Scope, name: str, shape: list[int] | None = None, dtype: str | None = None) -> str:
    """The statement that makes a leaf."""
    dtype = dtype or s.rng.choice(DTYPES)
    differentiable = "float" in dtype or "complex" in dtype
    wants = ", requires_grad=True" if differentiable and s.rng.random() < 0.7 else ""
    shape = shape_of_leaf(s) if shape is None else shape
    text = s.literal(shape, dtype, wants)
    if "float" in dtype and s.rng.random() < 0.08:  # one number is replaced
        first = text.find("(") + 1
        while text[first] == "[":
            first += 1
        end = min(i for i in (text.find(c, first) for c in ",]") if i >= 0)
        if end > first:
            text = text[:first] + s.rng.choice(ODD_NUMBERS) + text[end:]
    return f"{name} = {text}"


def shape_of_leaf(s: Scope) -> list[int]:
    """More often than in other programs without elements or dimensions, or with many dimensions."""
    kind = s.rng.random()
    if kind < 0.10:
        return []
    if kind < 0.16:
        return [s.rng.choice([0, 1, 2, 3]) for _ in range(s.rng.choice([1, 2, 2, 3]))]
    if kind < 0.26:
        return [s.rng.choice([1, 2, 2, 3]) for _ in range(4)]
    return [s.rng.choice([1, 2, 2, 3, 3, 4]) for _ in range(s.rng.choice([1, 2, 2, 2, 3, 3]))]


def laid_out(s: Scope, x: str) -> str:
    """An expression of the same elements, or some of them, that lie in memory otherwise."""
    t = s.tensors[x]
    forms = ["{x}.clone()", "{x}[None]", "{x}.unsqueeze(-1)", "{x}.detach()"]
    if t.dim():
        forms += ["{x}[::2]", "{x}[..., 1:]", "{x}.flip(0)", "{x}[:0]", "{x}[..., :1]"]
        forms += ["{x}.expand(2, *{x}.shape)", "{x}[:1].expand(3, *{x}.shape[1:])"]
    if t.dim() > 1:
        forms += ["{x}.transpose(0, 1)", "{x}.mT", "{x}[:, ::2]", "{x}[:, 0]", "{x}.transpose(0, -1).contiguous()",
                  "{x}.transpose(0, -1).contiguous().transpose(0, -1)"] * 2  # fmt: skip
    if t.dim() > 2:
        forms += ["{x}.permute(2, 0, 1)" if t.dim() == 3 else "{x}.permute(0, 2, 3, 1)", "{x}.movedim(-1, 0)"]
    if t.dim() == 4:
        forms += ["{x}.contiguous(memory_format=torch.channels_last)"] * 3
    if t.dtype.is_complex:
        forms += ["{x}.conj()", "{x}.imag", "{x}.real"] * 2
    return s.rng.choice(forms).format(x=x)
