"""einsum: sums of products by named dimensions, computed as products of batches of matrices.

Every operand is brought to the same dimensions (the output's first, then those summed away) by ``permute``, with size 1
where it lacks one. Then operands are multiplied pair by pair from the left; a dimension is summed away in the last
product that it takes part in.
"""

from __future__ import annotations

import math
from typing import Any

from ..._tensor import Tensor
from ..machine.errors import type_of
from ..machine.public import public
from ..views.shape import reshape, unsqueeze_op, view_op
from ..views.slices import diagonal_op
from ..views.transpose import movedim, permute_op
from .matrix_products import bmm

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = len(_LETTERS)
"""Stands for an ellipsis among subscripts, which are places in the alphabet, capitals first."""


@public("einsum", spread=True, looks_first=True)
def einsum(*args: Any) -> Tensor:
    """Sums of products of tensors whose dimensions are named by an equation such as ``"ij,jk->ik"``."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        inputs, output, operands = _from_sublists(args)
    else:
        if not isinstance(args[0], str):
            raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_of(args[0])}")
        operands = list(args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else list(args[1:])
        for i, t in enumerate(operands):
            if not isinstance(t, Tensor):
                raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type_of(t)}")
        inputs, output = _parse(args[0], len(operands))
    return _contract(inputs, output, operands)


def _from_sublists(args: tuple[Any, ...]) -> tuple[list[list[int]], list[int] | None, list[Any]]:
    """``einsum(a, [0, 1], b, [1, 2], [0, 2])``."""
    operands = list(args[0:-1:2] if len(args) % 2 else args[0::2])
    lists = list(args[1::2])
    output = _subscripts(args[-1]) if len(args) % 2 else None
    return [_subscripts(x) for x in lists], output, operands


def _subscripts(given: Any) -> list[int]:
    found = []
    for s in given:
        if s is Ellipsis:
            found.append(ELLIPSIS)
        elif 0 <= s < ELLIPSIS:
            found.append(int(s))
        else:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return found


def _parse(equation: str, count: int) -> tuple[list[list[int]], list[int] | None]:
    """The subscripts of each operand and of the output; None for an output that is not written."""
    arrow = equation.find("->")
    inputs: list[list[int]] = [[]]
    i = 0
    while i < (arrow if arrow >= 0 else len(equation)):
        c = equation[i]
        if c == ".":
            which = f"operand {len(inputs) - 1}"
            if ELLIPSIS in inputs[-1]:
                raise RuntimeError(f"einsum(): found '.' for {which} for which an ellipsis was already found")
            if equation[i : i + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for {which} that is not part of any ellipsis")
            inputs[-1].append(ELLIPSIS)
            i += 2
        elif c == ",":
            inputs.append([])
            if len(inputs) > count:
                raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        elif c != " ":
            inputs[-1].append(_place(c, i))
        i += 1
    if len(inputs) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return inputs, None if arrow < 0 else _parse_output(equation, arrow + 2)


def _parse_output(equation: str, i: int) -> list[int]:
    output: list[int] = []
    while i < len(equation):
        c = equation[i]
        if c == ".":
            if ELLIPSIS in output:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if equation[i : i + 3] != "...":
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            output.append(ELLIPSIS)
            i += 2
        elif c != " ":
            output.append(_place(c, i))
        i += 1
    return output


def _place(c: str, i: int) -> int:
    at = _LETTERS.find(c)
    if at < 0:
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
        )
    return at


def _name(subscript: int) -> str:
    return _LETTERS[subscript]


def _contract(inputs: list[list[int]], output: list[int] | None, operands: list[Any]) -> Any:
    covered = 0
    times = [0] * (ELLIPSIS + 1)
    for i, (subscripts, t) in enumerate(zip(inputs, operands)):
        named = len([s for s in subscripts if s != ELLIPSIS])
        ndim = t._array.ndim
        if len(subscripts) == named and named != ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions "
                f"({ndim}) for operand {i} and no ellipsis was given"
            )
        if named > ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) is more than the number of dimensions "
                f"({ndim}) for operand {i}"
            )
        if len(subscripts) > named:
            covered = max(covered, ndim - named)
        for s in subscripts:
            times[s] += 1
    if output is None:
        output = [ELLIPSIS] * (covered > 0) + [s for s in range(ELLIPSIS) if times[s] == 1]
    places, kept, total = _order(output, times, covered)
    aligned = [_aligned(i, s, t, places, total, covered) for i, (s, t) in enumerate(zip(inputs, operands))]
    _check_sizes(inputs, operands, places, covered)
    if len(aligned) == 1:
        return aligned[0].sum(tuple(range(kept, total))) if total > kept else aligned[0]
    result = _multiplied(aligned, kept, total)
    return view_op(result, result._array.shape[:kept]) if total > kept else result


def _order(output: list[int], times: list[int], covered: int) -> tuple[list[int], int, int]:
    """(place of each subscript among all dimensions, number of the output's dimensions, number of dimensions)."""
    places = [-1] * (ELLIPSIS + 1)
    at = 0
    for s in output:
        if s == ELLIPSIS:
            places[s] = at
            at += covered
            continue
        if places[s] >= 0:
            raise RuntimeError(f"einsum(): output subscript {_name(s)} appears more than once in the output")
        if not times[s]:
            raise RuntimeError(
                f"einsum(): output subscript {_name(s)} does not appear in the equation for any input operand"
            )
        places[s] = at
        at += 1
    kept = at
    if places[ELLIPSIS] < 0:
        places[ELLIPSIS] = at
        at += covered
    for s in range(ELLIPSIS):
        if times[s] and places[s] < 0:
            places[s] = at
            at += 1
    return places, kept, at


def _aligned(i: int, subscripts: list[int], t: Any, places: list[int], total: int, covered: int) -> Any:
    """An operand with all dimensions in their order, of size 1 where it lacks one."""
    order = [-1] * total
    at = 0
    for s in subscripts:
        if s == ELLIPSIS:
            own = t._array.ndim - at - (len(subscripts) - 1 - subscripts.index(ELLIPSIS))
            start = places[ELLIPSIS] + covered - own
            for k in range(own):
                order[start + k] = at
                at += 1
            continue
        place = places[s]
        if order[place] < 0:
            order[place] = at
            at += 1
            continue
        shape = t._array.shape
        if shape[order[place]] != shape[at]:
            raise RuntimeError(
                f"einsum(): subscript {_name(s)} is repeated for operand {i} but the sizes don't match, "
                f"{shape[at]} != {shape[order[place]]}"
            )
        t = movedim(diagonal_op(t, 0, order[place], at), -1, order[place])
    for place in range(total):
        if order[place] < 0:
            t = unsqueeze_op(t, at)
            order[place] = at
            at += 1
    return permute_op(t, tuple(order))


def _check_sizes(inputs: list[list[int]], operands: list[Any], places: list[int], covered: int) -> None:
    """Sizes of one subscript must be equal or 1."""
    seen: dict[int, int] = {}
    for i, (subscripts, t) in enumerate(zip(inputs, operands)):
        shape = t._array.shape
        own = len(shape) - (len(subscripts) - 1)
        at = 0
        for s in subscripts:
            for k in range(own if s == ELLIPSIS else 1):
                place = places[s] + (covered - own + k if s == ELLIPSIS else 0)
                size = shape[at]
                at += 1
                before = seen.setdefault(place, size)
                if before == 1:
                    seen[place] = size
                elif size not in (1, before):
                    raise _does_not_broadcast(s, i, size, before, covered - own + k)


def _does_not_broadcast(s: int, i: int, size: int, before: int, dim: int) -> RuntimeError:
    if s == ELLIPSIS:
        return RuntimeError(
            f"einsum(): dimension {dim} covered by ellipsis in operand {i}has size {size} which does not broadcast "
            f"with previously seen ellipsis with size {before} for the respective dimension"
        )
    return RuntimeError(
        f"einsum(): subscript {_name(s)} has size {size} for operand {i} which does not broadcast with previously seen "
        f"size {before}"
    )


def _multiplied(operands: list[Any], kept: int, total: int) -> Any:
    left = operands[0]
    users = [sum(t._array.shape[d] != 1 for t in operands) for d in range(total)]
    for right in operands[1:]:
        together, alone_left, alone_right = [], [], []
        for d in range(kept, total):
            m, n = left._array.shape[d], right._array.shape[d]
            if m != 1 and n != 1:
                users[d] -= 1
                if users[d] == 1:
                    together.append(d)
                    users[d] = 0
            elif users[d] == 1 and m != 1:
                alone_left.append(d)
                users[d] = 0
            elif users[d] == 1 and n != 1:
                alone_right.append(d)
                users[d] = 0
        if alone_left:
            left = left.sum(alone_left, keepdim=True)
        if alone_right:
            right = right.sum(alone_right, keepdim=True)
        left = _pair(left, right, together)
    return left


def _pair(left: Any, right: Any, summed: list[int]) -> Any:
    """The product of two, summed over some dimensions, which stay with size 1."""
    if not summed:
        return left * right
    a, b = left._array.shape, right._array.shape
    both: list[int] = []
    only_left: list[int] = []
    only_right: list[int] = []
    for d in range(len(a)):
        if d not in summed:
            (both if a[d] != 1 and b[d] != 1 else only_left if a[d] != 1 else only_right).append(d)
    if only_left and only_right and max(only_right) < min(only_left):  # so that the product lies by rows
        left, right, a, b, only_left, only_right = right, left, b, a, only_right, only_left
    sizes = [math.prod(s[d] for d in dims) for s, dims in ((a, both), (a, only_left), (a, summed), (b, only_right))]
    x = reshape(permute_op(left, (*both, *only_left, *summed, *only_right)), (sizes[0], sizes[1], sizes[2]))
    y = reshape(permute_op(right, (*both, *summed, *only_right, *only_left)), (sizes[0], sizes[2], sizes[3]))
    result = bmm(x, y)
    order = (*both, *only_left, *summed, *only_right)
    shape = (*[a[d] for d in both], *[a[d] for d in only_left], *[1] * len(summed), *[b[d] for d in only_right])
    back = [0] * len(order)
    for i, d in enumerate(order):
        back[d] = i
    return permute_op(view_op(result, shape), tuple(back))
