"""Connectionist temporal classification (Graves et al. 2006).

A sequence of labels l1 l2 … is written with blanks around and between them, _ l1 _ l2 _ …: the states of a walk that in
each time step stays, goes one on, or two on if that skips a blank between different labels. The loss is minus the
logarithm of the probability of all walks. Kernels walk through all sequences of a batch at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from .mse import MEAN, NONE


class Walks:
    """The states of a batch of label sequences, padded to one length."""

    def __init__(self, targets: Any, target_lengths: tuple[int, ...], blank: int) -> None:
        lengths = np.asarray(target_lengths, np.int64)
        longest = int(lengths.max(initial=0))
        n = lengths.size
        labels = np.full((n, 2 * longest + 1), blank, np.int64)
        start = 0
        for i, length in enumerate(target_lengths):
            row = targets[i] if targets.ndim == 2 else targets[start:]
            labels[i, 1 : 2 * length : 2] = row[:length]
            start += length
        self.labels = labels
        self.rows = np.arange(n)
        self.ends = 2 * lengths
        """The last state of each; a walk ends there or one before."""
        self.skips = np.zeros(labels.shape, bool)
        """States that can be reached from two before."""
        if longest > 1:
            self.skips[:, 3::2] = labels[:, 3::2] != labels[:, 1:-2:2]


def _log_add(*terms: Any) -> Any:
    top = terms[0]
    for t in terms[1:]:
        top = np.maximum(top, t)
    safe = np.where(np.isneginf(top), 0, top)
    return np.log(sum(np.exp(t - safe) for t in terms)) + safe


def _moved(x: Any, by: int) -> Any:
    """States seen from ``by`` states on; nothing comes from outside."""
    found = np.full_like(x, -np.inf)
    if by > 0:
        found[:, by:] = x[:, :-by]
    elif by < 0:
        found[:, :by] = x[:, -by:]
    return found


def _forward(scores: Any, walks: Walks) -> Any:
    """(time, n, states): logarithms of the probabilities of all walks to a state."""
    steps, _, states = scores.shape
    alpha = np.full(scores.shape, -np.inf, scores.dtype)
    if not steps:
        return alpha
    alpha[0, :, :1] = scores[0, :, :1]
    if states > 1:
        alpha[0, :, 1] = np.where(walks.ends > 0, scores[0, :, 1], -np.inf)
    for t in range(1, steps):
        before = alpha[t - 1]
        skipped = np.where(walks.skips, _moved(before, 2), -np.inf)
        alpha[t] = _log_add(before, _moved(before, 1), skipped) + scores[t]
    return alpha


def _backward(scores: Any, walks: Walks, input_lengths: Any) -> Any:
    """(time, n, states): logarithms of the probabilities of all walks on from a state, itself included."""
    steps, n, states = scores.shape
    beta = np.full(scores.shape, -np.inf, scores.dtype)
    last = np.full((n, states), -np.inf, scores.dtype)
    last[walks.rows, walks.ends] = 0
    several = walks.ends > 0
    last[walks.rows[several], walks.ends[several] - 1] = 0
    later = np.zeros_like(walks.skips)
    later[:, :-2] = walks.skips[:, 2:]
    for t in reversed(range(steps)):
        if t + 1 < steps:
            after = beta[t + 1]
            beta[t] = _log_add(after, _moved(after, -1), np.where(later, _moved(after, -2), -np.inf)) + scores[t]
        ending = input_lengths == t + 1
        if ending.any():
            beta[t, ending] = last[ending] + scores[t, ending]
    return beta


def _scores(log_probs: Any, walks: Walks) -> Any:
    return log_probs[:, walks.rows[:, None], walks.labels]


def _losses(alpha: Any, walks: Walks, input_lengths: Any) -> Any:
    lengths = np.asarray(input_lengths, np.int64)
    last = alpha[np.maximum(lengths - 1, 0), walks.rows] if alpha.shape[0] else np.full_like(alpha, -np.inf)
    ends = last[walks.rows, walks.ends]
    before = np.where(walks.ends > 0, last[walks.rows, np.maximum(walks.ends - 1, 0)], -np.inf)
    found = -_log_add(ends, before)
    empty = lengths == 0
    if empty.any():
        found[empty] = np.where(walks.ends[empty] == 0, 0, np.inf)
    return found


@primitive(
    "CtcLossBackward0", name="ctc_loss", outputs=2, differentiable_outputs="first",
    saved_names={"out0": "result0", "out1": "result1", "targets_shape": ""}, batch=batching.item_by_item,
)  # fmt: skip
@by_zeros
def ctc_op(
    log_probs: Array, targets: Array, input_lengths: tuple[int, ...], target_lengths: tuple[int, ...], blank: int,
    zero_infinity: bool,
) -> tuple[Array, ...]:  # fmt: skip
    walks = Walks(targets, target_lengths, blank)
    alpha = _forward(_scores(log_probs, walks), walks)
    return _losses(alpha, walks, input_lengths), alpha.transpose(1, 0, 2)


@primitive(name="ctc_loss_backward")
@by_zeros
def ctc_backward_op(
    grad: Array, log_probs: Array, targets: Array, losses: Array, log_alpha: Array, input_lengths: tuple[int, ...],
    target_lengths: tuple[int, ...], blank: int, zero_infinity: bool,
) -> Array:  # fmt: skip
    """PyTorch's derivative: the one with respect to what log_softmax was taken of."""
    walks = Walks(targets, target_lengths, blank)
    scores = _scores(log_probs, walks)
    lengths = np.asarray(input_lengths, np.int64)
    alpha = log_alpha.transpose(1, 0, 2)
    beta = _backward(scores, walks, lengths)
    # Both count the state's own score.
    share = np.exp(alpha + beta - scores + losses[:, None])
    posterior = np.zeros_like(log_probs)
    share[np.isnan(share)] = 0
    steps = np.arange(log_probs.shape[0])[:, None, None]
    np.add.at(posterior, (steps, walks.rows[:, None], walks.labels), share)
    found = np.exp(log_probs)
    found -= posterior
    found *= grad[:, None]
    impossible = np.isinf(losses)
    if impossible.any():
        found[:, impossible] = 0 if zero_infinity else np.nan
    found[np.arange(log_probs.shape[0])[:, None] >= lengths] = 0
    return found


