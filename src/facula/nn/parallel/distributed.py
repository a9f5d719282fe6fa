"""``DistributedDataParallel``: a module in several processes, whose gradients are averaged over all of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ...autograd.grad_mode import is_grad_enabled, no_grad
from ..modules.module import Module

if TYPE_CHECKING:
    from ...distributed.algorithms.join import JoinHook

__all__ = ["DistributedDataParallel"]

MEGABYTE = 1 << 20


class DistributedDataParallel(Module):
    """A module whose parameters and buffers begin equal in all processes of a group, and whose gradients are averaged
    while ``backward()`` computes them; see ``distributed.buckets``."""

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool | None = None, init_sync: bool = True, process_group: Any = None,
        bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False,
        gradient_as_bucket_view: bool = False, static_graph: bool = False, delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None, mixed_precision: Any = None, device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False, bucket_cap_mb_list: Any = None, batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        from ...distributed import process_group as groups  # loaded when first used
        from ...distributed.algorithms.join import _JoinConfig  # loaded when first used
        from ...distributed.buckets import Reducer  # loaded when first used

        super().__init__()
        if process_group is not None and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        if device_mesh is not None:
            process_group = device_mesh.get_group()
        found = groups.resolved(process_group)
        if found is None:
            raise ValueError("this process is not in the group that was given")
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        if device_ids or output_device is not None:
            devices = {p.device for p in module.parameters()}
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with "
                "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                f"{device_ids}, output_device {output_device}, and module parameters {devices}."
            )
        if mixed_precision is not None or delay_all_reduce_named_params is not None:
            raise NotImplementedError("DistributedDataParallel: mixed_precision and delayed parameters are lacking")
        self.process_group = found
        self.module = module
        self.device = next(iter(module.parameters())).device
        self.device_type = "cpu"
        self.device_ids = self.output_device = None
        self.dim = dim
        self.broadcast_buffers = True if broadcast_buffers is None else broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.bucket_bytes_cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * MEGABYTE)
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._join_config = _JoinConfig.construct_disabled_join_config()
        self._comm_hooks: list[tuple[Any, Any]] = []
        named = [
            (name, p)
            for name, p in module.named_parameters()
            if p.requires_grad and name not in self.parameters_to_ignore
        ]
        if init_sync:
            self._verify_parameters([p for _, p in named])
            self._sync_module_states()
        self.reducer = Reducer(
            [p for _, p in named], [name for name, _ in named], found, self.bucket_bytes_cap, find_unused_parameters,
            gradient_as_bucket_view, static_graph,
        )  # fmt: skip

    # ---- equal beginnings

    def _verify_parameters(self, parameters: list[Tensor]) -> None:
        from ...distributed.objects import all_gather_object  # loaded when first used

        shapes: list[Any] = [None] * self.process_group.size()
        all_gather_object(shapes, [tuple(p.shape) for p in parameters], self.process_group)
        own = self.process_group.rank()
        for rank, others in enumerate(shapes):
            if len(others) != len(shapes[own]):
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {own} has {len(shapes[own])} params, while "
                    "rank "
                    f"{rank} has inconsistent {len(others)} params."
                )
            for i, (mine, other) in enumerate(zip(shapes[own], others)):
                if mine != other:
                    raise RuntimeError(
                        f"[{own}]: params[{i}] in this process with sizes {list(mine)} appears not to match sizes of "
                        "the "
                        f"same param in process {rank}."
                    )

    def _sync_module_states(self) -> None:
        states = [
            t
            for name, t in (*self.module.named_parameters(), *self.module.named_buffers())
            if name not in self.parameters_to_ignore
        ]
        self._broadcast(states, 0)

    def _broadcast(self, tensors: list[Tensor], source: int) -> None:
        from ...distributed.collectives import broadcast  # loaded when first used

        with no_grad():
            works = [broadcast(t, group=self.process_group, group_src=source, async_op=True) for t in tensors]
            for work in works:
                assert work is not None
                work.wait()

    @property
    def _buffers_to_sync(self) -> list[Tensor]:
        return [b for name, b in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def will_sync_module_buffers(self) -> bool:
        return self.require_forward_param_sync and self.broadcast_buffers and bool(self._buffers_to_sync)

    def _sync_buffers(self) -> None:
        """Rank 0's, or where some have joined already, those of a rank that has not."""
        source = 0
        if self._join_config.enable:
            source = self._last_of(self.process_group.rank(), True)
        self._broadcast(self._buffers_to_sync, source)

    def _last_of(self, rank: int, is_candidate: bool) -> int:
        """The highest rank that is a candidate."""
        from ... import tensor  # loaded when first used
        from ...distributed import ReduceOp, all_reduce  # loaded when first used

        found = tensor([rank if is_candidate else -1])
        all_reduce(found, ReduceOp.MAX, self.process_group)
        if int(found) == -1:
            raise ValueError("BUG! Expected rank_cond to be true for at least one process.")
        return int(found)

    # ---- a pass

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        reduces = is_grad_enabled() and self.require_backward_grad_sync
        if self._join_config.enable:
            self._notify_joined()
        if self.will_sync_module_buffers():
            self._sync_buffers()
        if self._join_config.enable:
            self._backward_will_sync(True)
        output = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = reduces
        if reduces:
            search = self.find_unused_parameters and not self.static_graph
            self.reducer.prepare(_tensors_in(output) if search else None)
        return output

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients add up in each process; the first pass outside of it reduces them."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None:
        """Have ``hook(state, bucket)`` say how a bucket becomes what all get: a Future of its new content."""
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self._comm_hooks:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._comm_hooks.append((hook, state))
        self.reducer.hook = (state, hook)

    def _register_builtin_comm_hook(self, comm_hook_type: Any) -> None:
        from ...distributed.algorithms.ddp_comm_hooks import default_hooks  # loaded when first used

        hooks = {1: default_hooks.allreduce_hook, 2: default_hooks.fp16_compress_hook}
        self.register_comm_hook(self.process_group, hooks[comm_hook_type.value])

    def _set_static_graph(self) -> None:
        self.static_graph = self.reducer.static = True

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        return {"world_size": self.process_group.size(), "bucket_cap_bytes": self.bucket_bytes_cap}

    # ---- processes that run out of data

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Any:
        """A context in which processes may have different numbers of batches."""
        from ...distributed.algorithms.join import Join  # loaded when first used

        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        from ...distributed.algorithms.join import _DDPJoinHook  # loaded when first used

        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        return self.device

    @property
    def join_process_group(self) -> Any:
        return self.process_group

    def _notify_joined(self) -> None:
        from ... import ones  # loaded when first used
        from ...distributed import all_reduce  # loaded when first used
        from ...distributed.algorithms.join import Join  # loaded when first used

        Join.notify_join_context(self)
        if not self._divides_by_initial_size:
            active = ones(1)
            all_reduce(active, group=self.process_group)
            self.reducer.divisor = int(active)

    _divides_by_initial_size = True

    def _backward_will_sync(self, is_active: bool) -> bool:
        """Tell those that have joined whether this pass is reduced, or be told."""
        from ... import tensor  # loaded when first used
        from ...distributed import all_reduce  # loaded when first used

        syncs = tensor([int(is_active and is_grad_enabled() and self.require_backward_grad_sync)])
        all_reduce(syncs, group=self.process_group)
        return bool(syncs)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("process_group", "reducer"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from ...distributed import process_group as groups  # loaded when first used
        from ...distributed.buckets import Reducer  # loaded when first used

        super().__setstate__(state)
        self.process_group = groups.default_group()
        named = [(name, p) for name, p in self.module.named_parameters() if p.requires_grad]
        self.reducer = Reducer(
            [p for _, p in named], [name for name, _ in named], self.process_group, self.bucket_bytes_cap,
            self.find_unused_parameters, self.gradient_as_bucket_view, self.static_graph,
        )  # fmt: skip


def _tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    elif hasattr(value, "__dataclass_fields__"):
        value = [getattr(value, name) for name in value.__dataclass_fields__]
    if isinstance(value, (list, tuple, set)):
        return [t for each in value for t in _tensors_in(each)]
    return []
