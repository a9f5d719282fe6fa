"""Hooks for buckets: average them, in their own precision or in a smaller one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....futures import Future
from ...buckets import GradBucket
from ...collectives import all_reduce
from ...process_group import ProcessGroup, default_group

__all__ = [
    "allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook", "fp16_compress_wrapper",
    "noop_hook",
]  # fmt: skip

Hook = Callable[[Any, GradBucket], Future[Any]]


def _group(process_group: Any) -> ProcessGroup:
    return process_group if isinstance(process_group, ProcessGroup) else default_group()


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """The average, which is what is done without a hook, too."""
    group = _group(process_group)
    work = all_reduce(bucket.buffer().div_(group.size()), group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: done.value()[0])


def _compressed(dtype: str, process_group: Any, bucket: GradBucket) -> Future[Any]:
    from .... import bfloat16, float16  # loaded when first used

    group = _group(process_group)
    buffer = bucket.buffer()
    small = buffer.to(float16 if dtype == "float16" else bfloat16).div_(group.size())
    work = all_reduce(small, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: buffer.copy_(done.value()[0]))


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """The average of gradients in half precision."""
    return _compressed("float16", process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """The average of gradients in bfloat16."""
    return _compressed("bfloat16", process_group, bucket)


def noop_hook(_: Any, bucket: GradBucket) -> Future[Any]:
    """Nothing is reduced: each process keeps its own gradients."""
    done: Future[Any] = Future()
    done.set_result(bucket.buffer())
    return done


def _wrapper(dtype: str, hook: Hook) -> Hook:
    def wrapped(state: Any, bucket: GradBucket) -> Future[Any]:
        from .... import bfloat16, float16  # loaded when first used

        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(float16 if dtype == "float16" else bfloat16).to(buffer.dtype))
        return hook(state, bucket)

    return wrapped


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """The hook, given gradients that were rounded to half precision."""
    return _wrapper("float16", hook)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """The hook, given gradients that were rounded to bfloat16."""
    return _wrapper("bfloat16", hook)
