"""What packages written for PyTorch do beyond its documented names: a case for each cause that kept one from it."""

from __future__ import annotations

import collections
import sys
from importlib import import_module

from .observe import case


@case
def classes_that_take_over_by_their_second_argument(torch):
    def handler(cls, func, types, args=(), kwargs=None):
        return [func.__name__, [t.__name__ for t in types], len(args)]

    Duck = type("Duck", (), {"__torch_function__": classmethod(handler)})
    Sub = type("Sub", (torch.Tensor,), {"__torch_function__": classmethod(handler)})
    seen = []
    for other in (Duck(), torch.ones(2, 2).as_subclass(Sub)):
        for shape in ((), (2,), (2, 2), (2, 2, 2)):
            t = torch.ones(shape)
            seen.append([
                t @ other, t.matmul(other), torch.matmul(t, other), torch.mm(t, other), torch.bmm(t, other),
                torch.addmm(t, t, other), torch.baddbmm(t, t, other), torch.dot(t, other), torch.outer(t, other),
                torch.linalg.solve(t, other), torch.cholesky_solve(t, other), torch.conv1d(t, other), t.clamp(other),
                t.lerp(other, other), t.gather(0, other), t.index_select(0, other), t.expand_as(other),
                torch.linalg.solve_triangular(t, other, upper=True), torch.where(t > 0, t, other),
                t.mv(other),
            ])  # fmt: skip
    return seen


@case
def handles_made_by_hand(torch):
    hooks = collections.OrderedDict()
    handles = [torch.utils.hooks.RemovableHandle(hooks) for _ in range(2)]
    for handle, hook in zip(handles, "ab"):
        hooks[handle.id] = hook
    handles[0].remove()
    left = list(hooks.values())
    with handles[1]:
        pass
    return [left, list(hooks)]


@case
def sizes_in_trees(torch):
    pytree = torch.utils._pytree
    leaves, spec = pytree.tree_flatten({"a": torch.Size([1, 2]), "b": (torch.Size([]), 3)})
    back = pytree.tree_unflatten([n + 1 for n in leaves], spec)
    return [leaves, repr(spec), repr(back), [type(back["a"]).__name__, type(back["b"]).__name__]]


@case
def seeds_of_workers_and_sizes_of_storages(torch):
    worker = import_module(f"{torch.__name__}.utils.data._utils.worker")
    collate = import_module(f"{torch.__name__}.utils.data._utils.collate")
    small, large = (torch.ones(n).untyped_storage() for n in (1, 1000))
    return [
        [worker._generate_state(seed, number) for seed in (0, 5, 12345678901) for number in (0, 3)],
        collate.np_str_obj_array_pattern.pattern,
        sys.getsizeof(large) - sys.getsizeof(small),
        [str(f) for f in (torch.legacy_contiguous_format, torch.sparse_csc, torch.jagged, torch._mkldnn)],
        [str(t.get()) for t in (torch.TensorType, torch.DeviceObjType, torch.StringType)],
    ]
