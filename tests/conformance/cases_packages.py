"""What packages written for PyTorch do beyond its documented names: a case for each cause that kept one from it."""

from __future__ import annotations

import collections
import sys
import warnings
from importlib import import_module
from types import CodeType

from .observe import case, error, see


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


@case
def sizes_and_dimensions_that_are_tensors(torch):
    x, n = torch.arange(24.0).view(4, 6), torch.tensor
    f = torch.nn.functional
    return [
        see(torch, x.as_strided((n(2), 3), (n(3), 1), n(2))),
        see(torch, x.clone().as_strided_((n(2), n([3])), (3, 1))),
        see(torch, torch.as_strided_copy(x, (n(2), 3), (3, n(1)))),
        see(torch, torch.as_strided_scatter(x, torch.zeros(2, 3), (n(2), 3), (3, 1), n(4))),
        error(lambda: x.as_strided((n(2.0), 3), (3, 1))),
        [see(torch, part) for part in (*x.split(n(3)), *torch.split(x, n([2]), 1))],
        error(lambda: x.split(n([2, 2]))),
        see(torch, f.unfold(x[None, None], (n(2), 3), stride=(1, n(3)))),
        error(lambda: f.unfold(x[None, None], (n(2.0), 3))),
        list(torch.fft.fft(x, n(4)).shape), list(torch.fft.rfft(x, n=n(4), dim=n(0)).shape),
        list(torch.fft.fft2(x, (n(2), 3), (n(0), 1)).shape),
        error(lambda: torch.fft.fft(x, n(4.0))),
    ]  # fmt: skip


@case
def branches_and_loops_that_are_operators(torch):
    ops = {
        name: getattr(import_module(f"{torch.__name__}._higher_order_ops.{name}"), name)
        for name in ("associative_scan", "map", "scan")
    }
    x = torch.arange(1.0, 7.0).view(2, 3)
    t = x.clone().requires_grad_()

    def pairs(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]

    def running(combine, xs, dim, reverse=False):
        return ops["associative_scan"](combine, xs, dim, reverse, combine_mode="generic")

    def step(state, part):
        return state + part, state * part

    results = [
        torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,)),
        torch.cond(x.sum() < 0, lambda a: a.sin(), lambda a: a.cos(), (x,)),
        *torch.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (torch.tensor(0), x)),
        running(torch.add, x, 1), running(torch.add, x, 0, True), *running(pairs, (x, x), 1),
        running(torch.mul, torch.arange(1.0, 8.0), 0), running(torch.mul, torch.arange(1.0, 9.0), -1),
        *ops["scan"](step, torch.zeros(3), x), *ops["scan"](step, torch.zeros(2), x, dim=1, reverse=True),
        ops["map"](lambda a, b: a * b, x, torch.ones(3)),
    ]  # fmt: skip
    losses = [
        torch.cond(t.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (t,)).sum(),
        running(torch.mul, t, 1).sum(), ops["scan"](step, torch.zeros(3), t)[1].sum(),
        ops["map"](lambda a: a * a, t).sum(),
    ]  # fmt: skip
    return [
        [see(torch, r) for r in results], [see(torch, torch.autograd.grad(loss, t)[0]) for loss in losses],
        error(lambda: torch.cond("yes", torch.sin, torch.cos, (x,))),
        error(lambda: torch.cond(x > 0, torch.sin, torch.cos)),
        error(lambda: torch.cond(x.sum() > 0, 1, torch.cos, (x,))),
        error(lambda: torch.cond(x.sum() > 0, torch.sin, torch.cos, (1,))),
        error(lambda: torch.while_loop(1, 2, (x,))), error(lambda: running(1, x, 0)),
        error(lambda: running(torch.add, torch.ones(0, 3), 0)), error(lambda: ops["associative_scan"](torch.add, x, 0)),
        error(lambda: ops["scan"](1, x, x)), error(lambda: ops["scan"](step, (), x)),
        error(lambda: ops["map"](torch.sin, 1)), error(lambda: ops["map"](torch.sin, torch.ones(0, 2))),
    ]  # fmt: skip


