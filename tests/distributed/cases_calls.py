"""Random collectives: the same decisions in all ranks and on both libraries, other data in each rank."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

COUNT = 2000
DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool", "complex64", "complex128",
]  # fmt: skip
OPS = ["SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "AVG"]
CALLS = [
    "all_reduce", "all_reduce", "all_reduce", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "gather",
    "scatter", "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "send", "isend", "objects",
    "barrier", "wrong",
]  # fmt: skip


class Draw:
    """One call's decisions, its group, and tensors for it."""

    def __init__(self, torch: Any, number: int, rank: int, groups: list[Any]) -> None:
        self.torch, self.dist, self.rank = torch, torch.distributed, rank
        self.common = np.random.default_rng((7, number))
        self.own = np.random.default_rng((8, number, rank))
        self.call = CALLS[self.common.integers(len(CALLS))]
        self.dtype = DTYPES[self.common.integers(len(DTYPES))]
        self.op = OPS[self.common.integers(len(OPS))]
        if self.op == "AVG" and "float" not in self.dtype:
            self.op = "SUM"  # gloo refuses it only after a part of it is done, and may hang in a later call
        self.ranks, self.group = groups[self.common.integers(len(groups))]
        self.shape = tuple(self.common.integers(1, 5, self.common.integers(0, 4)).tolist())
        self.is_async = bool(self.common.integers(2))
        self.root = int(self.common.choice(self.ranks))

    def tensor(self, shape: Any = None) -> Any:
        values = self.own.integers(-3, 4, self.shape if shape is None else shape)
        if self.dtype.startswith("complex"):
            values = values + 1j * self.own.integers(-3, 4, values.shape)
        if self.dtype == "uint8":
            values = np.abs(values)
        return self.torch.tensor(values.tolist()).to(getattr(self.torch, self.dtype))

    def finish(self, work: Any) -> None:
        if self.is_async:
            assert work.wait()


