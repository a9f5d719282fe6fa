"""``ZeroRedundancyOptimizer``: each process keeps the optimizer's state of its share of the parameters.

A step updates the own share and then gets the others' from their owners.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...optim.optimizer import Optimizer
from ..algorithms.join import JoinHook, _JoinConfig
from ..collectives import broadcast
from ..objects import gather_object
from ..process_group import ProcessGroup, default_group

__all__ = ["ZeroRedundancyOptimizer"]


class _ZeROJoinHook(JoinHook):
    """A process without data takes steps with the others, for they wait for its share."""

    def __init__(self, zero: ZeroRedundancyOptimizer) -> None:
        self.zero = zero

    def main_hook(self) -> None:
        self.zero.step()


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer of another class, of which each process holds a part."""

    def __init__(
        self, params: Any, optimizer_class: type[Optimizer], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: overlap_with_ddp is lacking")
        self.process_group: ProcessGroup = default_group() if process_group is None else process_group
        self._join_config = _JoinConfig.construct_disabled_join_config()
        self._whole: list[Any] = []
        self._begun = False
        super().__init__(params, defaults)
        self._optim_constructor, self._optim_defaults = optimizer_class, defaults
        self._share()
        self._begun = True

    # ---- whose parameter is whose

    def _share(self) -> None:
        """The largest parameters first, each to the process that has least so far: the same on all."""
        loads = [0] * self.process_group.size()
        self._owner: dict[Tensor, int] = {}
        for group in self.param_groups:
            for p in sorted(group["params"], key=lambda p: -p.numel()):
                rank = loads.index(min(loads))
                self._owner[p] = rank
                loads[rank] += p.numel()
        own = self.process_group.rank()
        mine = [
            {**group, "params": [p for p in group["params"] if self._owner[p] == own]} for group in self.param_groups
        ]
        if not any(group["params"] for group in mine):
            self.optim: Any = None
            return
        kept = getattr(self, "optim", None)
        self.optim = self._optim_constructor(mine, **self._optim_defaults)
        if kept is not None:
            self.optim.state.update({p: s for p, s in kept.state.items() if self._owner[p] == own})
        for whole, part in zip(self.param_groups, self.optim.param_groups):
            for name, value in part.items():
                if name != "params":
                    whole.setdefault(name, value)
        self.state = self.optim.state

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        super().add_param_group(param_group)
        if self._begun:
            self._share()

    # ---- a step

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update the own share, and get the others'."""
        from ..algorithms.join import Join  # loaded when first used

        Join.notify_join_context(self)
        loss = None
        if self.optim is not None:
            self._hand_settings(self.param_groups, self.optim.param_groups)
            loss = self.optim.step(closure=closure, **kwargs) if closure is not None else self.optim.step(**kwargs)
            self._hand_settings(self.optim.param_groups, self.param_groups)
        elif closure is not None:
            loss = closure()
        self._sync_params()
        return loss

    @staticmethod
    def _hand_settings(given: list[dict[str, Any]], taken: list[dict[str, Any]]) -> None:
        for source, target in zip(given, taken):
            for name, value in source.items():
                if name != "params":
                    target[name] = value

    def _sync_params(self) -> None:
        with no_grad():
            works = [
                broadcast(p, group=self.process_group, group_src=rank, async_op=True) for p, rank in self._owner.items()
            ]
            for work in works:
                assert work is not None
                work.wait()

    # ---- state

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring all state to one process; all call it."""
        own = None if self.optim is None else self.optim.state_dict()["state"]
        numbered = {}
        if own is not None:
            mine = [p for group in self.optim.param_groups for p in group["params"]]
            numbered = {self._number(p): own[i] for i, p in enumerate(mine) if i in own}
        is_target = self.process_group.ranks[self.process_group.rank()] == to
        found: list[Any] = [None] * self.process_group.size()
        gather_object(numbered, found if is_target else None, to, self.process_group)
        self._whole = found if is_target else []

    def _number(self, parameter: Tensor) -> int:
        return next(i for i, p in enumerate(self._parameters()) if p is parameter)

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def state_dict(self) -> dict[str, Any]:
        """All state, as the optimizer's own class would have it, where it was consolidated."""
        if not self._whole:
            rank = self.process_group.rank()
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={rank})` "
                "on all ranks beforehand if you meant to save the global state."
            )
        state = {i: s for part in self._whole for i, s in part.items()}
        numbers = {id(p): i for i, p in enumerate(self._parameters())}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the own share of a whole state, whoever wrote it: also the optimizer's own class, in one process."""
        given = copy.deepcopy(state_dict)
        own = self.process_group.rank()
        for group, saved in zip(self.param_groups, given["param_groups"]):
            for name, value in saved.items():
                if name != "params":
                    group[name] = value
        if self.optim is None:
            return
        parameters = self._parameters()
        mine = [i for i, p in enumerate(parameters) if self._owner[p] == own]
        local = {id(p): i for i, p in enumerate(p for group in self.optim.param_groups for p in group["params"])}
        state = {local[id(parameters[i])]: given["state"][i] for i in mine if i in given["state"]}
        groups = [
            {**{k: v for k, v in saved.items() if k != "params"}, "params": [local[id(p)] for p in group["params"]]}
            for saved, group in zip(given["param_groups"], self.optim.param_groups)
        ]
        self.optim.load_state_dict({"state": state, "param_groups": groups})
        self.state = self.optim.state

    # ---- processes that run out of data

    def join_hook(self, **kwargs: Any) -> JoinHook:
        return _ZeROJoinHook(self)

    @property
    def join_device(self) -> Any:
        return self._parameters()[0].device

    @property
    def join_process_group(self) -> Any:
        return self.process_group