@case
def streams_and_events_of_a_device_without_them(torch):
    stream, event = torch.Stream(), torch.Event()
    named = {"stream_id": 3, "device_index": -1, "device_type": 0}
    return [
        [repr(t) for t in (stream, torch.Stream("cpu:0"), torch.Stream(**named), event)],
        repr(torch.Event(enable_timing=True)),
        [repr(stream.device).replace("facula", "torch"), stream.device_index, stream.device_type, stream.stream_id],
        [stream == torch.Stream(), stream != torch.Stream(**named), hash(stream) == hash(torch.Stream()), stream == 1],
        [stream.query(), stream.synchronize(), stream.wait_event(event), stream.is_capturing()],
        [event.query(), event.synchronize(), event.wait(), event.wait(stream), event.event_id],
        [
            error(call)
            for call in (
                stream.record_event, lambda: stream.wait_stream(stream), lambda: stream.native_handle, event.record,
                lambda: event.elapsed_time(event), lambda: torch.Stream("cuda"), lambda: torch.Stream(1),
                lambda: torch.Stream(stream), lambda: torch.Stream(foo=1),
            )
        ],
    ]  # fmt: skip


@case
def what_a_file_is_told_when_it_is_saved_to(torch):
    class Sink:
        def __init__(self):
            self.told = []

        def write(self, data):
            self.told.append("write")
            return len(data)

        def flush(self):
            self.told.append("flush")

    sink = Sink()
    torch.save({"a": torch.ones(2)}, sink)
    return sink.told[-1], sink.told.count("flush")


@case
def an_accelerator_that_is_not_there(torch):
    there = torch.accelerator
    asks = """
        current_device_index current_stream empty_cache get_device_capability get_memory_info
        max_memory_allocated memory_allocated memory_reserved memory_stats reset_peak_memory_stats synchronize
    """
    with there.device_index(None):
        found = [there.is_available(), there.device_count(), there.current_accelerator()]
    return [
        found, [error(getattr(there, name)) for name in asks.split()], error(lambda: there.set_device_index(0)),
        error(lambda: there.set_stream(torch.Stream())), error(there.device_index(0).__enter__),
    ]  # fmt: skip


@case
def trees_that_are_walked_together(torch):
    pytree = torch.utils._pytree

    class Box:
        def __init__(self, values, label):
            self.values, self.label = values, label

    pytree.register_pytree_node(Box, lambda box: (box.values, box.label), lambda values, label: [*values, label])
    ordered, default = collections.OrderedDict, collections.defaultdict
    pairs = [
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}), (ordered(a=1, b=2), {"b": 3, "a": 4}), ({"a": 1}, default(int, a=2)),
        (default(int, a=1, b=2), default(list, b=3, a=4)), ({"a": 1}, {"b": 2}), ({"a": 1, "c": 2}, ordered(a=1, b=2)),
        ({"a": 1}, {"a": 1, "b": 2}), ({"a": 1}, [1]), ([1], (1,)), ((1, 2), (1,)), (torch.Size([1]), (1,)),
        (collections.deque([1], maxlen=2), collections.deque([2], maxlen=3)), ({"a": 1}, {"a": {"b": 2}}),
        (Box([1], "x"), Box([2], "x")), (Box([1], "x"), Box([2], "y")), (Box([1], "x"), Box([1, 2], "x")),
    ]  # fmt: skip
    seen = []
    for first, second in pairs:
        try:
            found = pytree.tree_map(lambda *leaves: leaves, first, second)
            is_dict = isinstance(found, dict)  # what dicts of other kinds print depends on Python's version
            seen.append([type(found).__name__, repr(dict(found) if is_dict else found)])
        except ValueError as refused:
            seen.append(str(refused).partition("<class")[0])
    spec = pytree.tree_structure({"a": [1, 2], "b": 3})
    return [seen, repr(spec.children()), repr(spec.child(0)), repr(spec.flatten_up_to({"b": 7, "a": [{"x": 1}, 5]}))]


@case
def print_options_as_an_object(torch):
    from_module = torch._tensor_str
    options = from_module.PRINT_OPTS
    x = torch.arange(6.0).reshape(2, 3) / 3
    tensors = [x, torch.tensor([]), torch.tensor(3), torch.ones(2, dtype=torch.bfloat16)]
    seen = [options.threshold, [from_module._tensor_str(t, indent) for t in tensors for indent in (0, 3)]]
    with from_module.printoptions(precision=2):
        seen += [options.precision, repr(torch.tensor([1.23456]))]
        options.precision = 1
        seen += [from_module.get_printoptions()["precision"], repr(torch.tensor([1.23456]))]
    return [*seen, options.precision]


