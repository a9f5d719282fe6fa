"""Classes of tensors with ``__torch_dispatch__``: what they are asked, what becomes of it, gradients through them."""

from __future__ import annotations

from importlib import import_module

from .observe import case, error, name_of, plain, see


def wrapper_class(torch, log):
    """A class that wraps a tensor, has operators work on what is inside, and logs them."""
    tree_map = import_module(f"{torch.__name__}.utils._pytree").tree_map

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, elem, requires_grad=False):
            t = torch.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, device=elem.device,
                requires_grad=requires_grad,
            )  # fmt: skip
            t.elem = elem
            return t

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            def inside(v):
                return v.elem if isinstance(v, Wrapper) else v

            def told(v):
                return f"{type(v).__name__}{list(v.shape)}" if isinstance(v, torch.Tensor) else v

            result = func(*tree_map(inside, args), **tree_map(inside, kwargs or {}))
            log.append([str(func), [t.__name__ for t in types], plain(tree_map(told, args))])
            return tree_map(lambda v: Wrapper(v) if isinstance(v, torch.Tensor) else v, result)

    return Wrapper


def wrapped(torch, log, *shape, requires_grad=False):
    count = torch.ones(shape).numel()
    elem = torch.arange(1, count + 1, dtype=torch.float32).reshape(shape) / count
    return wrapper_class(torch, log)(elem, requires_grad)


@case
def a_wrapper_tells_what_it_was_given(torch):
    t = wrapped(torch, [], 2, 3)
    other = torch.Tensor._make_wrapper_subclass(type(t), (2, 3), strides=(1, 2), dtype=torch.float64)
    return [
        [list(x.shape), list(x.stride()), str(x.dtype), str(x.device), x.is_meta, x.is_contiguous(), x.requires_grad,
         x.numel(), x.data_ptr(), type(x).__name__]
        for x in (t, other)
    ]  # fmt: skip


@case
def operators_are_told_to_the_class(torch):
    log = []
    x = wrapped(torch, log, 2, 3, requires_grad=True)
    y = type(x)(torch.ones(2, 3))
    results = [
        x * y, x + 0.1, 2 - x, x.exp(), x.sum(), x.sum(0), x.view(3, 2), x[0], x.t(), x @ y.t(), x.clone(), x > 0.5,
        torch.cat([x, y]), torch.ones(2, 3) + y, x.to(torch.float64), torch.zeros_like(x), x.new_zeros(2), x.detach(),
        torch.softmax(x, 1), x.expand(2, 2, 3), torch.nn.functional.linear(x, y), x.pow(2), torch.split(x, 1)[1],
    ]  # fmt: skip
    return [log, [[type(t).__name__, name_of(t.grad_fn), see(torch, t.elem)] for t in results]]


@case
def gradients_are_of_the_class(torch):
    log = []
    x = wrapped(torch, log, 2, 3, requires_grad=True)
    (x.exp() * x).sum().backward()
    first = [type(x.grad).__name__, see(torch, x.grad.elem), list(log)]
    del log[:]
    (x * 3).sum().backward()
    (second,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(second.sum(), x)
    return [first, see(torch, x.grad.elem), name_of(second.grad_fn), see(torch, second.elem), see(torch, third.elem)]


@case
def changes_in_place_keep_their_history(torch):
    log = []
    x = wrapped(torch, log, 4, requires_grad=True)
    y = x * 1
    y.mul_(x).add_(2)
    y[0] = 5.0
    y.sum().backward()
    return [log[:4], name_of(y.grad_fn), y._version, see(torch, y.elem), see(torch, x.grad.elem)]


@case
def a_leaf_of_the_class_under_plain_tensors(torch):
    x = wrapped(torch, [], 3, requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * w).sum().backward()
    return [type(w.grad).__name__, type(x.grad).__name__, see(torch, w.grad.elem), see(torch, x.grad.elem)]


@case
def hooks_and_retained_gradients(torch):
    x = wrapped(torch, [], 3, requires_grad=True)
    seen = []
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: seen.append(type(g).__name__))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(type(t).__name__) or t, lambda t: t):
        z = (y * y).sum()
    z.backward()
    return [seen, type(y.grad).__name__, see(torch, y.grad.elem), see(torch, x.grad.elem)]