def shown(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    if not hasattr(value, "dtype"):
        return value
    name = str(value.dtype)
    if "float16" in name:
        value = value.float()
    return name, np.array(value.tolist())


def result(d: Draw) -> Any:
    dist, size, kwargs = d.dist, len(d.ranks), {"group": d.group, "async_op": d.is_async}
    op = getattr(dist.ReduceOp, d.op)
    if d.call == "all_reduce":
        x = d.tensor()
        d.finish(dist.all_reduce(x, op=op, **kwargs))
        return x
    if d.call == "broadcast":
        x = d.tensor()
        d.finish(dist.broadcast(x, d.root, **kwargs))
        return x
    if d.call == "reduce":
        x = d.tensor()
        d.finish(dist.reduce(x, d.root, op=op, **kwargs))
        return x if d.rank == d.root else None
    if d.call == "all_gather":
        x = d.tensor()
        found = [d.torch.zeros_like(x) for _ in range(size)]
        d.finish(dist.all_gather(found, x, **kwargs))
        return found
    if d.call == "all_gather_into_tensor":
        x = d.tensor((3, 2))
        out = d.torch.zeros((3 * size, 2), dtype=x.dtype)
        d.finish(dist.all_gather_into_tensor(out, x, **kwargs))
        return out
    if d.call == "gather":
        x = d.tensor()
        found_at_root = [d.torch.zeros_like(x) for _ in range(size)] if d.rank == d.root else None
        d.finish(dist.gather(x, found_at_root, d.root, **kwargs))
        return found_at_root
    if d.call == "scatter":
        x = d.tensor()
        given = [d.tensor() for _ in range(size)] if d.rank == d.root else None
        d.finish(dist.scatter(x, given, d.root, **kwargs))
        return x
    if d.call == "reduce_scatter":
        out = d.tensor()
        d.finish(dist.reduce_scatter(out, [d.tensor() for _ in range(size)], op=op, **kwargs))
        return out
    if d.call == "reduce_scatter_tensor":
        out = d.tensor((2, 3))
        d.finish(dist.reduce_scatter_tensor(out, d.tensor((2 * size, 3)), op=op, **kwargs))
        return out
    if d.call == "all_to_all":
        found = [d.tensor() for _ in range(size)]
        d.finish(dist.all_to_all(found, [d.tensor() for _ in range(size)], **kwargs))
        return found
    if d.call == "all_to_all_single":
        splits = d.common.integers(1, 4, (size, size)).tolist()
        me = d.ranks.index(d.rank)
        sent, come = splits[me], [row[me] for row in splits]
        out = d.tensor((sum(come), 2))
        d.finish(dist.all_to_all_single(out, d.tensor((sum(sent), 2)), come, sent, **kwargs))
        return out
    if d.call in ("send", "isend"):
        return sent_around(d)
    if d.call == "objects":
        return objects(d)
    if d.call == "barrier":
        dist.barrier(d.group)
        return None
    return wrong(d)


def sent_around(d: Draw) -> Any:
    """Each to the next of the group."""
    size, me = len(d.ranks), d.ranks.index(d.rank)
    if size == 1:
        return None
    to, source, tag = d.ranks[(me + 1) % size], d.ranks[me - 1], int(d.common.integers(3))
    given, found = d.tensor(), d.tensor()
    if d.call == "isend":
        works = [
            d.dist.isend(given, to, group=d.group, tag=tag), d.dist.irecv(found, source, group=d.group, tag=tag)
        ]  # fmt: skip
        assert all(work.wait() for work in works)
        return found
    if me == 0:
        d.dist.send(given, to, group=d.group, tag=tag)
        return d.dist.recv(found, source, group=d.group, tag=tag), found
    heard = d.dist.recv(found, source, group=d.group, tag=tag)
    d.dist.send(given, to, group=d.group, tag=tag)
    return heard, found


def objects(d: Draw) -> Any:
    size = len(d.ranks)
    own = {"rank": d.rank, "number": d.own.integers(99).item(), "text": "x" * d.own.integers(5).item()}
    every: list[Any] = [None] * size
    d.dist.all_gather_object(every, own, d.group)
    listed = [own, d.rank]
    d.dist.broadcast_object_list(listed, d.root, d.group)
    at_root: list[Any] | None = [None] * size if d.rank == d.root else None
    d.dist.gather_object(own, at_root, d.root, d.group)
    part: list[Any] = [None]
    d.dist.scatter_object_list(part, [own] * size if d.rank == d.root else None, d.root, d.group)
    return every, listed, at_root, part


def wrong(d: Draw) -> Any:
    """What must be refused, by each rank for itself."""
    dist, x, size = d.dist, d.torch.ones(2), len(d.ranks)
    mistakes = [
        lambda: dist.all_reduce([1], group=d.group),
        lambda: dist.all_reduce(x + 1j, op=dist.ReduceOp.MAX, group=d.group),
        lambda: dist.all_reduce(x, op=dist.ReduceOp.BOR, group=d.group),
        lambda: dist.all_reduce(x.long(), op=dist.ReduceOp.AVG, group=d.group),
        lambda: dist.all_gather([x] * (size + 1), x, group=d.group),
        lambda: dist.all_gather([x.double()] * size, x, group=d.group),
        lambda: dist.all_gather([d.torch.ones(3)] * size, x, group=d.group),
        lambda: dist.broadcast(x, group=d.group),
        lambda: dist.broadcast(x, d.root, group=d.group, group_src=0),
        lambda: dist.gather(x, [x] * (size + 1), d.rank, group=d.group),
        lambda: dist.gather(x, None, d.rank, group=d.group),
        lambda: dist.scatter(x, None, d.rank, group=d.group),
        lambda: dist.scatter(x, [x] * (size + 1), d.rank, group=d.group),
        lambda: dist.reduce_scatter(x, [x] * (size + 1), group=d.group),
        lambda: dist.all_to_all([x] * (size + 1), [x] * (size + 1), group=d.group),
        lambda: dist.all_to_all_single(d.torch.ones(3), d.torch.ones(3), [3] * size, [1] * (size + 5), group=d.group),
        lambda: dist.all_to_all_single(x, x.double(), group=d.group),
        lambda: dist.send(x, d.rank, group=d.group),
        lambda: dist.send(x, group=d.group),
        lambda: dist.P2POp(dist.send, x, 0),
        lambda: dist.gather_object(1, None, d.rank, group=d.group),
        lambda: dist.scatter_object_list([], [1] * size, d.rank, group=d.group),
        lambda: dist.new_group([0, 99]),
        lambda: dist.new_group([0, 0]),
        lambda: dist.init_process_group("gloo"),
    ]
    return mistakes[d.common.integers(len(mistakes))]()


def random_calls(torch: Any, rank: int, size: int) -> list[Any]:
    warnings.simplefilter("ignore")
    groups: list[Any] = [(list(range(size)), None)]
    for ranks in ([0, 1], [1, 2], [0, 2], [2]):
        groups.append((ranks, torch.distributed.new_group(ranks)))
    found: list[Any] = []
    refused = dict.fromkeys((tuple(ranks) for ranks, _ in groups), False)
    for number in range(COUNT):
        draw = Draw(torch, number, rank, groups)
        if rank not in draw.ranks:
            found.append(None)
            continue
        members, what = tuple(draw.ranks), (draw.call, draw.dtype, draw.op)
        if draw.call == "barrier" and refused[members]:  # gloo's may raise once more what its threads still hold
            found.append((*what, None))
            continue
        try:
            found.append((*what, shown(result(draw))))
            refused[members] = False
        except Exception as error:
            found.append((*what, (type(error).__name__, str(error))))
            refused[members] = True
    return found
