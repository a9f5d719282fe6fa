"""Training in several processes: each rank takes every ``size``-th row of the batch."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import warnings
from typing import Any

import numpy as np

STEPS = 4


def filled(torch: Any, module: Any, seed: int = 0) -> Any:
    """The same weights on both libraries, in double precision."""
    rng = np.random.default_rng(seed)
    module = module.double()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.from_numpy(rng.standard_normal(tuple(p.shape)) * 0.3))
    return module


def batches(torch: Any, shape: tuple[int, ...], outputs: int, count: int = STEPS) -> list[Any]:
    rng = np.random.default_rng(1)
    return [
        (torch.from_numpy(rng.standard_normal((8, *shape))), torch.from_numpy(rng.standard_normal((8, outputs))))
        for _ in range(count)
    ]


def mlp(torch: Any) -> tuple[Any, tuple[int, ...], int]:
    nn = torch.nn
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)), (5,), 3


def cnn(torch: Any) -> tuple[Any, tuple[int, ...], int]:
    nn = torch.nn
    layers = [
        nn.Conv2d(1, 4, 3, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(36, 2),
    ]
    return nn.Sequential(*layers), (1, 8, 8), 2


def shared(torch: Any) -> tuple[Any, tuple[int, ...], int]:
    """One layer used twice, and a weight that two layers have."""

    class Shared(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = torch.nn.Linear(4, 4)
            self.b = torch.nn.Linear(4, 4)
            self.b.weight = self.a.weight
            self.last = torch.nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            return self.last(self.b(torch.tanh(self.a(torch.tanh(self.a(x))))))

    return Shared(), (4,), 2


def partly_used(torch: Any) -> tuple[Any, tuple[int, ...], int]:
    """One branch is taken by odd calls, one by even calls, one by nobody, and one by rank 0 alone."""

    class Partly(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.even, self.odd = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
            self.never, self.first = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
            self.last = torch.nn.Linear(3, 2)
            self.calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            h = (self.odd if self.calls % 2 else self.even)(x)
            if torch.distributed.get_rank() == 0:
                h = h + self.first(x)
            return self.last(torch.tanh(h))

    return Partly(), (4,), 2


def state(module: Any) -> dict[str, Any]:
    inner = getattr(module, "module", module)
    return {
        **{name: np.array(t.tolist()) for name, t in inner.state_dict().items()},
        **{
            f"grad of {name}": None if p.grad is None else np.array(p.grad.tolist())
            for name, p in inner.named_parameters()
        },
    }


def trained(torch: Any, make: Any, rank: int, size: int, accumulate: bool = False, **options: Any) -> dict[str, Any]:
    """After some steps of DistributedDataParallel."""
    module, shape, outputs = make(torch)
    model = torch.nn.parallel.DistributedDataParallel(filled(torch, module, seed=rank), **options)
    return stepped(torch, model, rank, size, shape, outputs, accumulate)


def alone(torch: Any, make: Any, accumulate: bool = False) -> dict[str, Any]:
    """After the same steps in one process, on whole batches."""
    module, shape, outputs = make(torch)
    return stepped(torch, filled(torch, module), 0, 1, shape, outputs, accumulate)


def stepped(
    torch: Any, model: Any, rank: int, size: int, shape: tuple[int, ...], outputs: int, accumulate: bool
) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    for i, (x, y) in enumerate(batches(torch, shape, outputs)):
        waits = accumulate and i % 2 == 0
        quiet = model.no_sync() if waits and hasattr(model, "no_sync") else contextlib.nullcontext()
        with quiet:
            ((model(x[rank::size]) - y[rank::size]) ** 2).mean().backward()
        if not waits:
            optimizer.step()
            optimizer.zero_grad(set_to_none=i % 3 == 0)
    x, y = batches(torch, shape, outputs)[0]
    ((model(x[rank::size]) - y[rank::size]) ** 2).mean().backward()
    return state(model)


def everything(torch: Any, rank: int, size: int) -> dict[str, Any]:
    """All kinds of training that both libraries are to agree on."""
    return {
        "mlp": trained(torch, mlp, rank, size),
        "mlp in small buckets": trained(torch, mlp, rank, size, bucket_cap_mb=0.0005),
        "mlp, gradients in buckets": trained(torch, mlp, rank, size, gradient_as_bucket_view=True),
        "mlp, static": trained(torch, mlp, rank, size, static_graph=True),
        "mlp, accumulated": trained(torch, mlp, rank, size, accumulate=True),
        "mlp, accumulated in buckets": trained(torch, mlp, rank, size, True, gradient_as_bucket_view=True),
        "cnn": trained(torch, cnn, rank, size),
        "shared": trained(torch, shared, rank, size),
        "partly used": trained(torch, partly_used, rank, size, find_unused_parameters=True),
        "hook": hooked(torch, rank, size),
        "uneven": uneven(torch, rank, size, True),
        "uneven, by those that are left": uneven(torch, rank, size, False),
        "refusals": refusals(torch, rank, size),
    }


def hooked(torch: Any, rank: int, size: int) -> dict[str, Any]:
    """With a communication hook that averages and then halves."""
    module, shape, outputs = mlp(torch)
    model = torch.nn.parallel.DistributedDataParallel(filled(torch, module))

    def halved(done: Any) -> Any:
        return done.value()[0] / 2

    # PyTorch asks for its own annotations, or none.
    halve: Any = lambda _, bucket: (
        torch.distributed.all_reduce(bucket.buffer().div_(size), async_op=True).get_future().then(halved)
    )
    model.register_comm_hook(None, halve)
    return stepped(torch, model, rank, size, shape, outputs, False)


def uneven(torch: Any, rank: int, size: int, divide_by_initial: bool) -> dict[str, Any]:
    """Rank r has r + 1 batches; a network with batch norm, so that buffers take part."""
    module, shape, _ = cnn(torch)
    model = torch.nn.parallel.DistributedDataParallel(filled(torch, module))
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    rng = np.random.default_rng(rank)
    with model.join(divide_by_initial_world_size=divide_by_initial):
        for _ in range(rank + 1):
            optimizer.zero_grad()
            x = torch.from_numpy(rng.standard_normal((4, *shape)))
            (model(x) ** 2).mean().backward()
            optimizer.step()
    inner = model.module
    return {name: np.array(t.tolist()) for name, t in inner.state_dict().items()}


def refusals(torch: Any, rank: int, size: int) -> list[Any]:
    """Types of errors, and how their messages begin."""
    nn, ddp = torch.nn, torch.nn.parallel.DistributedDataParallel
    unused = ddp(filled(torch, partly_used(torch)[0]))
    unused(torch.ones(2, 4).double()).sum().backward()
    mistakes = [
        lambda: ddp(nn.ReLU()),
        lambda: ddp(nn.Linear(2, 2), device_ids=[0]),
        lambda: ddp(nn.Linear(2, 2), device_ids=[0, 1]),
        lambda: unused(torch.ones(2, 4).double()),
        lambda: ddp(nn.Linear(2, 2)).register_comm_hook(None, 3),
    ]
    found: list[Any] = []
    for mistake in mistakes:
        try:
            mistake()
            found.append(None)
        except Exception as error:
            found.append((type(error).__name__, str(error)[:200]))
    return found


def in_one_process(torch: Any, rank: int, size: int) -> dict[str, Any]:
    return {
        "mlp": alone(torch, mlp),
        "mlp, accumulated": alone(torch, mlp, accumulate=True),
        "shared": alone(torch, shared),
    }


# ---- what PyTorch has on GPUs only, or nobody to compare with but one process


def sync_batch_norm(torch: Any, rank: int, size: int) -> Any:
    """Batch norm over the group, and the same over whole batches."""
    nn = torch.nn

    def run(model: Any, rank: int, size: int) -> dict[str, Any]:
        x, y = batches(torch, (1, 8, 8), 2)[0]
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            ((model(x[rank::size]) - y[rank::size]) ** 2).mean().backward()
            optimizer.step()
        return {name: t.numpy().copy() for name, t in getattr(model, "module", model).state_dict().items()}

    converted = nn.SyncBatchNorm.convert_sync_batchnorm(filled(torch, cnn(torch)[0]))
    together = run(nn.parallel.DistributedDataParallel(converted), rank, size)
    return together, run(filled(torch, cnn(torch)[0]), 0, 1)


def zero_redundancy(torch: Any, rank: int, size: int) -> Any:
    """Adam in shares, and Adam whole; the state goes to a plain optimizer and back."""
    from torch.distributed.optim import ZeroRedundancyOptimizer

    def run(zero: bool) -> Any:
        module = filled(torch, mlp(torch)[0])
        model = torch.nn.parallel.DistributedDataParallel(module)
        if zero:
            optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.05)
        else:
            optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        for x, y in batches(torch, (5,), 3):
            optimizer.zero_grad()
            ((model(x[rank::size]) - y[rank::size]) ** 2).mean().backward()
            optimizer.step()
        return model, optimizer

    (ours, zero), (theirs, plain) = run(True), run(False)
    counts = [None] * size
    torch.distributed.all_gather_object(counts, sum(len(group["params"]) for group in zero.optim.param_groups))
    zero.consolidate_state_dict(0)
    saved = [zero.state_dict() if rank == 0 else None]
    torch.distributed.broadcast_object_list(saved, 0)
    again = torch.optim.Adam(filled(torch, mlp(torch)[0]).parameters(), lr=0.05)
    again.load_state_dict(saved[0])
    moments = [np.array(s["exp_avg"].tolist()) for s in again.state.values()]
    zero.load_state_dict(plain.state_dict())
    return {
        "weights": (state(ours), state(theirs)),
        "moments": (moments, [np.array(s["exp_avg"].tolist()) for s in plain.state.values()]),
        "counts": counts,
    }


def derivatives(torch: Any, rank: int, size: int) -> dict[str, Any]:
    """Values and gradients of collectives, first and second."""
    warnings.simplefilter("ignore")
    import torch.distributed.nn.functional as functional

    rng = np.random.default_rng((3, rank))

    def leaf(*shape: int) -> Any:
        return torch.from_numpy(rng.standard_normal(shape)).requires_grad_()

    x = leaf(3, 2)
    found: dict[str, Any] = {}
    calls = {
        "all_reduce": lambda: [functional.all_reduce(x)],
        "all_gather": lambda: list(functional.all_gather(x)),
        "broadcast": lambda: [functional.broadcast(x, 0)],
        "reduce_scatter": lambda: [
            functional.reduce_scatter(torch.empty(3, 2).double(), [x * (k + 1) for k in range(size)])
        ],
        "gather": lambda: list(functional.gather(x, 0)),
        "scatter": lambda: [functional.scatter([x * (k + 1) for k in range(size)], 0)],
        "all_to_all": lambda: list(
            functional.all_to_all([torch.empty(3, 2).double() for _ in range(size)], [x * (k + 1) for k in range(size)])
        ),
        "all_to_all_single": lambda: [
            functional.all_to_all_single(torch.empty(size, 2).double(), torch.cat([x] * size)[:size])
        ],
    }
    for name, call in calls.items():
        values = call()
        loss = sum(((v * (i + 1)) ** 3).sum() for i, v in enumerate(values))
        (first,) = torch.autograd.grad(loss, x, create_graph=name in ("all_reduce", "all_gather"))
        second = None
        if first.requires_grad:
            (second,) = torch.autograd.grad((first**2).sum(), x)
        found[name] = [np.array(t.tolist()) for t in (*values, first, *([] if second is None else [second]))]
        found[f"{name}'s node"] = type(values[0].grad_fn).__name__
    return found


def samplers_and_seeds(torch: Any, rank: int, size: int) -> dict[str, Any]:
    """Which samples a rank sees, and what dropout does in it: other things in each, by the same seed."""
    from torch.utils.data.distributed import DistributedSampler

    sampler = DistributedSampler(range(11), seed=5)
    sampler.set_epoch(2)
    torch.manual_seed(rank)
    dropped = torch.nn.functional.dropout(torch.ones(64), 0.5)
    return {"indices": list(sampler), "dropped": dropped.tolist()}


def sharded_norm(torch: Any, rank: int, size: int) -> list[float]:
    """The norm of gradients of which each rank has a part."""
    part = torch.nn.Parameter(torch.zeros(3))
    part.grad = torch.arange(3.0) + 3 * rank
    squares = torch.nn.utils.get_total_norm([part.grad]) ** 2
    torch.distributed.all_reduce(squares)
    norm = squares.sqrt()
    torch.nn.utils.clip_grads_with_norm_([part], 1.0, norm)
    return [norm.item(), *part.grad.tolist()]


def meshes(torch: Any, rank: int, size: int) -> Any:
    """A grid of ranks."""
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("rows", "columns"))
    x = torch.tensor([float(rank)])
    torch.distributed.all_reduce(x, group=mesh.get_group("columns"))
    sub = mesh["rows"]
    tensor = importlib.import_module(f"{torch.__name__}.distributed.tensor")
    parts = importlib.import_module(f"{tensor.__name__}._utils").compute_local_shape_and_global_offset
    shard, replicate = tensor.Shard, tensor.Replicate
    placed = [parts((5, 7), mesh, p) for p in ((shard(0), shard(1)), (shard(0), shard(0)), (replicate(), shard(-1)))]
    return (
        placed,
        mesh.mesh.tolist(), mesh.get_coordinate(), mesh.get_local_rank("rows"), x.item(), sub.mesh.tolist(), sub.size(),
        mesh.shape,
    )  # fmt: skip


def states_by_names(torch: Any, rank: int, size: int) -> Any:
    """States of a wrapped model have the names of the bare one; rank 0 gives its own to all."""
    module = importlib.import_module(f"{torch.__name__}.distributed.checkpoint.state_dict")
    torch.manual_seed(rank)
    model = torch.nn.Linear(2, 1)
    wrapped = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.5, momentum=0.5)
    wrapped(torch.ones(1, 2) * (rank + 1)).sum().backward()
    optimizer.step()
    whole = module.StateDictOptions(full_state_dict=True, cpu_offload=True)
    states = module.get_state_dict(wrapped, optimizer, options=whole)
    names = [list(states[0]), list(states[1]), list(states[1].get("state", {}))]
    own = module.get_state_dict(wrapped, optimizer)
    with torch.no_grad():
        model.weight.add_(rank + 1)
    given = {name: value + 10 for name, value in own[0].items()} if rank == 0 else {}
    module.set_model_state_dict(
        wrapped, given, options=module.StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    )
    module.set_optimizer_state_dict(wrapped, optimizer, own[1])
    groups = [{key: group[key] for key in ("lr", "momentum", "params")} for group in own[1]["param_groups"]]
    momentum = optimizer.state[model.weight]["momentum_buffer"]
    return [names, list(own[0]), groups, model.weight.tolist(), momentum.tolist()]


def stores(torch: Any, rank: int, size: int) -> Any:
    """Keys that ranks share."""
    dist = torch.distributed
    store = dist.PrefixStore("here", dist.TCPStore("localhost", 29400, size, rank == 0))
    store.set(f"rank {rank}", str(rank))
    values = [store.get(f"rank {r}") for r in range(size)]
    store.add("count", rank + 1)
    dist.barrier()
    total = store.add("count", 0)
    local = dist.HashStore()
    local.set("a", "1")
    swapped = local.compare_set("a", "1", "2")
    return values, total, swapped, local.check(["a", "b"]), local.delete_key("a"), local.num_keys()


def functional_collectives(torch: Any, rank: int, size: int) -> list[Any]:
    import torch.distributed._functional_collectives as functional

    world = torch.distributed.group.WORLD
    x = torch.arange(4.0).reshape(2, 2) + rank
    return [
        functional.wait_tensor(each).tolist()
        for each in (
            functional.all_reduce(x, "sum", world),
            functional.all_reduce(x, "avg", world),
            functional.all_gather_tensor(x, 1, world),
            functional.reduce_scatter_tensor(torch.arange(2.0 * size) + rank, "sum", 0, world),
            functional.all_to_all_single(torch.arange(1.0 * size) + rank, None, None, world),
            functional.broadcast(x, 0, world),
        )
    ]


def handles(torch: Any, rank: int, size: int) -> Any:
    """What a handle tells, and a batch of sends."""
    dist = torch.distributed
    x = torch.ones(3) * (rank + 1)
    work = dist.all_reduce(x, async_op=True)
    later = work.get_future().then(lambda done: done.value()[0].sum())
    told = [work.wait(), later.wait().item(), work.is_completed()]
    ring = [
        dist.P2POp(dist.isend, torch.full((2,), float(rank)), (rank + 1) % size),
        dist.P2POp(dist.irecv, (heard := torch.zeros(2)), (rank - 1) % size),
    ]
    for each in dist.batch_isend_irecv(ring):
        each.wait()
    dist.monitored_barrier()
    listed = list(itertools.chain.from_iterable([told, heard.tolist()]))
    subgroup, every = dist.new_subgroups(2)
    return listed, dist.get_process_group_ranks(subgroup), len(every), dist.get_world_size(subgroup)
