"""``torch.library``: operators of one's own, their schemas, gradients, batches, and what ``opcheck`` says of them."""

# Annotations are looked at by the library under test, so they are not turned into strings here.
import typing
from typing import Any

from .observe import case, error, see, warned


def told(torch: Any, *trials: Any) -> list[Any]:
    """What each function returns, or how it fails, up to where messages list types and places."""
    found = []
    for f in trials:
        seen = error(lambda f=f: see(torch, f()))
        if "message" in seen:
            text = seen["message"].replace("facula.Tensor", "torch.Tensor")
            for end in ("The valid types are", " Duplicate registration", " If you are a Facebook", " Got func with"):
                text = text.partition(end)[0]
            seen["message"] = text
        found.append(seen)
    return found


def sine(torch: Any, name: str = "cases::sine") -> Any:
    Tensor = torch.Tensor

    def my_sine(x: Tensor) -> Tensor:
        return torch.sin(x)

    return torch.library.custom_op(name, my_sine, mutates_args=())


def with_gradient(torch: Any, name: str = "cases::sine_with_gradient") -> Any:
    op = sine(torch, name)
    op.register_fake(lambda x: torch.empty_like(x))

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    op.register_autograd(lambda ctx, g: g * ctx.saved_tensors[0].cos(), setup_context=setup_context)
    return op


@case
def names_and_calls(torch):
    op = sine(torch)
    x = torch.arange(3.0)
    packet = torch.ops.cases.sine
    return [
        [repr(op), op._qualname, op._namespace, op._name, op._schema, repr(op._opoverload)],
        [repr(packet), str(packet), packet.__name__, packet.overloads(), repr(packet.default), str(packet.default)],
        [packet.default.name(), str(packet.default._schema), repr(torch.ops.cases)],
        told(
            torch,
            lambda: op(x),
            lambda: op(x=x),
            lambda: packet(x),
            lambda: packet.default(x),
            lambda: op(3),
            lambda: op(),
            lambda: op(x, x),
            lambda: op(x, q=1),
            lambda: op(x, x=x),
            lambda: op(y=x),
            lambda: torch.ops.cases.nothing,
            lambda: op(torch.ones(3, device="meta")),
        ),
    ]


@case
def gradients(torch):
    x = torch.arange(3.0, requires_grad=True)
    grad = torch.autograd.grad
    without, op = sine(torch), with_gradient(torch)

    def second():
        (g,) = grad(op(x).sum(), x, create_graph=True)
        return grad(g.sum(), x)

    return told(
        torch,
        lambda: without(x),
        lambda: without(x).sum().backward(),
        lambda: without(x.detach()),
        lambda: op(x),
        lambda: grad(op(x).sum(), x),
        second,
        lambda: op(torch.ones(3, device="meta")),
        lambda: torch.autograd.gradcheck(op, torch.arange(3.0, dtype=torch.float64, requires_grad=True)),
    )


@case
def gradients_of_several(torch):
    Tensor = torch.Tensor
    x = torch.arange(3.0, requires_grad=True)
    grad = torch.autograd.grad
    seen = []

    def two(x: Tensor, w: typing.Optional[Tensor] = None) -> typing.Tuple[Tensor, Tensor]:  # noqa: UP006, UP045
        return x * 2, x * 3

    def many(xs: typing.List[Tensor], k: int) -> typing.List[Tensor]:  # noqa: UP006
        return [y * k for y in xs]

    def keywords(x: Tensor, n: int = 2, *, scale: float = 2.0) -> Tensor:
        return x * n * scale

    def remember(ctx, inputs, keyword_only_inputs, output):
        seen.append([inputs[1:], dict(keyword_only_inputs)])
        ctx.factor = inputs[1] * keyword_only_inputs["scale"]

    pair = torch.library.custom_op("cases::pair", two, mutates_args=())
    pair.register_autograd(lambda ctx, g, h: (g * 2 + h * 3, None))
    listed = torch.library.custom_op("cases::listed", many, mutates_args=())

    def of_lists(ctx, gs):
        seen.append([list(map(bool, flags)) if isinstance(flags, list) else flags for flags in ctx.needs_input_grad])
        return [g * 2 for g in gs], None

    listed.register_autograd(of_lists)
    named = torch.library.custom_op("cases::named", keywords, mutates_args=())
    named.register_autograd(lambda ctx, g: (g * ctx.factor, None), setup_context=remember)
    return [
        told(
            torch,
            lambda: pair(x),
            lambda: grad(pair(x)[0].sum(), x),
            lambda: grad(pair(x)[1].sum() + pair(x)[0].sum(), x),
            lambda: listed([x, x], 2),
            lambda: grad(listed([x, x * 2], 2)[0].sum(), x),
            lambda: named(x, scale=3.0),
            lambda: grad(named(x, 5, scale=3.0).sum(), x),
            lambda: grad(named(x, n=5).sum(), x),
            lambda: named(x, 2.5),
            lambda: named(x, scale="a"),
            lambda: listed(x.sum(), 2),
        ),
        [str(op._opoverload._schema) for op in (pair, listed, named)],
        seen,
    ]