@case
def transforms_go_through_the_class(torch):
    x = wrapped(torch, [], 3)

    def f(t):
        return (t.sin() * t).sum()

    gradient, hessian = torch.func.grad(f)(x), torch.func.jacrev(torch.func.grad(f))(x)
    rows = torch.func.vmap(lambda t: t * 2)(wrapped(torch, [], 2, 3))
    return [[type(t).__name__, see(torch, t.elem)] for t in (gradient, hessian, rows)]


@case
def numbers_are_asked_for_as_well(torch):
    log = []
    x = wrapped(torch, log, 2)
    total = x.sum()
    return [
        total.item(), float(total), bool(total > 1), log, error(lambda: x.numpy()), error(lambda: x.tolist()),
    ]  # fmt: skip


@case
def what_the_base_class_does(torch):
    log = []

    class Sub(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            log.append([str(func), [type(a).__name__ for a in args]])
            return super().__torch_dispatch__(func, types, args, kwargs or {})

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    s = x.as_subclass(Sub)
    y = s * s
    y.sum().backward()
    made = torch.Tensor._make_subclass(Sub, torch.ones(2))
    return [log, type(y).__name__, see(torch, y), see(torch, x.grad), type(made).__name__, type(made + 1).__name__]


@case
def nobody_will(torch):
    class Refusing(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    class Plain(torch.Tensor):
        pass

    x = torch.Tensor._make_subclass(Refusing, torch.ones(2))
    return [error(lambda: torch.add(x, 1)), error(lambda: torch.Tensor._make_wrapper_subclass(Plain, (2,)))]


@case
def modes_are_asked_first(torch):
    dispatch = import_module(f"{torch.__name__}.utils._python_dispatch")
    log = []

    class Mode(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            log.append(["mode", str(func), [t.__name__ for t in types]])
            return func(*args, **(kwargs or {}))

    x = wrapped(torch, log, 2, requires_grad=True)
    with Mode():
        y = x * 2
    return [log, type(y).__name__, name_of(y.grad_fn), see(torch, y.elem)]


@case
def gradcheck_moves_elements_through_operators(torch):
    x = wrapper_class(torch, [])(torch.tensor([0.3, 0.7], dtype=torch.float64), True)
    return [
        torch.autograd.gradcheck(lambda t: t.sin() * t, (x,), fast_mode=fast, check_batched_grad=False)
        for fast in (False, True)
    ]


@case
def what_is_no_operator_of_its_own(torch):
    log = []
    x = wrapped(torch, log, 2, 3)
    found = [x.argmax(), x.argmax(1), x.nonzero()]
    same = [x.contiguous() is x, x.to(torch.float32) is x, x.is_floating_point(), torch.equal(x, x)]
    return [log, [[type(t).__name__, see(torch, t.elem)] for t in found], same]


@case
def classes_of_operators(torch):
    ops = torch._ops
    add = torch.ops.aten.add
    return [
        isinstance(add, ops.OpOverloadPacket), isinstance(add.Tensor, ops.OpOverload), isinstance(add, ops.OpOverload),
        add.Tensor.__module__, str(torch.Tag.pointwise), int(torch.Tag.view_copy), sorted(torch.Tag.__members__),
    ]  # fmt: skip


@case
def dispatch_may_be_off(torch):
    log = []
    x = wrapped(torch, log, 2)

    class Own(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            log.append(str(func))
            guard = torch._C._DisableTorchDispatch()
            try:
                return func(*args, **(kwargs or {}))
            finally:
                del guard

    y = torch.Tensor._make_subclass(Own, torch.tensor([1.0, 2.0])) * 2
    return [type(y).__name__, see(torch, y), log, type(x + 1).__name__]


@case
def dispatch_may_be_off_for_a_while(torch):
    no_dispatch = import_module(f"{torch.__name__}.utils._mode_utils").no_dispatch
    log = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            log.append(str(func))
            with no_dispatch():
                return func(*args, **(kwargs or {}))

    x = torch.Tensor._make_subclass(Own, torch.tensor([1.0, 2.0]))
    found = [x * 2, torch.zeros_like(x), x.new_ones(3), x.sum()]
    return [[type(t).__name__ for t in found], see(torch, found), log]


@case
def duals_of_a_class_with_slots(torch):
    """As in a Jacobian in forward mode: none of them outlives its level."""

    class Slots(torch.Tensor):
        __slots__ = ["elem"]

        @staticmethod
        def __new__(cls, elem):
            t = torch.Tensor._make_wrapper_subclass(cls, elem.size(), dtype=elem.dtype)
            t.elem = elem
            return t

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            found = func(*[a.elem if isinstance(a, cls) else a for a in args], **(kwargs or {}))
            return cls(found) if isinstance(found, torch.Tensor) else found

    fwd = torch.autograd.forward_ad
    x = Slots(torch.tensor([1.0, 2.0]))
    with fwd.dual_level():
        dual = fwd.make_dual(x, torch.ones(2))
        primal, _ = fwd.unpack_dual(dual * 2)
        told = [type(primal).__name__, primal.elem.tolist()]
    after = dual * 3
    return [told, type(after).__name__, after.elem.tolist()]


@case
def a_higher_order_operator(torch):
    class Both(torch._ops.HigherOrderOperator):
        def __init__(self):
            super().__init__("conformance_both")

        def __call__(self, *args):
            return super().__call__(*args)

    op = Both()

    @op.py_impl(torch._C.DispatchKey.AutogradCPU)
    def on_the_cpu(f, x):
        return f(x) + x.sum()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = op(lambda t: t.sin().sum(), x)
    y.backward()
    return [see(torch, y), see(torch, x.grad), op.name()]


def shown(x):
    """What is inside of a wrapper, and whether it was one."""
    return [type(x).__name__, getattr(x, "elem", x).tolist()]


@case
def wrappers_are_indices(torch):
    log = []
    cls = wrapper_class(torch, log)
    x, square = torch.arange(4.0), torch.arange(9.0).reshape(3, 3)
    places, mask, one = (cls(torch.tensor(v)) for v in ([1, 2], [True, False, True, True], 1))
    read = [
        x[places], x[mask], x[one], x[one:], square[places, :], square[:, places], square[None, places],
        square[places, torch.tensor([0, 1])], cls(x)[places], cls(x)[mask], cls(x)[torch.tensor([0, 1])],
    ]  # fmt: skip
    leaf = torch.arange(4.0, requires_grad=True)
    (g,) = torch.autograd.grad((leaf[places] ** 2).sum(), leaf)
    return [list(map(shown, read)), shown(g), [name for name, _, _ in log[:10]]]


@case
def wrappers_say_where_is_written(torch):
    log = []
    cls = wrapper_class(torch, log)
    places, mask, one = (cls(torch.tensor(v)) for v in ([1, 2], [True, False, True, True], 1))
    pair = torch.tensor([1, 2])
    found = []
    for key, value in (
        (places, 5.0), (mask, 5.0), (one, 5.0), (places, torch.ones(2)), (places, cls(torch.ones(2))),
        (pair, cls(torch.ones(2))),
    ):  # fmt: skip
        x = torch.arange(4.0)
        x[key] = value
        found.append([shown(x), x._version])
    x = torch.arange(4.0)
    calls = [
        x.index_put((places,), torch.ones(2)), x.index_put((mask,), torch.tensor(7.0)),
        x.index_put_((places,), torch.ones(2), True),
    ]  # fmt: skip
    return [found, list(map(shown, calls)), [name for name, _, _ in log]]


@case
def functions_of_wrappers_do_not_read_what_is_not_there(torch):
    cls = wrapper_class(torch, [])
    x, i = cls(torch.arange(4.0)), cls(torch.tensor([1, 2]))
    found = [
        torch.isin(i, i), torch.isin(elements=torch.tensor([2, 5]), test_elements=i), torch.bucketize(x, torch.ones(2)),
        torch.searchsorted(torch.arange(4.0), x), torch.nn.functional.one_hot(i),
        torch.repeat_interleave(torch.arange(2.0), i),
    ]  # fmt: skip
    return [list(map(shown, found)), 1 in i, 3 in i, torch.tensor(2) in i, error(x.tolist)]
