"""Datasets, samplers, batches: what is the same from run to run, in one process."""

from __future__ import annotations

import collections

import numpy as np

from .observe import case, error, plain, see, warned

Pair = collections.namedtuple("Pair", "a b")


def parts(torch):
    data = torch.utils.data

    class Count(data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    class Sized(Count):
        def __len__(self):
            return 3

    class Many(data.Dataset):
        def __getitem__(self, i):
            return i

        def __len__(self):
            return 6

        def __getitems__(self, indices):
            return [i * 10 for i in indices][:-1]

    return data, Count, Sized, Many


@case
def datasets(torch):
    data, count, sized, _ = parts(torch)
    x = torch.arange(6)
    ds = data.TensorDataset(x, x * 2)
    both = data.ConcatDataset([ds, ds])
    subset = data.Subset(ds, [3, 1])
    return see(torch, [
        ds[1], ds[1:3], len(ds), both[-1], both[7], both.cumulative_sizes, len(ds + ds),
        data.StackDataset(ds, [1, 2, 3, 4, 5, 6])[2], data.StackDataset(a=ds, b=x)[2],
        data.StackDataset(ds, x).__getitems__([1, 2]), data.StackDataset(a=x).__getitems__([1, 2]),
        subset[0], subset[[0, 1]], subset.__getitems__([0, 1]), len(subset),
        list(data.ChainDataset([count(), count()])), list(count() + count()),
        len(data.ChainDataset([sized(), sized()])),
    ])  # fmt: skip


@case
def wrong_datasets(torch):
    data, count, _, many = parts(torch)
    x = torch.arange(6)
    ds = data.TensorDataset(x)
    both = data.ConcatDataset([ds, ds])
    return [error(f) for f in (
        lambda: data.TensorDataset(x, torch.ones(3)),
        lambda: data.Dataset()[0],
        lambda: len(data.Dataset()),
        lambda: data.Dataset() + data.Dataset(),
        lambda: len(count()),
        lambda: data.ConcatDataset([]),
        lambda: data.ConcatDataset([count()]),
        lambda: both[-13],
        lambda: both[12],
        lambda: list(data.ChainDataset([ds])),
        lambda: data.StackDataset(ds, [1]),
        lambda: data.StackDataset(),
        lambda: data.StackDataset(ds, a=ds),
        lambda: data.StackDataset(many()).__getitems__([0, 1]),
        lambda: data.Subset(ds, [1])[5],
        lambda: data.random_split(range(10), [3, 3]),
        lambda: data.random_split(range(10), [0.3, 1.3]),
        lambda: data.random_split(range(10), [-0.3, 1.3]),
    )] + [warned(lambda: both.cummulative_sizes)]  # fmt: skip


@case
def random_splits(torch):
    split = torch.utils.data.random_split
    found = []
    for lengths in ([3, 7], [0.3, 0.3, 0.4], [0.33, 0.33, 0.34], [0, 10]):
        subsets = split(range(10), lengths, torch.Generator().manual_seed(1))
        found.append([[len(s) for s in subsets], sorted(i for s in subsets for i in s)])
    return [found, warned(lambda: split(range(2), [0.1, 0.1, 0.8]))]


@case
def samplers(torch):
    data = torch.utils.data
    five = data.SequentialSampler(range(5))
    spread = data.distributed.DistributedSampler
    return [
        list(five), len(five), sorted(data.RandomSampler(range(3))),
        len(list(data.RandomSampler(range(3), num_samples=7))),
        len(list(data.RandomSampler(range(3), True, 40))), set(data.RandomSampler(range(3), True, 400)) == {0, 1, 2},
        sorted(data.SubsetRandomSampler([4, 5])), len(data.SubsetRandomSampler([4, 5])),
        list(data.WeightedRandomSampler([0, 1.0], 3)), sorted(data.WeightedRandomSampler([1.0, 1, 1], 3, False)),
        list(data.BatchSampler(five, 2, False)), list(data.BatchSampler(five, 2, True)),
        len(data.BatchSampler(five, 2, False)), len(data.BatchSampler(five, 2, True)),
        [list(spread(range(5), 2, r, shuffle=False)) for r in (0, 1)],
        [list(spread(range(5), 2, r, shuffle=False, drop_last=True)) for r in (0, 1)],
        [list(spread(range(2), 5, r, shuffle=False)) for r in range(5)],
        sorted(i for r in (0, 1) for i in spread(range(6), 2, r)), len(spread(range(5), 2, 0)),
    ]  # fmt: skip


@case
def wrong_samplers(torch):
    data = torch.utils.data
    five = data.SequentialSampler(range(5))
    spread = data.distributed.DistributedSampler
    return [error(f) for f in (
        lambda: data.RandomSampler(range(3), replacement=3), lambda: data.RandomSampler(range(3), num_samples=0),
        lambda: data.RandomSampler([]), lambda: data.RandomSampler(range(3), num_samples=1.5),
        lambda: data.WeightedRandomSampler([[1.0]], 3), lambda: data.WeightedRandomSampler([1.0], 0),
        lambda: data.WeightedRandomSampler([1.0], 3, replacement=3), lambda: data.WeightedRandomSampler([1.0], True),
        lambda: list(data.WeightedRandomSampler([1.0], 3, replacement=False)),
        lambda: data.BatchSampler(five, 0, True), lambda: data.BatchSampler(five, 2, 1),
        lambda: data.BatchSampler(five, True, True), lambda: data.BatchSampler(five, 1.5, True),
        lambda: spread(range(5), 2, 2), lambda: spread(range(5), 2, -1), lambda: spread(range(5)),
        lambda: list(data.Sampler()), lambda: len(data.Sampler()), lambda: data.Sampler(3),
    )]  # fmt: skip


@case
def collate(torch):
    c = torch.utils.data.default_collate
    batches = [
        [1, 2], [1.5, 2], [True, False], ["a", "b"], [b"a"], [(1, 2.0), (3, 4.0)], [[1, 2], [3, 4]],
        [{"a": 1}, {"a": 2}], [Pair(1, 2), Pair(3, 4)], [np.ones(2), np.zeros(2)], [np.float32(1), np.float32(2)],
        [np.int64(3), np.int64(4)], [torch.ones(2), torch.zeros(2)], [range(2), range(2)],
        [collections.OrderedDict(a=1), collections.OrderedDict(a=2)], [collections.deque([1, 2])],
        [{"a": [torch.ones(1), (1, "x")]}] * 2,
    ]  # fmt: skip
    found = [c(b) for b in batches]
    return [[type(f).__name__ for f in found], [plain_tree(torch, f) for f in found]]


def plain_tree(torch, value):
    if isinstance(value, collections.deque):
        value = list(value)
    return see(torch, value)


@case
def wrong_batches(torch):
    c = torch.utils.data.default_collate
    batches = [
        [torch.ones(2), torch.zeros(3)], [[1], [1, 2]], [None], [object()], [np.array("a")], [{1: 2}, {3: 4}], [],
        [slice(1)], [{1, 2}],
    ]  # fmt: skip
    return [error(lambda b=b: c(b)) for b in batches]


@case
def convert(torch):
    v = torch.utils.data.default_convert
    given = [
        np.ones(2), [1, np.float32(2), "a"], {"a": np.ones(1)}, Pair(np.ones(1), 2), (np.ones(1),), 3, torch.ones(1),
    ]  # fmt: skip
    found = [v(g) for g in given]
    return [[type(f).__name__ for f in found], [plain_tree(torch, f) for f in found], str(v(np.array(["a"])))]


@case
def custom_collate_map(torch):
    from importlib import import_module

    module = import_module(f"{torch.__name__}.utils.data._utils.collate")

    class Box:
        def __init__(self, n):
            self.n = n

    def boxes(batch, *, collate_fn_map=None):
        return sum(b.n for b in batch)

    both = {**module.default_collate_fn_map, Box: boxes}
    return see(torch, module.collate([{"b": Box(1), "x": 2}, {"b": Box(3), "x": 4}], collate_fn_map=both))


@case
def loading_in_one_process(torch):
    data, count, sized, _ = parts(torch)
    x = torch.arange(6)
    ds = data.TensorDataset(x)
    load = data.DataLoader
    batches = data.BatchSampler(data.SequentialSampler(ds), 4, False)
    return see(torch, [
        list(load(ds)), list(load(ds, batch_size=4)), list(load(ds, batch_size=4, drop_last=True)),
        list(load(ds, batch_size=None)), list(load(ds, batch_sampler=batches)),
        list(load(ds, sampler=[5, 0], batch_size=2)),
        list(load(ds, batch_size=3, collate_fn=len)), list(load(count(), batch_size=2)),
        list(load(count(), batch_size=2, drop_last=True)), list(load(count(), batch_size=None)), list(load([])),
        len(load(ds, batch_size=4)), len(load(ds, batch_size=4, drop_last=True)), len(load(sized(), batch_size=2)),
        len(iter(load(ds))), sorted(int(b[0]) for b in load(ds, shuffle=True)), load(ds).multiprocessing_context,
        data.get_worker_info(),
    ])  # fmt: skip


@case
def wrong_loaders(torch):
    data, count, _, _ = parts(torch)
    ds = data.TensorDataset(torch.arange(6))
    batches = data.BatchSampler(data.SequentialSampler(ds), 2, False)
    load = data.DataLoader
    return [error(f) for f in (
        lambda: load(ds, num_workers=-1), lambda: load(ds, timeout=-1), lambda: load(ds, prefetch_factor=2),
        lambda: load(ds, num_workers=1, prefetch_factor=-1), lambda: load(ds, persistent_workers=True),
        lambda: load(count(), shuffle=True), lambda: load(count(), sampler=[1]),
        lambda: load(count(), batch_sampler=[[1]]), lambda: load(ds, sampler=[1], shuffle=True),
        lambda: load(ds, batch_sampler=batches, batch_size=2), lambda: load(ds, batch_sampler=batches, shuffle=True),
        lambda: load(ds, batch_size=None, drop_last=True), lambda: load(ds, batch_size=0),
        lambda: load(ds, batch_size=2.5), lambda: load(ds, multiprocessing_context="spawn"),
        lambda: load(ds, num_workers=1, multiprocessing_context="foo"),
        lambda: load(ds, num_workers=1, multiprocessing_context=3), lambda: load([], shuffle=True),
        lambda: setattr(load(ds), "batch_size", 3), lambda: setattr(load(ds), "dataset", 3), lambda: len(load(count())),
    )] + [warned(lambda: list(load(ds, pin_memory=True)))]  # fmt: skip


@case
def the_same_generator_gives_the_same_order(torch):
    data = torch.utils.data
    found = []
    for seed in (1, 1, 2):
        loader = data.DataLoader(range(50), shuffle=True, batch_size=50, generator=torch.Generator().manual_seed(seed))
        found.append(next(iter(loader)).tolist())
    return plain([found[0] == found[1], found[0] == found[2], sorted(found[2]) == list(range(50))])


@case
def an_iterable_that_has_more_than_it_says(torch):
    data, _, _, _ = parts(torch)

    class Liar(data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

        def __len__(self):
            return 1

        def __repr__(self):
            return "Liar()"

    loader = data.DataLoader(Liar())
    len(loader)
    return warned(lambda: list(loader))