@case
def schemas(torch):
    Tensor, infer = torch.Tensor, torch.library.infer_schema

    def all_kinds(
        x: Tensor, y: int = 3, *, z: float = 2.5, s: str = "a", b: bool = True, d: typing.Optional[int] = None  # noqa: UP045
    ) -> Tensor: ...

    def lists(x: typing.Sequence[Tensor], y: typing.List[int], o: typing.Optional[Tensor]) -> Tensor: ...  # noqa: UP006, UP045

    def others(x: list[Tensor], n: torch.dtype, d: torch.device, u: int | float | bool) -> tuple[Tensor, int]: ...

    def nothing(x: Tensor) -> None: ...

    def no_annotation(x): ...

    def no_return(x: Tensor): ...

    def a_dict(x: dict) -> Tensor: ...

    def returns_dict(x: Tensor) -> dict: ...

    def variable(*args: Tensor) -> Tensor: ...

    def keywords(**kwargs: Tensor) -> Tensor: ...

    def a_tuple(x: tuple[int, int]) -> Tensor: ...

    def bad_default(x: Tensor, n: list[int] = [1]) -> Tensor: ...  # noqa: B006

    def with_int(x: Tensor, n: int) -> None: ...

    plain = [all_kinds, lists, others, nothing, no_annotation, no_return, a_dict, returns_dict, variable, keywords]
    return told(
        torch,
        *[lambda f=f: infer(f, mutates_args=()) for f in [*plain, a_tuple, bad_default]],
        lambda: infer(nothing, mutates_args=(), op_name="named"),
        lambda: infer(nothing, mutates_args=("x",)),
        lambda: infer(nothing, mutates_args="unknown"),
        lambda: infer(nothing, mutates_args="x"),
        lambda: infer(nothing, mutates_args=("y",)),
        lambda: infer(with_int, mutates_args=("n",)),
        lambda: torch.library.custom_op("unqualified", nothing, mutates_args=()),
        lambda: torch.library.custom_op(
            "cases::schema", no_annotation, mutates_args=(), schema="(Tensor x) -> Tensor"
        )._schema,
    )


@case
def changing_arguments(torch):
    Tensor = torch.Tensor

    def scale_(x: Tensor, k: float) -> None:
        x.mul_(k)

    op = torch.library.custom_op("cases::scale_", scale_, mutates_args=("x",))
    x, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
    y = leaf * 1
    return [
        told(torch, lambda: op(x, 2.0), lambda: op(y, 3.0), lambda: op(leaf, 2.0)),
        see(torch, [x, y, leaf]),
        x._version,
        told(
            torch,
            lambda: op.register_autograd(lambda ctx, g: g),
            lambda: torch.library.opcheck(op, (torch.ones(2), 2.0)),
        ),
    ]


@case
def batches(torch):
    op = with_gradient(torch, "cases::batched")
    seen = []

    def rule(info, in_dims, x):
        seen.append([info.batch_size, info.randomness, in_dims])
        return op(x), in_dims[0]

    op.register_vmap(rule)
    x = torch.arange(6.0).reshape(2, 3)
    bad = with_gradient(torch, "cases::badly_batched")
    bad.register_vmap(lambda info, in_dims, x: 3)
    return [
        told(
            torch,
            lambda: torch.vmap(op)(x),
            lambda: torch.vmap(lambda a: op(a) * 2, out_dims=1)(x),
            lambda: torch.vmap(torch.vmap(op))(x.reshape(1, 2, 3)),
            lambda: torch.vmap(bad)(x),
        ),
        seen,
    ]