ctc_op.gradient(ctc_backward_op, "log_probs", losses="out0", log_alpha="out1")


@ctc_backward_op.compose
def ctc_gradient(
    grad: Any, log_probs: Any, targets: Any, losses: Any, log_alpha: Any, input_lengths: Any, target_lengths: Any,
    blank: int, zero_infinity: bool,
) -> Any:  # fmt: skip
    from ...func import grad as gradient_of  # loaded when first used

    inside, kept = _masks(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)

    def total(log_probs: Tensor) -> Tensor:
        return (_differentiable_losses(log_probs, targets, input_lengths, target_lengths, blank) * kept).sum()

    return grad.view(1, -1, 1) * (log_probs.exp() * inside + gradient_of(total)(log_probs))


def _masks(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int, zero_infinity: bool
) -> Any:
    """(1 within the lengths and 0 beyond, for possible sequences; 1 for each possible sequence that takes time).

    Impossible ones have no derivative: NaN, or 0 if that is wanted.
    """
    x = log_probs._array
    walks = Walks(targets._array, target_lengths, blank)
    losses = _losses(_forward(_scores(x, walks), walks), walks, input_lengths)
    possible = np.isfinite(losses)
    inside = (np.arange(x.shape[0])[:, None] < np.asarray(input_lengths)).astype(x.dtype)
    inside[(inside > 0) & ~possible] = 0 if zero_infinity else np.nan
    kept = possible & (np.asarray(input_lengths) > 0)
    return Tensor._wrap(inside[:, :, None]), Tensor._wrap(kept.astype(x.dtype))