@case
def what_classes_cannot_take_over(torch):
    ignored = torch.overrides.get_ignored_functions()
    overrides = torch.overrides.get_testing_overrides()
    named = [torch.arange, torch.zeros, torch.normal, torch.vander, torch.Tensor.new_zeros, torch.Tensor.stride]
    asked = [*named, torch.add, torch.nn.functional.relu, torch.Tensor.add_, torch.linalg.norm]
    return [[[f in ignored, f in overrides] for f in asked], [f for f in overrides if f in ignored]]


@case
def every_method_of_tensors_may_be_wrapped(torch):
    """As tools do that tell of each call: what is not ignored is PyTorch's, nothing else is called."""
    Tensor, called, wrapped = torch.Tensor, [], {}
    ignored = torch.overrides.get_ignored_functions()

    def telling(name, fn):
        def method(*args, **kwargs):
            called.append(name)
            return fn(*args, **kwargs)

        return method

    for name in dir(Tensor):
        value = getattr(Tensor, name)
        if name[0] == "_" and name[1] != "_" and callable(value) and value not in ignored and name in vars(Tensor):
            wrapped[name] = vars(Tensor)[name]
            setattr(Tensor, name, telling(name, value))
    try:
        w = torch.ones(3, 2, requires_grad=True)
        y = torch.nn.functional.linear(torch.ones(2), w).relu().clone()
        y[0] += 1
        y.sum().backward()
        seen = [y.grad_fn.name(), repr(y.detach()), y.is_leaf]
    finally:
        for name, value in wrapped.items():
            setattr(Tensor, name, value)
    return [seen, sorted(set(called))]


@case
def code_of_functions_is_hashable(torch):
    places = (torch.nn.functional, torch.Tensor)

    def unhashable():
        found = [getattr(getattr(place, name), "__code__", None) for place in places for name in dir(place)]
        return [code.co_name for code in found if type(code) is CodeType and "raises" in error(code.__hash__)]

    plain = unhashable()
    with torch.overrides.TorchFunctionMode():
        return [plain, unhashable()]


@case
def scatter_reduce_by_min_and_max(torch):
    index, src = torch.tensor([0, 0, 2]), torch.tensor([3.0, 4.0, 5.0])
    seen = []
    for reduce in ("min", "max"):
        for include_self in (True, False):
            x = torch.full((3,), 3.5)
            seen += [see(torch, torch.scatter_reduce(x, 0, index, src, reduce, include_self=include_self))]
            seen += [see(torch, x.scatter_reduce_(0, index, src, reduce, include_self=include_self))]
    return [seen, error(lambda: torch.zeros(3).scatter_reduce(0, index, src, "least"))]


@case
def lengths_of_windows_as_tensors(torch):
    names = "bartlett hann hamming blackman kaiser nuttall".split()
    signal = [getattr(torch.signal.windows, name)(torch.ones((), dtype=dtype))
              for name in names for dtype in (torch.float32, torch.bfloat16, torch.bool, torch.int8)]  # fmt: skip
    windows = [getattr(torch, f"{name}_window") for name in "bartlett hann hamming".split()]
    made = [window(torch.tensor(3, dtype=dtype)) for window in windows for dtype in (torch.int8, torch.int64)]
    return [see(torch, t) for t in signal + made] + [error(lambda: windows[0](torch.tensor(3.0)))]


@case
def placements_of_distributed_tensors(torch):
    types = import_module(f"{torch.__name__}.distributed.tensor.placement_types")
    shard, partial, replicate = types.Shard, types.Partial, types.Replicate
    placements = [shard(0), shard(-1), replicate(), partial(), partial("max"), types._StridedShard(1, split_factor=2)]
    seen = [
        [repr(p), str(p), p.is_shard(), p.is_shard(0), p.is_replicate(), p.is_partial(), p.is_partial("max")]
        + [p == q for q in placements]
        for p in placements
    ]
    cuts = [[shard.local_shard_size_and_offset(size, chunks, rank) for rank in range(chunks)]
            for size in (0, 1, 5, 7, 8) for chunks in (1, 2, 3, 4)]  # fmt: skip
    x = torch.arange(10).reshape(5, 2)
    pieces = [shard(dim)._split_tensor(x, 3, with_padding=fill) for dim in (0, 1) for fill in (True, False)]
    return [seen, cuts, [[[see(torch, t) for t in ts], padded] for ts, padded in pieces],
            len({hash(p) for p in (shard(0), shard(0), shard(1))})]  # fmt: skip