@case
def kernels(torch):
    Tensor = torch.Tensor

    def for_cuda(x: Tensor) -> Tensor:
        return x.clone()

    op = torch.library.custom_op("cases::elsewhere", for_cuda, mutates_args=(), device_types="cuda")
    x = torch.arange(2.0)
    before = told(torch, lambda: op(x))
    op.register_kernel("cpu")(lambda x: x + 1)
    default = sine(torch, "cases::two_kernels")
    default.register_kernel("cpu", lambda x: x + 10)

    def disabled():
        with default.set_kernel_enabled("cpu", False):
            return default(x)

    def returns_number(x: Tensor) -> Tensor:
        return 3

    wrong = torch.library.custom_op("cases::returns_number", returns_number, mutates_args=())
    return [
        before,
        told(
            torch,
            lambda: op(x),
            lambda: default(x),
            disabled,
            lambda: default(x),
            lambda: op.register_kernel("moon")(lambda x: x),
            lambda: wrong(x),
        ),
    ]


@case
def by_name(torch):
    library = torch.library
    x = torch.arange(3.0, requires_grad=True)
    with library._scoped_library("cases_by_name", "FRAGMENT") as lib:
        library.define("cases_by_name::square", "(Tensor x) -> Tensor", lib=lib)
        square = torch.ops.cases_by_name.square
        lib.define("times(Tensor x, int n=2, *, float[] l=[1.0], str s='a') -> Tensor")
        times = torch.ops.cases_by_name.times
        found = told(
            torch,
            lambda: square(x.detach()),
            lambda: library.impl("cases_by_name::square", "cpu", lambda x: x * x, lib=lib),
            lambda: square(x.detach()),
            lambda: library.register_autograd(
                "cases_by_name::square", lambda ctx, g: g * 2 * ctx.saved_tensors[0],
                setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs), lib=lib,
            ),
            lambda: square(x),
            lambda: torch.autograd.grad(square(x).sum(), x),
            lambda: library.register_fake("cases_by_name::square", lambda x: torch.empty_like(x), lib=lib) and None,
            lambda: square(torch.ones(2, device="meta")),
            lambda: library.register_vmap(
                "cases_by_name::square", lambda info, in_dims, x: (square(x) + 1, in_dims[0]), lib=lib
            ),
            lambda: torch.vmap(square)(torch.ones(2, 2)),
            lambda: lib.impl("times", lambda x, n=2, l=(), s="": x * n, "CPU"),
            lambda: times(x.detach()),
            lambda: times(x.detach(), n=5),
            lambda: str(times.default._schema),
            lambda: lib.define("times(Tensor x) -> Tensor"),
            lambda: lib.impl("times", lambda x: x, "NoKey"),
            lambda: library.define("cases_by_name::bad", "Tensor x -> Tensor"),
            lambda: library.define("bad", "(Tensor x) -> Tensor"),
            lambda: library.Library("cases_by_name", "XX"),
            lambda: library.Library("prim", "DEF"),
            lambda: repr(lib),
        )
    return found


@case
def opcheck(torch):
    Tensor, custom_op, check = torch.Tensor, torch.library.custom_op, torch.library.opcheck

    def lies(x: Tensor) -> Tensor:
        x.mul_(2)
        return x.clone()

    def wrong_shape(x: Tensor) -> Tensor:
        return x.clone()

    def wrong_dtype(x: Tensor) -> Tensor:
        return x.double()

    def wrong_strides(x: Tensor) -> Tensor:
        return x.t().clone()

    def short(f: Any) -> Any:
        def run() -> Any:
            found = f()
            return {k: v if isinstance(v, str) else [type(v).__name__, str(v)] for k, v in found.items()}

        return run

    fine = with_gradient(torch, "cases::checked")
    liar = custom_op("cases::lies", lies, mutates_args=())
    shape, kind, strides = (
        custom_op(f"cases::{f.__name__}", f, mutates_args=()) for f in (wrong_shape, wrong_dtype, wrong_strides)
    )
    shape.register_fake(lambda x: x.new_empty(x.shape[0] + 1))
    kind.register_fake(lambda x: torch.empty_like(x))
    strides.register_fake(lambda x: x.new_empty((x.shape[1], x.shape[0])))
    x, m = torch.arange(3.0), torch.ones(2, 3)
    no_fake = sine(torch, "cases::no_fake")
    return told(
        torch,
        short(lambda: check(fine, (x,))),
        short(lambda: check(fine, (x.clone().requires_grad_(),))),
        short(lambda: check(fine._opoverload, (x,), test_utils="test_schema")),
        short(lambda: check(liar, (x,), test_utils=["test_schema"], raise_exception=False)),
        short(lambda: check(no_fake, (x,), raise_exception=False)),
        lambda: check(no_fake, (x,)),
        lambda: check(liar, (x,)),
        lambda: check(shape, (x,)),
        lambda: check(kind, (x,)),
        lambda: check(strides, (m,)),
        lambda: check(fine, (x,), test_utils="test_x"),
        lambda: check("cases::checked", (x,)),
    )


