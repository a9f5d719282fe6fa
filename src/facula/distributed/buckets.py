"""Gradients on their way: buckets of parameters, reduced while ``backward()`` goes on.

A bucket is one array with room for the gradients of some parameters. When the last of them has been computed the
bucket is given to MPI, and the pass goes on; at its end all buckets are waited for. Buckets go out in the same order
everywhere. At first it is the reverse of the order in which the module holds its parameters; after the first pass,
the order in which rank 0 saw their gradients.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd import engine
from ..futures import Future
from .collectives import all_reduce, broadcast
from .process_group import ProcessGroup
from .work import Work

__all__ = ["BuiltinCommHookType", "GradBucket", "Reducer"]

FIRST_BYTES = 1 << 20
"""The first bucket is small, so that something is under way soon; and a parameter of that size has its own."""

Hook = Callable[[Any, "GradBucket"], Future[Any]]


class BuiltinCommHookType(enum.Enum):
    ALLREDUCE = 1
    FP16_COMPRESS = 2


class GradBucket:
    """What a communication hook is given."""

    def __init__(self, bucket: Bucket, index: int, is_last: bool) -> None:
        self._bucket, self._index, self._is_last = bucket, index, is_last

    def index(self) -> int:
        return self._index

    def buffer(self) -> Tensor:
        """All gradients, flat."""
        return Tensor._wrap(self._bucket.memory)

    def gradients(self) -> list[Tensor]:
        return [Tensor._wrap(view) for view in self._bucket.views]

    def parameters(self) -> list[Tensor]:
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        return self._is_last

    def set_buffer(self, buffer: Tensor) -> None:
        self._bucket.memory[...] = buffer._array.reshape(-1)


class Bucket:
    """Some parameters of one dtype, and room for their gradients."""

    def __init__(self, numbers: Sequence[int], parameters: Sequence[Tensor]) -> None:
        self.numbers = list(numbers)
        self.parameters = list(parameters)
        self.missing = set(self.numbers)
        self.under_way: Work | Future[Any] | None = None
        self.gradient: Any = None
        """The gradient of the only parameter, where it is reduced in its own memory and nothing is copied."""

    @cached_property
    def memory(self) -> Any:
        return np.zeros(sum(p._array.size for p in self.parameters), self.parameters[0]._array.dtype)

    @cached_property
    def views(self) -> list[Any]:
        """The parts of it, by parameter."""
        ends = np.cumsum([p._array.size for p in self.parameters])
        return [
            self.memory[end - p._array.size : end].reshape(p._array.shape) for end, p in zip(ends, self.parameters)
        ]


def assigned(order: Sequence[int], parameters: Sequence[Tensor], cap: int) -> list[Bucket]:
    """Buckets of parameters in an order, each of one dtype, none larger than allowed unless by its only parameter."""
    buckets: list[Bucket] = []
    open_: dict[Any, tuple[list[int], int]] = {}
    limit = min(FIRST_BYTES, cap)
    for i in order:
        if parameters[i]._array.nbytes >= FIRST_BYTES:
            buckets.append(Bucket([i], [parameters[i]]))
            continue
        dtype = parameters[i]._array.dtype
        members, size = open_.pop(dtype, ([], 0))
        members.append(i)
        size += parameters[i]._array.nbytes
        if size >= limit:
            buckets.append(Bucket(members, [parameters[j] for j in members]))
            limit = cap
        else:
            open_[dtype] = (members, size)
    for members, _ in open_.values():
        buckets.append(Bucket(members, [parameters[j] for j in members]))
    return buckets


class Reducer:
    """Averages gradients over a group, pass by pass."""

    def __init__(
        self, parameters: Sequence[Tensor], names: Sequence[str], group: ProcessGroup, cap: int,
        find_unused: bool, as_views: bool, static: bool,
    ) -> None:  # fmt: skip
        self.parameters, self.names, self.group, self.cap = list(parameters), list(names), group, cap
        self.find_unused, self.as_views, self.static = find_unused, as_views, static
        self.buckets = assigned(range(len(parameters))[::-1], parameters, cap)
        self._place_parameters()
        self.hook: tuple[Any, Hook] | None = None
        self.divisor = group.size()
        self.expects = False
        self.used: set[int] = set()
        self.arrivals: list[int] = []
        self.counts: dict[int, int] | None = None
        self.fired: dict[int, int] = {}
        self.next = 0
        self.is_running = False
        self.passes = 0
        for i, p in enumerate(parameters):
            p.register_post_accumulate_grad_hook(self._hook_of(i))

    def _place_parameters(self) -> None:
        self.place = {i: (bucket, k) for bucket in self.buckets for k, i in enumerate(bucket.numbers)}

    def _hook_of(self, i: int) -> Callable[[Tensor], None]:
        def arrived(parameter: Tensor) -> None:
            if self.expects:
                self._arrived(i)

        return arrived

    # ---- before a pass

    def prepare(self, outputs: Sequence[Tensor] | None) -> None:
        """A pass that is to be reduced comes next; ``outputs`` are searched for what it will not reach."""
        self._complain_of_missing()
        self.expects, self.is_running, self.next = True, False, 0
        self.fired, self.arrivals = {}, []
        for bucket in self.buckets:
            bucket.missing, bucket.under_way, bucket.gradient = set(bucket.numbers), None, None
        self.used = set(range(len(self.parameters)))
        if self.static:
            if self.counts is not None:
                self.used = set(self.counts)
        elif self.find_unused and outputs is not None:
            reached = reached_parameters(outputs)
            self.used = {i for i, p in enumerate(self.parameters) if id(p) in reached}

    def _complain_of_missing(self) -> None:
        if not (self.expects and self.is_running):
            return
        missing = sorted(i for bucket in self.buckets for i in bucket.missing)
        raise RuntimeError(
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates "
            "that your module has parameters that were not used in producing loss. You can enable unused parameter "
            "detection by passing the keyword argument `find_unused_parameters=True` to "
            "`torch.nn.parallel.DistributedDataParallel`, and by \nmaking sure all `forward` function outputs "
            "participate "
            "in calculating loss.\n"
            f"Parameters which did not receive grad for rank {self.group.rank()}: "
            f"{', '.join(self.names[i] for i in missing)}\n"
            f"Parameter indices which did not receive grad for rank {self.group.rank()}: {' '.join(map(str, missing))}"
        )

    def _mark_unused(self, i: int) -> None:
        bucket, k = self.place[i]
        bucket.views[k][...] = 0
        self._ready(bucket, i)

    def _rebuild(self) -> None:
        """After the first pass: buckets in the order in which rank 0 saw the gradients."""
        self.passes += 1
        if self.passes > 1 or self.find_unused or self.static:
            return
        known = self.arrivals if len(self.arrivals) == len(self.parameters) else list(self.place)
        order = Tensor._wrap(np.array(known, np.int64))
        broadcast(order, group=self.group, group_src=0)
        self.buckets = assigned(order._array.tolist(), self.parameters, self.cap)
        self._place_parameters()

    # ---- during a pass

    def _arrived(self, i: int) -> None:
        if not self.is_running:
            self.is_running = True
            engine.queue_callback(self._finish)
            for unused in range(len(self.parameters)):
                if unused not in self.used:
                    self._mark_unused(unused)
        self.fired[i] = self.fired.get(i, 0) + 1
        if self.static:
            if self.counts is None or self.fired[i] < self.counts.get(i, 1):
                return
        elif self.fired[i] > 1:
            raise RuntimeError(
                "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
                "1) Use "
                "of a module parameter outside the `forward` function. 2) Reused parameters in multiple reentrant "
                "backward "
                f"passes. Parameter at index {i} with name {self.names[i]} has been marked as ready twice."
            )
        self._take(i)

    def _take(self, i: int) -> None:
        """A gradient into its bucket."""
        self.arrivals.append(i)
        bucket, k = self.place[i]
        parameter = self.parameters[i]
        grad = parameter.grad
        if grad is not None and self._is_reduced_in_place(bucket, grad._array):
            bucket.gradient = np.multiply(grad._array, 1 / self.divisor, out=grad._array)
            self._ready(bucket, i)
            return
        view = bucket.views[k]
        if grad is None:
            view[...] = 0
        elif self.hook is not None:
            if grad._array is not view:
                np.copyto(view, grad._array)
        else:
            np.multiply(grad._array, 1 / self.divisor, out=view, casting="same_kind")
        if grad is not None and self.as_views and grad._array is not view:
            parameter.grad = Tensor._wrap(view)
        self._ready(bucket, i)

    def _is_reduced_in_place(self, bucket: Bucket, array: Any) -> bool:
        flags = array.flags
        is_plain = flags.c_contiguous and flags.writeable and array.dtype == bucket.parameters[0]._array.dtype
        return len(bucket.parameters) == 1 and self.hook is None and not self.as_views and is_plain

    def _ready(self, bucket: Bucket, i: int) -> None:
        bucket.missing.discard(i)
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self._start(self.next)
            self.next += 1

    def _start(self, index: int) -> None:
        bucket = self.buckets[index]
        if self.hook is None:
            given = bucket.memory if bucket.gradient is None else bucket.gradient
            bucket.under_way = all_reduce(Tensor._wrap(given), group=self.group, async_op=True)
        else:
            state, hook = self.hook
            bucket.under_way = hook(state, GradBucket(bucket, index, index == len(self.buckets) - 1))

    # ---- after a pass

    def _finish(self) -> None:
        if self.static and self.counts is None:
            self.counts = dict(self.fired)
            for i in range(len(self.parameters)):
                if i in self.counts:
                    self._take(i)
                else:
                    self._mark_unused(i)
            self.used = set(self.counts)
        if self.next < len(self.buckets):
            return  # something is missing: the next forward pass tells
        everywhere = self._used_anywhere()
        for bucket in self.buckets:
            self._collect(bucket)
            if bucket.gradient is None:
                for i, parameter, view in zip(bucket.numbers, bucket.parameters, bucket.views):
                    if i in everywhere:
                        self._give(parameter, view)
        self.expects = self.is_running = False
        self._rebuild()

    def _used_anywhere(self) -> set[int]:
        """A parameter that no rank has used keeps the gradient that it had."""
        if not (self.find_unused or self.static):
            return set(range(len(self.parameters)))
        if self.static and len(self.used) == len(self.parameters):
            return self.used
        used = np.zeros(len(self.parameters), np.int32)
        used[list(self.used)] = 1
        all_reduce(Tensor._wrap(used), group=self.group)
        return set(np.flatnonzero(used).tolist())

    def _collect(self, bucket: Bucket) -> None:
        """Wait for a bucket, and put what a hook made of it into it."""
        under_way = bucket.under_way
        bucket.under_way = None
        if isinstance(under_way, Work):
            under_way.wait()
            return
        assert under_way is not None
        result = under_way.wait()
        if isinstance(result, (list, tuple)):
            result = result[0]
        if result._array is not bucket.memory:
            np.copyto(bucket.memory, result._array.reshape(-1), casting="unsafe")

    def _give(self, parameter: Tensor, view: Any) -> None:
        grad = parameter.grad
        if self.as_views:
            if grad is None or grad._array is not view:
                parameter.grad = Tensor._wrap(view)
        elif grad is None:
            parameter.grad = Tensor._wrap(view.copy())
        else:
            np.copyto(grad._array, view)

    def match(self) -> None:
        """What a process does that has no more data, while others run backward: buckets of zeros."""
        for index, bucket in enumerate(self.buckets):
            bucket.memory[...], bucket.gradient = 0, None
            self._start(index)
        self.used = set()
        self._used_anywhere()
        for bucket in self.buckets:
            self._collect(bucket)
        self.arrivals = []
        self._rebuild()


def reached_parameters(outputs: Sequence[Tensor]) -> set[int]:
    """The ids of the leaves that a backward pass from here would give gradients to."""
    waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
    found = {id(t) for t in outputs if t.is_leaf and t.requires_grad}
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found