@case
def states_by_the_names_of_parameters(torch):
    module = import_module(f"{torch.__name__}.distributed.checkpoint.state_dict")
    options = module.StateDictOptions

    def made(rate):
        torch.manual_seed(0)
        nn = torch.nn
        model = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)))
        groups = [{"params": model[0].parameters(), "lr": rate}, {"params": model[1].parameters()}]
        return model, torch.optim.Adam(groups, lr=rate / 2)

    def told(value):
        if isinstance(value, dict):
            return [[key, told(each)] for key, each in value.items()]
        if isinstance(value, list):
            return [told(each) for each in value]
        return see(torch, value) if isinstance(value, torch.Tensor) else repr(value)

    model, optimizer = made(0.1)
    before = module.get_optimizer_state_dict(model, optimizer)
    model(torch.tensor([[1.0, 5.0], [3.0, 2.0], [8.0, 4.0]])).square().sum().backward()
    optimizer.step()
    states = module.get_state_dict(model, optimizer)
    flat = module.get_optimizer_state_dict(model, optimizer, options=options(flatten_optimizer_state_dict=True))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        part = module.get_model_state_dict(model, submodules={model[1]}, options=options(keep_submodule_prefixes=False))
    seen = [told(before), told(states[0]), told(states[1]), list(flat), list(part), [str(w.message) for w in warned]]
    for state, how in ((states[1], None), (flat, options(flatten_optimizer_state_dict=True))):
        other, its = made(0.7)
        seen.append(repr(module.set_model_state_dict(other, states[0])))
        module.set_optimizer_state_dict(other, its, state, options=how)
        seen.append([told(module.get_optimizer_state_dict(other, its)), told(other.state_dict())])
    model[0].weight.requires_grad_(False)
    seen.append(list(module.get_model_state_dict(model, options=options(ignore_frozen_params=True))))
    less = {key: value for key, value in states[0].items() if key != "0.bias"}
    seen.append(error(lambda: module.set_model_state_dict(other, less)))
    seen.append(repr(module.set_model_state_dict(other, less, options=options(strict=False))))
    return [*seen, error(lambda: module.get_model_state_dict(model, options=options(broadcast_from_rank0=True)))]


@case
def modules_that_hold_classes(torch):
    class Policy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.activation, self.kinds = torch.nn.Tanh, [torch.nn.ReLU, torch.Tensor]
            self.options = {"optimizer_class": torch.optim.Adam, "features": torch.nn.Flatten}
            self.layer = torch.nn.Linear(1, 1)
            self.optimizer = torch.optim.Adam(self.parameters(), lr=0.5)

    policy = Policy()
    policy.layer(torch.ones(1, 1)).sum().backward()
    policy.optimizer.step()
    return [sorted(policy.state_dict()), len(policy.optimizer.param_groups)]


@case
def classes_are_asked_for_the_methods_that_users_know(torch):
    asked = []

    class Asked(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return 5

    t, whole = torch.ones(2).as_subclass(Asked), torch.ones(2).int().as_subclass(Asked)
    calls = {
        "eq_": lambda: t.eq_(1), "ne_": lambda: t.ne_(torch.ones(2)), "lt_": lambda: t.lt_(1),
        "add_": lambda: t.add_(1),
        "sub_": lambda: t.sub_(torch.ones(2)), "pow_": lambda: t.pow_(2), "remainder_": lambda: t.remainder_(2),
        "fmod_": lambda: t.fmod_(2), "lerp_": lambda: t.lerp_(torch.ones(2), 0.5), "ge_": lambda: t.ge_(1),
        "copysign_": lambda: t.copysign_(2), "addcmul_": lambda: t.addcmul_(t, t), "round_": lambda: t.round_(),
        "mvlgamma_": lambda: t.mvlgamma_(1),
        "__pow__": lambda: t**2, "__rpow__": lambda: 2**t, "__rsub__": lambda: 1 - t, "__rtruediv__": lambda: 1 / t,
        "__rfloordiv__": lambda: 1 // t, "__rmod__": lambda: 3 % whole,
    }  # fmt: skip
    answers = [call() for call in calls.values()]
    return [len(asked) == len(calls), answers, [f is getattr(torch.Tensor, n) for n, f in zip(calls, asked)]]


@case
def overridable_functions_are_public(torch):
    places = torch.overrides.get_overridable_functions()
    names = {f.__name__ for f in places[torch]}
    hidden = [n for n in names if n.startswith("_") and n not in ("_sym_sqrt", "_unique2", "_is_distributed")]
    return [
        hidden, "add" in names, "add_" in names, "zeros" in names, torch.linalg in places, torch.fft in places,
        torch.special in places, "svd" in {f.__name__.removeprefix("linalg_") for f in places[torch.linalg]},
    ]  # fmt: skip


def _checkpoint_wrapper(torch):
    return import_module(f"{torch.__name__}.distributed.algorithms._checkpoint.checkpoint_wrapper")


def _nested_model(torch):
    torch.manual_seed(0)
    nn = torch.nn
    shared = nn.Linear(4, 4)
    return nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), shared), shared, nn.Sequential(nn.Dropout(), shared))