@case
def names_of_libraries_may_begin_with_an_underscore(torch):
    torch.library.custom_op("_cases::twice", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor")
    return see(torch, torch.ops._cases.twice(torch.ones(2)))


def _constant(x):
    return x.detach().clone() * 2


def _without_formula(torch, name, kernel, register, schema="(Tensor x) -> Tensor", use=lambda op, x: op(x)):
    """What the graph, the gradient and the warnings are for an operator without a gradient of its own."""
    library = torch.library.Library("cases_plain", "FRAGMENT")
    library.define(name + schema)
    register(library, name, kernel)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = use(getattr(torch.ops.cases_plain, name), x)
    node = y.grad_fn
    seen = [y.requires_grad, y.is_leaf, None if node is None else [node.name(), len(node.next_functions)]]
    said = warned(lambda: y.sum().backward()) if y.requires_grad else []
    library._destroy()
    return [*seen, [[kind, text.partition(" (Triggered")[0]] for kind, text in said], see(torch, x.grad)]


@case
def operators_without_a_gradient_warn(torch):
    def to(key):
        return lambda library, name, kernel: library.impl(name, kernel, key)

    def fallthrough(library, name, kernel):
        library.impl(name, kernel, "CPU")
        library.impl(name, torch.library.fallthrough_kernel, "Autograd")

    def by_name(types):
        return lambda library, name, kernel: torch.library.impl(f"cases_plain::{name}", types)(kernel)

    def twice(x):
        return x * 2

    ways = [to("CPU"), to("CompositeImplicitAutograd"), to("CompositeExplicitAutograd"), to("Autograd"), to(""),
            fallthrough, by_name("cpu"), by_name("default")]  # fmt: skip
    return [
        [_without_formula(torch, f"{kernel.__name__}_{i}", kernel, way) for i, way in enumerate(ways)]
        for kernel in (_constant, twice)
    ]


@case
def results_of_operators_without_a_gradient(torch):
    def on_cpu(library, name, kernel):
        library.impl(name, kernel, "CPU")

    def in_place(x):
        with torch.no_grad():
            return x.mul_(2)

    def told(name, kernel, schema, use=lambda op, x: op(x)):
        return _without_formula(torch, name, kernel, on_cpu, schema, use)

    return [
        told("in_place", in_place, "(Tensor(a!) x) -> Tensor(a!)", lambda op, x: op(x.clone())),
        told("of_view", in_place, "(Tensor(a!) x) -> Tensor(a!)", lambda op, x: op(x.clone()[:1])),
        told("whole", in_place, "(Tensor(a!) x) -> Tensor(a!)", lambda op, x: (y := x.clone(), op(y[:1]))[0]),
        told("same", lambda x: x, "(Tensor x) -> Tensor"),
        told("integers", lambda x: x.detach().long(), "(Tensor x) -> Tensor"),
        told("nothing", lambda x: None, "(Tensor x) -> ()", lambda op, x: (op(x), x * 2)[1]),
        told("both", lambda x: (_constant(x), x * 2), "(Tensor x) -> (Tensor, Tensor)", lambda op, x: sum(op(x))),
        told("many", lambda x: [_constant(t) for t in x], "(Tensor[] x) -> Tensor[]", lambda op, x: sum(op([x, x]))),
        told("unrecorded", _constant, "(Tensor x) -> Tensor", lambda op, x: torch.no_grad()(op)(x)),
    ]


@case
def operators_without_a_gradient_need_not_warn(torch):
    core, found = torch._C, [torch._C._get_autograd_fallback_mode()]
    for mode in ("nothing", "warn"):
        core._set_autograd_fallback_mode(mode)
        register = lambda library, name, kernel: library.impl(name, kernel, "CPU")
        found.append([core._get_autograd_fallback_mode(), _without_formula(torch, f"in_{mode}", _constant, register)])
    return [*found, error(lambda: core._set_autograd_fallback_mode("error"))]


@case
def namespaces_of_operators_can_be_forgotten(torch):
    library = torch.library.Library("cases_forgotten", "DEF")
    try:
        library.define("one_more(Tensor x) -> Tensor")
        library.impl("one_more", lambda x: x + 1, "CPU")
        found = see(torch, torch.ops.cases_forgotten.one_more(torch.ones(1)))
        del torch.ops.cases_forgotten
        return [found, see(torch, torch.ops.cases_forgotten.one_more(torch.ones(1)))]
    finally:
        library._destroy()


@case
def what_is_kept_from_the_compiler_runs(torch):
    @torch._disable_dynamo
    def twice(x):
        return x * 2

    @torch._disable_dynamo(recursive=False)
    def thrice(x):
        return x * 3

    return [twice(2), twice.__name__, thrice(2)]


@case
def tensors_that_are_given_by_name_alone_are_refused(torch):
    Tensor = torch.Tensor

    def one(x: Tensor, *, y: int, z: Tensor) -> Tensor:
        return x

    def two(x: Tensor, *, z: Tensor | None) -> Tensor:
        return x

    def registered():
        with torch.library._scoped_library("cases", "FRAGMENT") as library:
            library.define("by_name(Tensor x, *, Tensor y) -> Tensor")
            torch.library.register_autograd("cases::by_name", lambda g: g, setup_context=lambda *a: None)

    make = torch.library.custom_op
    return [
        error(lambda: make("cases::named_one", one, mutates_args=())),
        error(lambda: make("cases::named_two", two, mutates_args=())), error(registered),
        error(lambda: make("cases::sin_", lambda x: None, mutates_args=(), schema="(Tensor(a!) x) -> ()")),
        error(lambda: make("cases::sin2_", lambda x: None, mutates_args="unknown", schema="(Tensor(a!) x) -> ()")),
    ]  # fmt: skip


@case
def operators_without_tensors_go_by_their_device(torch):
    Tensor, device = torch.Tensor, torch.device

    def made(device: device) -> Tensor:
        return torch.ones(3)

    def nothing() -> Tensor:
        return torch.ones(3)

    def elsewhere(n: int, on: device) -> Tensor:
        return torch.ones(3)

    make = torch.library.custom_op
    op = make("cases::made", made, mutates_args=(), device_types="cpu")
    plain = make("cases::nothing", nothing, mutates_args=())
    return [
        see(torch, [op(device="cpu"), op(torch.device("cpu")), plain()]), error(lambda: op("cuda")),
        error(lambda: make("cases::nothing_two", nothing, mutates_args=(), device_types="cpu")),
        error(lambda: make("cases::elsewhere", elsewhere, mutates_args=(), device_types="cpu")),
        error(lambda: plain.register_kernel("cpu")(nothing)),
    ]  # fmt: skip


@case
def what_is_said_of_operators(torch):
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    tag = torch.Tag
    library = torch.library.Library("cases_tagged", "DEF")
    try:
        library.define("a(Tensor x) -> Tensor", tags=tag.pt2_compliant_tag)
        library.define("b(Tensor x) -> Tensor", tags=[tag.pt2_compliant_tag, tag.needs_fixed_stride_order])
        library.define("c(Tensor x) -> Tensor", tags=(tag.core,))
        library.define("d(Tensor x) -> Tensor")
        found = [sorted(str(t) for t in getattr(torch.ops.cases_tagged, n).default.tags) for n in "abcd"]
    finally:
        library._destroy()
    torch.library.custom_op("cases::tagged", f, mutates_args=(), tags=[tag.needs_fixed_stride_order])
    torch.library.custom_op("cases::untagged", f, mutates_args=())
    return [*found, *(sorted(str(t) for t in getattr(torch.ops.cases, n).default.tags) for n in ("tagged", "untagged"))]


@case
def defaults_of_operators(torch):
    told, place = [], torch.device("cpu:0")

    def f(
        x: torch.Tensor, a: int | None = None, b: float = 0.5, e: str = "foo",
        d: torch.dtype = torch.float32, i: torch.device = place, *, k: torch.dtype = torch.int64,
    ) -> torch.Tensor:  # fmt: skip
        told.append([a, b, e, str(d), str(i), str(k)])
        return x.clone()

    op = torch.library.custom_op("cases::defaults", f, mutates_args=())

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        told.append([*map(str, inputs[1:]), sorted(keyword_only_inputs)])

    op.register_autograd(lambda ctx, g: (g, *[None] * 5), setup_context=setup_context)
    see(torch, [op(torch.ones(1)), op(torch.ones(1, requires_grad=True), e="bar"), op(torch.ones(1), 2, k=torch.bool)])
    schema = torch.ops.cases.defaults.default._schema
    defaults = [[a.name, str(a.default_value), a.has_default_value(), a.kwarg_only] for a in schema.arguments]
    return [told, str(schema), defaults]


@case
def kernels_that_are_switched_off(torch):
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    op, x = torch.library.custom_op("cases::switched", f, mutates_args=()), torch.ones(1)
    op.register_kernel("cpu")(lambda x: x + 2)
    found = [see(torch, op(x))]
    with op.set_kernel_enabled("cpu", enabled=False):
        found.append(see(torch, op(x)))
    return [*found, see(torch, op(x))]