def _differentiable_losses(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int
) -> Tensor:
    """The losses once more, in operations on Tensors: what second derivatives are taken of."""
    from ..moving.joining import cat, stack  # loaded when first used
    from ..pointwise.selection import where  # loaded when first used
    from ..reductions.sums import logsumexp  # loaded when first used

    walks = Walks(targets._array, target_lengths, blank)
    steps, n, _ = log_probs.shape
    states = walks.labels.shape[1]
    index = Tensor._wrap(np.broadcast_to(walks.labels, (steps, n, states)).copy())
    scores = log_probs.gather(2, index)
    low = log_probs.new_full((n, 2), -1e30)
    allowed = [Tensor._wrap(np.ones((n, states), bool)) for _ in range(2)] + [Tensor._wrap(walks.skips)]
    first = np.zeros((n, states), bool)
    first[:, 0] = True
    first[walks.ends > 0, 1:2] = True
    alpha = where(Tensor._wrap(first), scores[0], -1e30) if steps else log_probs.new_full((n, states), -1e30)
    ends = [alpha]
    for t in range(1, steps):
        wide = cat([low, alpha], 1)
        parts = [wide[:, 2 - by : 2 - by + states] for by in range(3)]
        alpha = logsumexp(stack([where(m, p, -1e30) for m, p in zip(allowed, parts)]), 0) + scores[t]
        ends.append(alpha)
    lasts = stack(ends)
    lengths = np.maximum(np.asarray(input_lengths, np.int64) - 1, 0)
    last = stack([lasts[int(t), i] for i, t in enumerate(lengths)])
    final = np.zeros((n, states), bool)
    final[walks.rows, walks.ends] = True
    final[walks.rows, np.maximum(walks.ends - 1, 0)] = True
    return -logsumexp(where(Tensor._wrap(final), last, -1e30), 1)


# ---- arguments


def _lengths(name: str, given: Any, n: int) -> tuple[int, ...]:
    if isinstance(given, Tensor):
        if given._array.dtype.kind not in "iu":
            raise RuntimeError(f"{name} must be integral")
        if state.modes.capture is None:
            given = given._array.reshape(-1).tolist()
        else:  # each is a check of the program
            given = [each.item() for each in given.reshape(-1).unbind()]
    found = tuple(int(v) for v in ([given] if isinstance(given, int) else given))
    if len(found) != n:
        raise RuntimeError(f"{name} must be of size batch_size")
    return found


_CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def _check_lengths(name: str, lengths: tuple[int, ...], most: int | None) -> None:
    for v in lengths:
        if v < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {v} {_CHECKING}")
        if most is not None and v > most:
            raise RuntimeError(f"Expected {name} to have value at most {most}, but got value {v} {_CHECKING}")


def _check_targets(targets: Any, n: int, target_lengths: tuple[int, ...]) -> None:
    what = f"for argument #2 'targets' {_CHECKING}"
    if targets.ndim == 1:
        if targets.size != sum(target_lengths):
            raise RuntimeError(
                f"Expected tensor to have size {sum(target_lengths)} at dimension 0, but got size {targets.size} {what}"
            )
    elif targets.ndim == 2:
        longest = max(target_lengths, default=0)
        if targets.shape[0] != n:
            raise RuntimeError(
                f"Expected tensor to have size {n} at dimension 0, but got size {targets.shape[0]} {what}"
            )
        width = targets.shape[1]
        if width < longest:
            raise RuntimeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {width} {what}"
            )
    else:
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor {what}")


@public("ctc_loss", overloads=True, autocast="full")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = NONE,
    zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Minus the logarithm of the probability of label sequences, over all ways to stretch them in time."""
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    if log_probs._array.dtype.kind != "f" or log_probs._array.itemsize < 4:
        raise not_for("ctc_loss_cpu", log_probs.dtype)
    if not log_probs._array.size:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.dim() != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument #1 'log_probs' "
            "(while checking arguments for ctc_loss_allocate_outputs)"
        )
    steps, n, classes = log_probs._array.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    lengths = _lengths("input_lengths", input_lengths, n)
    label_lengths = _lengths("target_lengths", target_lengths, n)
    if not batched and targets.dim() == 0:
        targets = targets.unsqueeze(0)
    _check_lengths("target_lengths", label_lengths, None)
    _check_targets(targets._array, n, label_lengths)
    _check_lengths("input_lengths", lengths, steps)
    if targets._array.dtype != np.int64:
        targets = targets.long()
    losses: Tensor = ctc_op(log_probs, targets, lengths, label_lengths, blank, zero_infinity)[0]
    if zero_infinity:
        from ..pointwise.selection import where  # loaded when first used

        losses = where(losses == float("inf"), 0.0, losses)
    if reduction == MEAN:
        counts = Tensor._wrap(np.maximum(np.asarray(label_lengths), 1).astype(losses._array.dtype))
        return (losses / counts).mean()
    if reduction != NONE:
        return losses.sum()
    return losses if batched else losses.squeeze(0)
