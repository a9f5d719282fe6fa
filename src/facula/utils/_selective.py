"""Selective checkpointing: a policy says for each operation whether its result is kept or computed again.

It works below autograd. In the forward pass the results that the policy wants are put aside, in order; when the
function runs again its operations find them there, and only the others' kernels run. The graph is made in both passes.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..ops.aten_calls import operator_of
from ..ops.machine.watcher import Watcher
from ._pytree import tree_flatten, tree_map_only, tree_unflatten


class CheckpointPolicy(enum.Enum):
    """What to do with an operation's result. There is one device here, so offloading is saving."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = frozenset(
    (
        CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, CheckpointPolicy.MUST_CPU_OFFLOAD,
        CheckpointPolicy.PREFER_CPU_OFFLOAD,
    )
)  # fmt: skip


class SelectiveCheckpointContext:
    """Tells a policy in which pass it is asked."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Entry:
    """A result that was put aside: arrays, and the version of the memory they are in."""

    __slots__ = ("arrays", "counters", "single", "versions")

    def __init__(self, outs: list[Any], single: bool) -> None:
        self.arrays = [t._array for t in outs]
        self.counters = [t._shared_counter() for t in outs]
        self.versions = [counter[0] for counter in self.counters]
        self.single = single

    def changed(self) -> bool:
        return any(counter[0] != version for counter, version in zip(self.counters, self.versions))


class _CustomEntry:
    """What a user's operator gave: tensors and other things, and the versions of the tensors."""

    def __init__(self, result: Any) -> None:
        self.leaves, self.spec = tree_flatten(tree_map_only(Tensor, Tensor.detach, result))
        self.versions = [t._version for t in self.leaves if isinstance(t, Tensor)]

    def changed(self) -> bool:
        return self.versions != [t._version for t in self.leaves if isinstance(t, Tensor)]

    def result(self) -> Any:
        return tree_unflatten([t.detach() if isinstance(t, Tensor) else t for t in self.leaves], self.spec)


_RECOMPUTE = object()
_CONSUMED = object()


class _Keeping(Watcher):
    """The first pass: asks the policy, and puts aside what it wants."""

    def __init__(self, policy: Callable[..., Any], kept: dict[str, list[Any]]) -> None:
        self.policy = policy
        self.kept = kept
        self.decisions: list[Any] = []

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        self.decisions.append(self._said(operator_of(op), *tensors, *attributes))
        return super().before(op, tensors, attributes)

    def _said(self, operator: Any, *args: Any, **kwargs: Any) -> Any:
        said = self.policy(SelectiveCheckpointContext(is_recompute=False), operator, *args, **kwargs)
        if isinstance(said, bool):
            said = CheckpointPolicy.MUST_SAVE if said else CheckpointPolicy.PREFER_RECOMPUTE
        return said

    def custom(self, op: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        keep = self._said(op.overload, *args, **kwargs) in _KEPT
        result = super().custom(op, run, args, kwargs)
        self.kept.setdefault(op.qualified, []).append(_CustomEntry(result) if keep else _RECOMPUTE)
        return result

    def after(self, op: Any, outs: list[Any]) -> None:
        keep = self.decisions.pop() in _KEPT
        self.kept.setdefault(op.name, []).append(_Entry(outs, op.outputs == 1) if keep else _RECOMPUTE)
        super().after(op, outs)


class _Using(Watcher):
    """The second pass: gives out what was put aside, once."""

    def __init__(self, kept: dict[str, list[Any]], allow_mutation: bool) -> None:
        self.kept = kept
        self.allow_mutation = allow_mutation

    def __enter__(self) -> Any:
        self.at: dict[str, int] = {}
        return super().__enter__()

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        entry = self._taken(op.name)
        if entry is _RECOMPUTE:
            return super().before(op, tensors, attributes)
        return entry.arrays[0] if entry.single else entry.arrays

    def custom(self, op: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        entry = self._taken(op.qualified)
        return super().custom(op, run, args, kwargs) if entry is _RECOMPUTE else entry.result()

    def _taken(self, name: str) -> Any:
        """What was put aside for the next call of an operator; it can be taken once."""
        entries, at = self.kept.get(name, []), self.at.get(name, 0)
        self.at[name] = at + 1
        entry: Any = entries[at] if at < len(entries) else _RECOMPUTE
        if entry is _RECOMPUTE:
            return entry
        if entry is _CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        entries[at] = _CONSUMED
        if entry.changed() and not self.allow_mutation:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return entry


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Contexts for the two passes of ``checkpoint(context_fn=...)``.

    The policy is a function of (context, operator, *args) that returns a CheckpointPolicy, or a list of operators whose
    results are to be kept.
    """
    if isinstance(policy_fn_or_list, list):
        from .._ops import OpOverload, OpOverloadPacket  # loaded when first used

        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                hint = ""
                if isinstance(op, OpOverloadPacket):
                    hint = (
                        "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                        "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {hint}"
                )
        kept_operators = set(policy_fn_or_list)

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in kept_operators else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept: dict[str, list[Any]] = {}
    return _Keeping(policy, kept), _Using(kept, allow_cache_entry_mutation)
