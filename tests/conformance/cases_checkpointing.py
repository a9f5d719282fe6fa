"""Checkpointing of parts of the forward pass: both ways, policies, early stops, and the errors when runs differ."""

from __future__ import annotations

import functools

from .observe import case, error, name_of, see, warned


def x_of(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def alternating(first, second):
    """A function that does something else every second time."""
    calls = [0]

    def run(x):
        calls[0] += 1
        return first(x) if calls[0] % 2 else second(x)

    return run


@case
def gradients_are_the_same(torch):
    found = []
    for reentrant in (True, False):
        x = x_of(torch)
        w = torch.tensor([3.0, 4.0], requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(lambda x, w: (x * w).sin().exp(), x, w, use_reentrant=reentrant)
        found.append([name_of(y.grad_fn), see(torch, y)])
        y.sum().backward()
        found.append(see(torch, [x.grad, w.grad]))
    return found


@case
def keyword_arguments_and_structures(torch):
    checkpoint = torch.utils.checkpoint.checkpoint
    x = x_of(torch)
    out = checkpoint(lambda a, *, scale: {"s": (a * scale).sin(), "n": 3}, x, scale=2.0, use_reentrant=False)
    out["s"].sum().backward()
    pair = checkpoint(lambda a: (a.sin(), {"a": a.cos()}), x, use_reentrant=True)
    nothing = checkpoint(lambda a: None, x, use_reentrant=True)
    return see(torch, [out["s"], out["n"], x.grad, pair[0], pair[1]["a"], nothing])


@case
def wrong_calls(torch):
    c = torch.utils.checkpoint
    x = x_of(torch)
    f = lambda x: x.sin().exp()
    seq = torch.nn.Sequential(*[torch.nn.Tanh() for _ in range(4)])
    return [error(fn) for fn in (
        lambda: c.checkpoint(f, x, use_reentrant=True, foo=3),
        lambda: c.checkpoint(f, x, use_reentrant=True, context_fn=lambda: 1),
        lambda: c.checkpoint(f, x, use_reentrant=True, debug=True),
        lambda: c.checkpoint(f, x, use_reentrant=False, determinism_check="foo"),
        lambda: c.checkpoint(f, x, use_reentrant=False, foo=3) and None,
        lambda: torch.autograd.grad(c.checkpoint(f, x, use_reentrant=True).sum(), x),
        lambda: c.checkpoint_sequential(seq, 2, x, use_reentrant=False, foo=2),
        lambda: c.checkpoint_sequential(seq, 9, x, use_reentrant=False),
        lambda: c.create_selective_checkpoint_contexts(3),
        lambda: c.create_selective_checkpoint_contexts(["a"]),
        lambda: c.detach_variable(x),
    )] + [
        warned(lambda: c.checkpoint(f, x)),
        warned(lambda: c.checkpoint(f, x.detach(), use_reentrant=True)),
        warned(lambda: c.checkpoint_sequential(seq, 2, x)),
        warned(lambda: c.check_backward_validity([x.detach()])),
    ]  # fmt: skip


@case
def runs_that_differ(torch):
    checkpoint = torch.utils.checkpoint.checkpoint
    pairs = [
        (lambda x: x.sin() * 2, lambda x: x.sin().exp() * 2),
        (lambda x: x.sin().exp().sum(), lambda x: x.sin().sum()),
        (lambda x: x.sin().sum(), lambda x: torch.cat([x, x]).sin().sum()),
    ]
    found = []
    for first, second in pairs:
        for check in ("default", "none"):
            f = alternating(first, second)
            found.append(error(lambda f=f, check=check: checkpoint(
                f, x_of(torch), use_reentrant=False, determinism_check=check).sum().backward()))  # fmt: skip
    return found


@case
def runs_that_differ_in_debug_mode(torch):
    c = torch.utils.checkpoint
    found = []
    for way in ("argument", "context"):
        f = alternating(lambda x: x.sin().sum(), lambda x: torch.cat([x, x]).sin().sum())
        try:
            if way == "argument":
                y = c.checkpoint(f, x_of(torch), use_reentrant=False, debug=True)
            else:
                with c.set_checkpoint_debug_enabled(True):
                    y = c.checkpoint(f, x_of(torch), use_reentrant=False)
            y.backward()
        except c.CheckpointError as e:
            lines = str(e).split("\n")
            forward = lines.index("Operations executed during the original forward:")
            found.append([lines[:8], lines[forward : forward + 5], lines[-26:], str(e.__cause__)])
    return found


@case
def early_stop(torch):
    c = torch.utils.checkpoint
    log = []

    def f(x):
        log.append("a")
        y = x.sin()
        log.append("b")
        return y + 1

    found = []
    for outer in (None, True, False):
        for inner in (True, False):
            log.clear()
            if outer is None:
                y = c.checkpoint(f, x_of(torch), use_reentrant=False, early_stop=inner)
            else:
                with c.set_checkpoint_early_stop(outer):
                    y = c.checkpoint(f, x_of(torch), use_reentrant=False, early_stop=inner)
            y.sum().backward()
            found.append(list(log))
    return found


@case
def sequential(torch):
    c = torch.utils.checkpoint
    seq = torch.nn.Sequential(*[torch.nn.Tanh() for _ in range(5)])
    found = []
    for functions, segments in ((seq, 2), (seq, 1), (seq, 5), ([torch.sin, torch.cos, torch.exp], 2)):
        x = x_of(torch)
        y = c.checkpoint_sequential(functions, segments, x, use_reentrant=False, preserve_rng_state=False)
        y.sum().backward()
        found.append(see(torch, [y, x.grad]))
    return found


@case
def twice_backward(torch):
    c = torch.utils.checkpoint
    f = lambda x: x.sin().exp()
    keep = lambda: c.create_selective_checkpoint_contexts([torch.ops.aten.sin.default])

    def twice(retain, **options):
        x = x_of(torch)
        y = c.checkpoint(f, x, use_reentrant=False, **options).sum()
        y.backward(retain_graph=retain)
        y.backward()
        return see(torch, x.grad)

    return [error(lambda: twice(True)), error(lambda: twice(True, context_fn=keep))]


@case
def policies(torch):
    c = torch.utils.checkpoint
    policy = c.CheckpointPolicy
    names = ("sin", "exp", "cos")
    pairs = [(policy.MUST_SAVE, policy.PREFER_RECOMPUTE), (policy.PREFER_SAVE, policy.MUST_RECOMPUTE), (True, False)]
    found = [[p.name for p in policy]]
    for kept in [(), ("sin",), ("exp", "cos"), names]:
        for said in pairs:
            asked = []

            def choose(ctx, op, *args, kept=kept, said=said, asked=asked, **kwargs):
                name = next((n for n in names if op == getattr(torch.ops.aten, n).default), None)
                asked.append([ctx.is_recompute, name])
                return said[0] if name in kept else said[1]

            x = x_of(torch)
            contexts = lambda choose=choose: c.create_selective_checkpoint_contexts(choose)
            y = c.checkpoint(lambda x: x.sin().exp().cos(), x, use_reentrant=False, context_fn=contexts)
            y.sum().backward()
            found.append([asked, see(torch, x.grad)])
    return found


@case
def a_list_of_operators(torch):
    c = torch.utils.checkpoint
    a = torch.arange(4.0).view(2, 2).requires_grad_()
    contexts = lambda: c.create_selective_checkpoint_contexts([torch.ops.aten.mm.default, torch.ops.aten.sin.default])
    y = c.checkpoint(lambda a: (a @ a).sin().exp().sum(), a, use_reentrant=False, context_fn=contexts)
    y.backward()
    return see(torch, [y, a.grad])


@case
def kept_results_may_not_change(torch):
    c = torch.utils.checkpoint

    def f(x):
        y = x.sin()
        y.mul_(2)
        return y.exp().sum()

    contexts = lambda: c.create_selective_checkpoint_contexts([torch.ops.aten.sin.default])
    return error(lambda: c.checkpoint(f, x_of(torch), use_reentrant=False, context_fn=contexts).backward())


@case
def nested_and_inner_backward(torch):
    c = torch.utils.checkpoint
    x = x_of(torch)

    def nested(x):
        return c.checkpoint(lambda z: z.sin().exp(), x, use_reentrant=False).cos()

    def inner(x):
        y = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(y.sin().sum(), y)
        return (x * g).sin()

    found = []
    for f in (nested, inner):
        x = x_of(torch)
        c.checkpoint(f, x, use_reentrant=False).sum().backward()
        found.append(see(torch, x.grad))
    return found


@case
def groups_of_backward_passes(torch):
    c = torch.utils.checkpoint
    calls = [0]

    def f(x):
        calls[0] += 1
        return x.sin(), x.exp().cos()

    x = x_of(torch)
    a, b = c.checkpoint(f, x, use_reentrant=False, early_stop=False)
    with c.GraphExecGroup():
        a.sum().backward(retain_graph=True)
        b.sum().backward()
    found = [calls[0], see(torch, x.grad)]
    y = c.checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)

    def overlap():
        with c.GraphExecGroup():
            y.sum().backward(retain_graph=True)
            y.sum().backward()

    return [*found, error(overlap)]


@case
def small_parts(torch):
    c = torch.utils.checkpoint
    x = x_of(torch)
    (cut,) = c.detach_variable((x,))
    return [
        see(torch, cut), c.get_device_states(x) == ([], []), c.DefaultDeviceType.get_device_type() in ("cpu", "cuda"),
        c.SelectiveCheckpointContext(is_recompute=True).is_recompute, issubclass(c.CheckpointError, RuntimeError),
    ]  # fmt: skip


@case
def inputs_changed_before_they_are_used_again_are_refused(torch):
    """Whether or not the function needs their values; also through views, within another checkpoint, under hooks."""
    ck = torch.utils.checkpoint.checkpoint
    f = lambda q: (q.sin() * q).exp()

    def changed(function, pick=lambda h: h, before=lambda h: None):
        x = x_of(torch)
        h = x * 1
        before(h)
        with torch.autograd.graph.save_on_cpu() if before is hooked else torch.enable_grad():
            y = ck(function, pick(h), use_reentrant=False)
        h.mul_(0.5)
        y.sum().backward()
        return see(torch, x.grad)

    def hooked(h):
        pass

    def leaf():
        x = x_of(torch)
        y = ck(f, x, use_reentrant=False)
        with torch.no_grad():
            x.mul_(0.5)
        y.sum().backward()

    def constant():
        x, c = x_of(torch), torch.ones(2)
        y = ck(lambda q, c: (q + 1).exp(), x, c, use_reentrant=False)
        c.mul_(0.5)
        y.sum().backward()

    def by_the_function():
        x = x_of(torch) * 1
        ck(lambda q: q.mul_(2).exp(), x, use_reentrant=False).sum().backward()

    def again():
        x = x_of(torch)
        h = x * 1
        h.mul_(2)
        ck(f, h, use_reentrant=False).sum().backward()
        return see(torch, x.grad)

    def data():
        x = x_of(torch)
        y = ck(f, x, use_reentrant=False)
        x.data.mul_(0.5)
        y.sum().backward()
        return see(torch, x.grad)

    def inference():
        with torch.inference_mode():
            c = torch.ones(2)
        ck(lambda q, c: q.sin(), x_of(torch), c, use_reentrant=False)

    return [error(fn) for fn in (
        lambda: changed(f),
        lambda: changed(lambda q: (q + 1).exp()),
        lambda: changed(f, lambda h: h[:1]),
        lambda: changed(lambda p: ck(f, p, use_reentrant=False).sin()),
        leaf, constant, by_the_function, inference,
    )] + [again(), data(), changed(f, before=hooked), changed(lambda q: f(q[0]), lambda h: [h.clone()])]  # fmt: skip


@case
def nothing_is_checkpointed_without_gradients(torch):
    ck = torch.utils.checkpoint.checkpoint
    entered = []

    class Context:
        def __enter__(self):
            entered.append(1)

        def __exit__(self, *exc):
            pass

    def f(q):
        with torch.enable_grad():
            return q.sin()

    x = x_of(torch)
    with torch.no_grad():
        y = ck(f, x, use_reentrant=False, context_fn=lambda: (Context(), Context()))
    return [see(torch, y), see(torch, y.grad_fn._saved_self), entered]


@case
def policies_see_operators_of_users(torch):
    runs = []

    @torch.library.custom_op(
        "facula_policies::pair", mutates_args=(), schema="(Tensor x, int n) -> (Tensor, Tensor)"
    )
    def pair(x, n):
        runs.append(n)
        return x.sin().exp(), x * n

    pair.register_autograd(
        lambda ctx, g, h: (g * ctx.saved_tensors[0] + h * 3, None),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    operator = torch.ops.facula_policies.pair.default
    checkpointing = torch.utils.checkpoint

    def fn(x):
        a, b = pair(x, 3)
        c, d = pair(b.sin(), 4)
        return (c * d).exp() * a.sum()

    seen = []
    for kept in ([operator], [torch.ops.aten.sin.default], [torch.ops.aten.exp.default, operator]):
        runs.clear()
        x = torch.tensor([0.5, -0.25], requires_grad=True)
        contexts = functools.partial(checkpointing.create_selective_checkpoint_contexts, kept)
        out = checkpointing.checkpoint(fn, x, use_reentrant=False, context_fn=contexts)
        (g,) = torch.autograd.grad(out.sum(), x)
        again = error(lambda out=out, x=x: torch.autograd.grad(out.sum(), x))
        seen.append([see(torch, g), list(runs), again["raises"]])
    return seen


@case
def modes_see_operators_of_users_and_not_what_these_call(torch):
    names = []

    @torch.library.custom_op("facula_policies::wave", mutates_args=(), schema="(Tensor x) -> Tensor")
    def wave(x):
        return x.sin().cos()

    class Naming(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    with Naming():
        y = wave(torch.ones(2)) * 2

    class Ruled(Naming):
        pass

    def rule(mode, func, types, args, kwargs):
        names.append([type(mode).__name__, str(func), len(args), kwargs])
        return func(*args, **kwargs) * 3

    wave.register_torch_dispatch(Ruled, rule)
    with Ruled():
        z = wave(torch.ones(2))
    with Naming(), Ruled():
        both = wave(torch.ones(2))
    return [names, see(torch, [y, z, both])]