@case
def checkpointed_modules_keep_their_names_and_are_called_again(torch):
    ours = _checkpoint_wrapper(torch)
    found = []
    for impl in ours.CheckpointImpl:
        for kind in (torch.nn.Module, torch.nn.Linear, torch.nn.Sequential):
            model, calls = _nested_model(torch), []

            def wrap(module, impl=impl):
                return ours.checkpoint_wrapper(module, checkpoint_impl=impl)

            ours.apply_activation_checkpointing(model, wrap, lambda module, kind=kind: isinstance(module, kind))
            for name, module in model.named_modules():
                if isinstance(module, torch.nn.Linear):
                    module.register_forward_hook(lambda *_, name=name, calls=calls: calls.append(name))
            x = torch.arange(8.0).reshape(2, 4).requires_grad_()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # no input of some of the modules requires a gradient
                model(x).sum().backward()
            found += [str(model), list(model.state_dict()), [name for name, _ in model.named_parameters()], calls]
            found += [see(torch, p.grad) for p in model.parameters()]
            found += [str(model.load_state_dict(model.state_dict())), see(torch, x.grad)]
    return found


@case
def checkpoint_wrapper_passes_attributes_and_keywords_on(torch):
    ours = _checkpoint_wrapper(torch)

    class Product(torch.nn.Module):
        def forward(self, a, *, b):
            return a * b

    found = [ours.checkpoint_wrapper(torch.nn.Linear(3, 2)).in_features]
    for impl in ours.CheckpointImpl:
        a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
        ours.checkpoint_wrapper(Product(), checkpoint_impl=impl)(a, b=b).sum().backward()
        found += [see(torch, a.grad), see(torch, b.grad)]
    found.append(error(lambda: ours.checkpoint_wrapper(torch.nn.Linear(3, 2)).nothing))
    return [*found, error(lambda: ours._replace_by_prefix({}, "a", "a"))]


def _grad_samples(torch, module, *args, loss=lambda y: y.pow(2).sum(), **options):
    per_sample = import_module(f"{torch.__name__}.nn.utils._per_sample_grad").call_for_per_sample_grads
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_((torch.arange(p.numel(), dtype=p.dtype).reshape(p.shape) + i).sin())
    loss(per_sample(module, **options)(*args)).backward()
    return [(see(torch, p.grad_sample), p.grad is None) for p in module.parameters()]


@case
def gradients_of_each_sample(torch):
    nn = torch.nn
    x = torch.arange(12.0).reshape(4, 3).cos()
    return [
        _grad_samples(torch, nn.Linear(3, 2), x),
        _grad_samples(torch, nn.Linear(3, 2), x, loss=lambda y: y.sum(1).mean(), loss_reduction="mean"),
        _grad_samples(torch, nn.Linear(3, 2), torch.ones(4, 2, 3)),
        _grad_samples(torch, nn.Embedding(5, 2), torch.tensor([[1, 2], [3, 3]])),
        _grad_samples(torch, nn.GroupNorm(2, 4), torch.arange(60.0).reshape(3, 4, 5).sin()),
        _grad_samples(torch, nn.Sequential(nn.Conv2d(1, 2, 2), nn.Tanh()), x[:2].repeat(1, 3).reshape(2, 1, 3, 3)),
    ]


