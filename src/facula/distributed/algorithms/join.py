"""``Join``: processes that run out of data shadow the collectives of those that have not, until all have.

Before each step every process that still has data sums a one over the group (``notify_join_context``). A process
without data takes part in these sums with a zero: as long as the sum is not zero it runs the hooks of what takes
part, which make the collectives that the others make.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, NamedTuple

__all__ = ["Join", "JoinHook", "Joinable"]


class JoinHook:
    """What a process without data does at each step of the others, and when nobody has any."""

    def main_hook(self) -> None:
        """At each step: the same collectives as the others."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """At the end; some were the last to have data."""


class _JoinConfig(NamedTuple):
    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config() -> _JoinConfig:
        return _JoinConfig(enable=False, throw_on_early_termination=False, is_first_joinable=False)


class Joinable(ABC):
    """What can take part: it has a hook, a device and a group."""

    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook: ...

    @property
    @abstractmethod
    def join_device(self) -> Any: ...

    @property
    @abstractmethod
    def join_process_group(self) -> Any: ...


class Join:
    """The context in which processes may have different numbers of batches."""

    def __init__(
        self, joinables: list[Any], enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        for i, joinable in enumerate(joinables):
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)
        groups = {id(joinable.join_process_group): joinable.join_process_group for joinable in joinables}
        if len(groups) > 1:
            raise ValueError("Using join context manager with multiple process groups")
        (self._process_group,) = groups.values()

    def __enter__(self) -> Join:
        return self

    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        if not self._enable or type is not None:
            return None
        is_last, steps = True, 0
        while (active := self._count(0)) > 0:
            if self._throw_on_early_termination:
                self._flag_early_end(1)
                raise RuntimeError(f"Rank {self._process_group.rank()} exhausted all inputs.")
            steps += 1
            if steps == 1000:
                warnings.warn(
                    f"Rank {self._process_group.rank()} has at least 1000 steps fewer than {active} other ranks",
                    stacklevel=2,
                )
            is_last = False
            for hook in self._join_hooks:
                hook.main_hook()
        for hook in self._join_hooks:
            hook.post_hook(is_last)
        for joinable in self._joinables:
            joinable._join_config = _JoinConfig.construct_disabled_join_config()
        return None

    def _count(self, own: int) -> int:
        from ... import tensor  # loaded when first used
        from .. import all_reduce  # loaded when first used

        active = tensor([float(own)])
        all_reduce(active, group=self._process_group)
        return int(active)

    def _flag_early_end(self, own: int) -> int:
        from ... import tensor  # loaded when first used
        from .. import all_reduce  # loaded when first used

        ended = tensor([float(own)])
        all_reduce(ended, group=self._process_group)
        return int(ended)

    @staticmethod
    def notify_join_context(joinable: Any) -> Any:
        """Say that this process still has data: a handle, or None where no context is open or another one speaks."""
        from ... import ones, zeros  # loaded when first used
        from .. import all_reduce  # loaded when first used

        config = getattr(joinable, "_join_config", None)
        if config is None:
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        if not config.is_first_joinable or not config.enable:
            return None
        group = joinable.join_process_group
        work = all_reduce(ones(1), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = zeros(1)
            all_reduce(ended, group=group)
            if int(ended):
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work


class _DDPJoinHook(JoinHook):
    """DistributedDataParallel's: it averages zeros with the others, and gets the last one's parameters at the end."""

    def __init__(self, ddp: Any, divides_by_initial_size: bool) -> None:
        self.ddp = ddp
        ddp._divides_by_initial_size = divides_by_initial_size

    def main_hook(self) -> None:
        from ... import zeros  # loaded when first used
        from .. import all_reduce  # loaded when first used

        ddp = self.ddp
        if not ddp._divides_by_initial_size:
            all_reduce(zeros(1), group=ddp.process_group)
        if ddp.will_sync_module_buffers():
            ddp._broadcast(ddp._buffers_to_sync, ddp._last_of(ddp.process_group.rank(), False))
        syncs = ddp._backward_will_sync(False)
        ddp.require_forward_param_sync = syncs
        if syncs:
            ddp.reducer.match()

    def post_hook(self, is_last_joiner: bool) -> None:
        ddp = self.ddp
        source = ddp._last_of(ddp.process_group.rank(), is_last_joiner)
        ddp._broadcast([*ddp.module.parameters(), *ddp.module.buffers()], source)
        ddp.reducer.divisor = ddp.process_group.size()