@case
def gradients_of_each_sample_refuse(torch):
    per_sample = import_module(f"{torch.__name__}.nn.utils._per_sample_grad").call_for_per_sample_grads
    linear = torch.nn.Linear(3, 2)
    return [
        error(lambda: per_sample(3)),
        error(lambda: per_sample(linear, batch_size=1.5)),
        error(lambda: per_sample(linear, batch_size=0)),
        error(lambda: per_sample(linear, loss_reduction="max")),
        error(lambda: per_sample(linear)(3)),
    ]


@case
def parts_of_vmap_that_packages_reach_for(torch):
    parts = import_module(f"{torch.__name__}._functorch.vmap")
    core = import_module(f"{torch.__name__}._C._functorch")
    seen = []

    def f(x, y):
        level = core.maybe_current_level()
        item = core._add_batch_dim(y, 1, level)
        seen.extend([level, list(item.shape), core.is_batchedtensor(item), torch._C._are_functorch_transforms_active()])
        seen.append(see(torch, core._remove_batch_dim(x * item, level, 3, 1)))
        return x * item

    out = torch.vmap(f, in_dims=(0, None))(torch.arange(3.0), torch.ones(2, 3))
    return [
        see(torch, out), seen, torch._C._are_functorch_transforms_active(), parts._get_name(f),
        see(torch, parts._maybe_remove_batch_dim("f", torch.ones(2), 1, 3, 0)),
        error(lambda: parts._maybe_remove_batch_dim("f", 3, 1, 2, 0)),
    ]  # fmt: skip


@case
def masks_as_attention_takes_them(torch):
    f = torch.nn.functional
    mask, q = torch.tensor([True, False]), torch.ones(2, 3, 4)
    return [
        see(torch, f._canonical_mask(mask, "mask", None, "", torch.float64)),
        f._canonical_mask(None, "mask", None, "", torch.float64),
        error(lambda: f._canonical_mask(torch.tensor([1]), "mask", None, "", torch.float32)),
        str(f._none_or_dtype(q)), f._none_or_dtype(None), error(lambda: f._none_or_dtype(3)),
        f._mha_shape_check(q, q, q, None, None, 2), f._mha_shape_check(q[0], q[0], q[0], None, None, 2),
    ]  # fmt: skip


@case
def named_tuples_taken_apart(torch):
    pytree = import_module(f"{torch.__name__}.utils._pytree")
    pair = collections.namedtuple("pair", "a b")
    values, kind = pytree._namedtuple_flatten(pair(1, 2))
    found = torch.max(torch.ones(2), 0)
    return [
        values, kind is pair, pytree._namedtuple_unflatten([3, 4], pair), pytree.is_structseq_instance(found),
        pytree.is_structseq_instance(pair(1, 2)), str(pytree._list_flatten_with_keys([5])),
    ]  # fmt: skip


@case
def tables_of_modules_print_as_dicts(torch):
    module = torch.nn.Sequential(torch.nn.Tanh())
    module._forward_hooks["name"] = int
    shown = [repr(value) for name, value in vars(module).items() if name != "_modules"]
    full = repr(collections.OrderedDict(name=int))  # Python 3.12 prints it otherwise
    return [text.replace(full, "as Python prints it") for text in shown]


@case
def functions_by_the_names_they_are_called_by(torch):
    f, t = torch.nn.functional, torch.Tensor
    functions = [
        t.gt, t.neg, t.abs, t.numel, t.relu_, t.eq, t.add, t.add_, t.sum, t.backward, t.requires_grad.__get__,
        torch.neg, torch.add, torch.sum, torch.linalg.norm, torch.fft.fft, f.relu, f.gelu, len,
    ]  # fmt: skip
    return [torch.overrides.resolve_name(each) for each in functions]


@case
def storages_by_their_public_classes(torch):
    normalize = torch.serialization.normalize_storage_type
    return [normalize(kind).__name__ for kind in (torch.FloatStorage, torch.LongStorage, torch.UntypedStorage)]


@case
def functions_that_change_their_argument(torch):
    x, y = torch.tensor([1.26, 2.5, -3.5]), torch.arange(4.0)
    same = [torch.round_(x) is x, torch.as_strided_(y, (2,), (2,)) is y]
    wrong = [error(lambda: torch.round_(3)), error(lambda: torch.as_strided_(3, (2,), (2,)))]
    return [same, see(torch, x), see(torch, y), see(torch, torch.round_(torch.tensor([1.26]), decimals=1)), wrong]
