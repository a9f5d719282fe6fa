"""``torch.autograd.Function``: contexts, outputs of every kind, marks, saved tensors, errors and double backward."""

from __future__ import annotations

from typing import Any

from .observe import case, error, graph, name_of, see


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def make(torch: Any, forward: Any, backward: Any = None, name: str = "Custom") -> Any:
    """A Function class of two plain functions."""
    body = {"forward": staticmethod(forward)}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    return type(name, (torch.autograd.Function,), body)


def square(torch: Any) -> Any:
    class MySquare(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    return MySquare


@case
def square_forward_and_backward(torch):
    x = leaf(torch, 2.0, 3.0)
    y = square(torch).apply(x)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def names_and_printing(torch):
    x = leaf(torch, 2.0)
    y = square(torch).apply(x)
    node = y.grad_fn
    return {
        "tensor": repr(y),
        "node": repr(node).split(" at 0x")[0],
        "class": str(type(node)),
        "name": node.name(),
        "type_name": type(node).__name__,
        "module": type(node).__module__,
        "forward_cls": node._forward_cls.__name__,
        "bases": [c.__name__ for c in type(node).__mro__],
        "is_node": isinstance(node, torch.autograd.graph.Node),
        "is_ctx": isinstance(node, torch.autograd.function.FunctionCtx),
        "metadata": node.metadata,
        "graph": graph(node),
    }


@case
def each_function_class_has_one_backward_class(torch):
    S = square(torch)
    a, b = S.apply(leaf(torch, 1.0)), S.apply(leaf(torch, 1.0))
    return type(a.grad_fn) is type(b.grad_fn), a.grad_fn is b.grad_fn, type(a.grad_fn) is S._backward_cls


@case
def forward_runs_without_grad_mode(torch):
    seen = []

    def forward(ctx, x):
        y = x * 2
        seen.append([torch.is_grad_enabled(), x.requires_grad, y.requires_grad, name_of(y.grad_fn)])
        return y

    x = leaf(torch, 1.0)
    make(torch, forward, lambda ctx, g: g * 2).apply(x)
    with torch.no_grad():
        make(torch, forward, lambda ctx, g: g * 2).apply(x)
    return seen, torch.is_grad_enabled()


@case
def forward_gets_the_very_inputs(torch):
    x, w = leaf(torch, 1.0), torch.ones(1)
    seen = []

    def forward(ctx, a, b, c, d):
        seen.extend([a is x, b is w, c, d])
        return a * b

    make(torch, forward, lambda ctx, g: (g, g, None, None)).apply(x, w, "text", [1, 2])
    return seen


@case
def backward_grad_mode_follows_create_graph(torch):
    seen = []

    def backward(ctx, g):
        seen.append([torch.is_grad_enabled(), g.requires_grad])
        return g * 2

    x = leaf(torch, 1.0)
    F = make(torch, lambda ctx, x: x * 2, backward)
    F.apply(x).sum().backward()
    torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
    return seen


@case
def result_under_no_grad_has_no_history(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = square(torch).apply(x)
    return see(torch, y)


@case
def result_of_constants_has_no_history(torch):
    y = square(torch).apply(torch.tensor([3.0]))
    return see(torch, y), y.is_leaf


def make_product(torch: Any) -> Any:
    def forward(ctx, a, b, c=1.0):
        ctx.seen = list(ctx.needs_input_grad)
        return a * b * c

    return make(torch, forward, lambda ctx, g: (g * 10, g * 100, None), "Product")


@case
def keyword_arguments_take_the_positions_of_the_signature(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = make_product(torch).apply(b=w, a=x)
    y.backward()
    return y.grad_fn.seen, graph(y.grad_fn), see(torch, x.grad), see(torch, w.grad)


@case
def keyword_numbers_count_as_inputs(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = make_product(torch).apply(x, w, c=5.0)
    y.backward()
    return y.grad_fn.seen, see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def wrong_arguments_of_apply(torch):
    P, x = make_product(torch), leaf(torch, 2.0)
    return (
        error(lambda: P.apply(x, x, d=3))["raises"],
        error(lambda: P.apply(x, x, b=x))["raises"],
        error(lambda: P.apply(x))["raises"],
    )


@case
def defaults_of_forward_need_no_gradient_slot(torch):
    x = leaf(torch, 2.0)
    F = make(torch, lambda ctx, a, scale=3.0: a * scale, lambda ctx, g: g * 3)
    F.apply(x).sum().backward()
    return see(torch, x.grad)


@case
def needs_input_grad_in_forward_and_backward(torch):
    x, w = leaf(torch, 2.0), torch.ones(1)
    seen = []

    def forward(ctx, a, b, c, d):
        seen.append(list(ctx.needs_input_grad))
        return a * b

    def backward(ctx, g):
        seen.append(list(ctx.needs_input_grad))
        return g, None, None, None

    make(torch, forward, backward).apply(x, w, 3, None).sum().backward()
    return seen


@case
def needs_input_grad_is_not_refined_by_the_inputs_of_backward(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    seen = []

    def backward(ctx, g):
        seen.append(list(ctx.needs_input_grad))
        return g, g

    y = make(torch, lambda ctx, a, b: a * b, backward).apply(x, w)
    torch.autograd.grad(y.sum(), w, retain_graph=True)
    y.sum().backward(inputs=[x])
    return seen, w.grad


@case
def needs_input_grad_under_no_grad(torch):
    x, seen = leaf(torch, 2.0), []

    def forward(ctx, a):
        seen.append(list(ctx.needs_input_grad))
        return a * 2

    with torch.no_grad():
        make(torch, forward, lambda ctx, g: g).apply(x)
    return seen


@case
def several_outputs(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def backward(ctx, g, h):
        seen.append([g.tolist(), h.tolist()])
        return 2 * g + 3 * h

    a, b = make(torch, lambda ctx, x: (x * 2, x * 3), backward).apply(x)
    (a * 10 + b).sum().backward()
    return seen, see(torch, x.grad), a.grad_fn is b.grad_fn, [a.output_nr, b.output_nr]


@case
def unused_output_gets_zeros(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def backward(ctx, g, h):
        seen.append([see(torch, g), see(torch, h)])
        return 2 * g + 3 * h

    a, _ = make(torch, lambda ctx, x: (x * 2, x.double() * 3), backward).apply(x)
    a.sum().backward()
    return seen, see(torch, x.grad)


@case
def unused_output_gets_none_without_materialization(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx, g, h):
        seen.append([g is None, h is None])
        return 3 * h

    _, b = make(torch, forward, backward).apply(x)
    b.sum().backward()
    return seen, see(torch, x.grad)


@case
def undefined_gradient_reaching_a_single_output(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []
    F = make(torch, lambda ctx, x: x * 2, lambda ctx, g: seen.append(see(torch, g)) or g * 2)
    Cut = make(torch, lambda ctx, x: x * 2, lambda ctx, g: None, "Cut")
    Cut.apply(F.apply(x)).sum().backward()
    return seen, see(torch, x.grad)


@case
def undefined_gradient_without_materialization(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    def backward(ctx, g):
        seen.append(g)
        return g

    Cut = make(torch, lambda ctx, x: x * 2, lambda ctx, g: None, "Cut")
    Cut.apply(make(torch, forward, backward).apply(x)).sum().backward()
    return seen, x.grad


@case
def materialize_grads_takes_a_bool_only(torch):
    x = leaf(torch, 1.0)

    def forward(ctx, x):
        ctx.set_materialize_grads(0)
        return x * 2

    return error(lambda: make(torch, forward, lambda ctx, g: g).apply(x))["raises"]


@case
def backward_returning_none_gives_no_gradient(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: None).apply(x).sum().backward()
    return x.grad


@case
def outputs_that_are_no_tensors(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def backward(ctx, *grads):
        seen.append([None if g is None else g.tolist() for g in grads])
        return grads[0] * 2

    y, three, nothing, text = make(torch, lambda ctx, x: (x * 2, 3, None, "text"), backward).apply(x)
    y.sum().backward()
    return [three, nothing, text], seen, see(torch, x.grad)


@case
def single_output_that_is_no_tensor(torch):
    x = leaf(torch, 1.0)
    return [make(torch, lambda ctx, x, v=v: v, lambda ctx, g: g).apply(x) for v in (3, None, "text", [1, 2])]


@case
def list_and_dict_outputs_are_passed_through_unrecorded(torch):
    x = leaf(torch, 1.0)
    out = make(torch, lambda ctx, x: [x * 2, x * 3], lambda ctx, g: g).apply(x)
    d = make(torch, lambda ctx, x: {"a": x * 2}, lambda ctx, g: g).apply(x)
    return type(out).__name__, see(torch, out), see(torch, d)


@case
def one_tuple_stays_a_tuple(torch):
    x = leaf(torch, 1.0)
    out = make(torch, lambda ctx, x: (x * 2,), lambda ctx, g: g * 2).apply(x)
    return type(out).__name__, len(out), see(torch, out[0])


@case
def integer_outputs_do_not_require_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def backward(ctx, g, h):
        seen.append([g.tolist(), None if h is None else [str(h.dtype), h.tolist()]])
        return g

    y, i = make(torch, lambda ctx, x: (x * 1, x.long()), backward).apply(x)
    y.sum().backward()
    return see(torch, i), i.is_leaf, seen


@case
def input_returned_as_it_is(torch):
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, x: x, lambda ctx, g: g * 10).apply(x)
    y.sum().backward()
    return y is x, y._is_view(), y._base is x, see(torch, y), see(torch, x.grad), y.data_ptr() == x.data_ptr()


@case
def constant_input_returned_as_it_is(torch):
    w = torch.ones(2)
    F = make(torch, lambda ctx, x: x, lambda ctx, g: g * 10)
    y = F.apply(w)
    return y is w, y._is_view(), see(torch, y)


@case
def constant_returned_beside_a_recorded_input(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.ones(2)
    y = make(torch, lambda ctx, a, b: b, lambda ctx, g: (g * 10, None)).apply(x, w)
    y.sum().backward()
    return y is w, see(torch, y), see(torch, x.grad), w.requires_grad


@case
def one_input_returned_twice(torch):
    x = leaf(torch, 1.0, 2.0)
    a, b = make(torch, lambda ctx, x: (x, x), lambda ctx, g, h: g * 10 + h).apply(x)
    (a + 2 * b).sum().backward()
    return a is b, see(torch, a), see(torch, x.grad)


@case
def one_new_tensor_returned_twice(torch):
    x = leaf(torch, 1.0, 2.0)

    def forward(ctx, x):
        y = x * 2
        return y, y

    seen = []

    def backward(ctx, g, h):
        seen.append([g.tolist(), h.tolist()])
        return g + h

    a, b = make(torch, forward, backward).apply(x)
    (a + 3 * b).sum().backward()
    return a is b, [a.output_nr, b.output_nr], seen


@case
def view_of_an_input_returned(torch):
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, x: x[1:], lambda ctx, g: torch.cat([g * 0, g * 5])).apply(x)
    y.sum().backward()
    return y._is_view(), y._base is x, see(torch, y), see(torch, x.grad)


@case
def detached_input_returned_is_a_fresh_output(torch):
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, x: x.detach(), lambda ctx, g: g * 5).apply(x)
    y.sum().backward()
    return y._is_view(), see(torch, y), see(torch, x.grad)


@case
def inplace_on_a_view_output_is_refused(torch):
    x = leaf(torch, 1.0, 2.0).clone()
    y = make(torch, lambda ctx, x: x[1:], lambda ctx, g: torch.cat([g * 0, g])).apply(x)
    z = make(torch, lambda ctx, x: x, lambda ctx, g: g).apply(x)
    return error(lambda: y.add_(1)), error(lambda: z.add_(1))


@case
def inplace_on_a_view_output_of_constants_is_allowed(torch):
    w = torch.ones(2)
    y = make(torch, lambda ctx, x: x[1:], lambda ctx, g: g).apply(w)
    y.add_(1)
    return see(torch, w)


@case
def inplace_on_a_fresh_output_is_allowed(torch):
    x = leaf(torch, 1.0, 2.0)
    y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2).apply(x)
    y.mul_(3)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def inplace_on_a_saved_output_is_caught(torch):
    x = leaf(torch, 1.0, 2.0)

    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0], "MyExp").apply(x)
    y.add_(1)
    return error(lambda: y.sum().backward())


@case
def inplace_on_the_second_saved_output_names_its_number(torch):
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.save_for_backward(a, b)
        return a, b

    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * a + h * b

    a, b = make(torch, forward, backward, "Pair").apply(leaf(torch, 1.0, 2.0))
    b.add_(1)
    return error(lambda: (a + b).sum().backward())


@case
def inplace_on_a_saved_input_is_caught(torch):
    h = leaf(torch, 1.0, 2.0) * 1
    y = square(torch).apply(h)
    h.add_(1)
    return error(lambda: y.sum().backward())


@case
def dirty_input_is_returned_itself(torch):
    x = leaf(torch, 1.0, 2.0)

    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    h = x * 1
    old = h.grad_fn
    y = make(torch, forward, lambda ctx, g: g * 2, "Double").apply(h)
    y.sum().backward()
    return y is h, see(torch, h), h.grad_fn.next_functions[0][0] is old, see(torch, x.grad)


@case
def dirty_input_bumps_the_version(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x

    h = leaf(torch, 1.0) * 1
    make(torch, forward, lambda ctx, g: g).apply(h)
    return h._version


@case
def dirty_input_changed_in_forward_bumps_twice(torch):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    h = leaf(torch, 1.0) * 1
    make(torch, forward, lambda ctx, g: g).apply(h)
    return h._version


@case
def dirty_constant_becomes_recorded(torch):
    def forward(ctx, a, b):
        a.mul_(b)
        ctx.mark_dirty(a)
        return a

    w, x = torch.full((2,), 3.0), leaf(torch, 1.0, 2.0)
    y = make(torch, forward, lambda ctx, g: (None, g * 3)).apply(w, x)
    y.sum().backward()
    return y is w, see(torch, w), see(torch, x.grad)


@case
def dirty_leaf_is_refused(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x

    return error(lambda: make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0)))


@case
def dirty_leaf_under_no_grad(torch):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = make(torch, forward, lambda ctx, g: g).apply(x)
    return y is x, see(torch, x)


@case
def dirty_view_of_a_base_updates_the_base(torch):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch, 1.0, 2.0)
    h = x.clone()
    v = h[0:1]
    y = make(torch, forward, lambda ctx, g: g * 2, "Double").apply(v)
    names = [name_of(h.grad_fn), name_of(v.grad_fn)]
    h.sum().backward()
    return y is v, names, see(torch, h), see(torch, x.grad)


@case
def dirty_view_of_a_leaf_is_refused(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x

    return error(lambda: make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0, 2.0)[0:1]))


@case
def dirty_input_that_is_not_returned(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    return error(lambda: make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0).clone()))


@case
def dirty_view_among_several_outputs(torch):
    def forward(ctx, a, b):
        ctx.mark_dirty(a)
        return a, b * 2

    h = leaf(torch, 1.0, 2.0).clone()
    F = make(torch, forward, lambda ctx, g, k: (g, k))
    return error(lambda: see(torch, F.apply(h[0:1], leaf(torch, 1.0))))


@case
def inplace_change_without_mark_dirty(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    y = make(torch, lambda ctx, x: x.mul_(2), lambda ctx, g: g * 2).apply(h)
    return y is h, see(torch, y), name_of(h.grad_fn), y._is_view()


@case
def non_differentiable_output(torch):
    x = leaf(torch, 3.0, 1.0)
    seen = []

    def forward(ctx, x):
        values, indices = x * 2, x.round()
        ctx.mark_non_differentiable(indices)
        return values, indices

    def backward(ctx, g, h):
        seen.append([g.tolist(), None if h is None else h.tolist()])
        return g * 2

    y, i = make(torch, forward, backward).apply(x)
    y.sum().backward()
    return see(torch, i), i.is_leaf, seen, see(torch, x.grad)


@case
def all_outputs_non_differentiable(torch):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    return see(torch, make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0)))


@case
def non_differentiable_input_returned(torch):
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x

    x = leaf(torch, 1.0)
    y = make(torch, forward, lambda ctx, g: g).apply(x)
    return y is x, see(torch, y), x.requires_grad


@case
def marking_things_that_are_no_tensors(torch):
    def dirty(ctx, x):
        ctx.mark_dirty(3)
        return x * 2

    def non_differentiable(ctx, x):
        ctx.mark_non_differentiable(3)
        return x * 2

    x = leaf(torch, 1.0)
    return (
        error(lambda: make(torch, dirty, lambda ctx, g: g).apply(x)),
        error(lambda: make(torch, non_differentiable, lambda ctx, g: g).apply(x)),
    )


@case
def saving_inputs_outputs_intermediates_and_none(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def forward(ctx, x):
        mid = x + 1
        out = mid * mid
        ctx.save_for_backward(x, mid, out, None)
        return out

    def backward(ctx, g):
        a, mid, out, nothing = ctx.saved_tensors
        seen.append([a is x, see(torch, mid), see(torch, out), nothing])
        return 2 * mid * g

    y = make(torch, forward, backward).apply(x)
    y.sum().backward()
    return seen, see(torch, x.grad)


@case
def saved_output_is_recorded_when_read(torch):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(leaf(torch, 1.0))
    (saved,) = y.grad_fn.saved_tensors
    return saved is y, saved.grad_fn is y.grad_fn, see(torch, saved)


@case
def saving_things_that_are_no_tensors(torch):
    x = leaf(torch, 1.0)

    def forward(value):
        def f(ctx, x):
            ctx.save_for_backward(x, value)
            return x * 2

        return f

    return [error(lambda v=v: make(torch, forward(v), lambda ctx, g: g).apply(x)) for v in (3, "text", [x])]


@case
def saved_tensors_without_saving(torch):
    x = leaf(torch, 1.0)
    seen = []
    F = make(torch, lambda ctx, x: x * 2, lambda ctx, g: seen.append(ctx.saved_tensors) or g)
    F.apply(x).sum().backward()
    return seen


@case
def saving_twice_keeps_the_last(torch):
    x = leaf(torch, 1.0)
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x + 1, x + 2)
        return x * 2

    def backward(ctx, g):
        seen.append([t.tolist() for t in ctx.saved_tensors])
        return g

    make(torch, forward, backward).apply(x).sum().backward()
    return seen


@case
def saved_tensors_read_twice_give_the_same_values(torch):
    x = leaf(torch, 1.0)
    seen = []

    def backward(ctx, g):
        seen.append(ctx.saved_tensors[0] is ctx.saved_tensors[0])
        seen.append(ctx.saved_tensors[0] is x)
        return g

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    make(torch, forward, backward).apply(x).sum().backward()
    return seen


@case
def saved_tensors_in_forward(torch):
    x = leaf(torch, 1.0)
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        seen.append(error(lambda: len(ctx.saved_tensors)))
        seen.append([t is x for t in ctx.to_save])
        return x * 2

    make(torch, forward, lambda ctx, g: g).apply(x)
    return seen


@case
def saved_tensors_after_free(torch):
    x = leaf(torch, 1.0)
    y = square(torch).apply(x)
    y.sum().backward()
    return error(lambda: y.grad_fn.saved_tensors)


@case
def second_backward_needs_saved_tensors(torch):
    x = leaf(torch, 1.0)
    y = square(torch).apply(x).sum()
    y.backward()
    return error(lambda: y.backward())


@case
def second_backward_without_saved_tensors(torch):
    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2).apply(x)
    y.backward()
    y.backward()
    return see(torch, x.grad)


@case
def second_backward_that_does_not_read_its_saved_tensors(torch):
    x = leaf(torch, 1.0)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    y = make(torch, forward, lambda ctx, g: g * 2).apply(x)
    y.backward()
    return error(lambda: y.backward()), see(torch, x.grad)


@case
def attributes_of_the_context_survive_backward(torch):
    x = leaf(torch, 1.0)

    def forward(ctx, x):
        ctx.note, ctx.tensor = "kept", x.detach() + 1
        return x * 2

    y = make(torch, forward, lambda ctx, g: g * 2).apply(x)
    y.backward()
    return y.grad_fn.note, y.grad_fn.tensor.tolist(), error(lambda: y.grad_fn.missing)


@case
def backward_may_write_to_the_context(torch):
    x = leaf(torch, 1.0)

    def backward(ctx, g):
        ctx.count = getattr(ctx, "count", 0) + 1
        return g * 2

    y = make(torch, lambda ctx, x: x * 2, backward).apply(x)
    y.backward()
    y.backward()
    return y.grad_fn.count


@case
def raw_saved_tensors_of_a_custom_node(torch):
    x = leaf(torch, 1.0, 2.0)
    y = square(torch).apply(x)
    raw = y.grad_fn._raw_saved_tensors
    raw[0].register_hooks(lambda t: t.detach() * 10, lambda t: t)
    y.sum().backward()
    return len(raw), type(raw[0]).__name__, see(torch, x.grad)


@case
def saved_tensor_hooks_reach_custom_functions(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: calls.append("pack") or t, lambda t: calls.append("unpack") or t
    ):
        y = square(torch).apply(x)
    y.sum().backward()
    return calls, see(torch, x.grad)


@case
def setup_context_style(torch):
    seen = []

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            seen.append(["forward", torch.is_grad_enabled()])
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(["setup", type(inputs).__name__, len(inputs), inputs[1], output.tolist(), output.requires_grad])
            seen.append([torch.is_grad_enabled(), list(ctx.needs_input_grad)])
            ctx.factor = inputs[1]
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            seen.append(["backward", ctx.saved_tensors[0].tolist()])
            return g * ctx.factor, None

    x = leaf(torch, 1.0, 2.0)
    y = Scale.apply(x, 3.0)
    y.sum().backward()
    return seen, see(torch, y), see(torch, x.grad)


@case
def setup_context_with_defaults(torch):
    seen = []

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, factor=2.0):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(len(inputs))
            ctx.factor = inputs[1] if len(inputs) > 1 else None

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    x = leaf(torch, 1.0)
    raised = error(lambda: Scale.apply(x).sum().backward())
    return raised, seen, see(torch, x.grad)


@case
def setup_context_with_several_outputs_and_marks(torch):
    class TopTwo(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2, x.long()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.kind = type(output).__name__
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx, g, _):
            return g * 2

    x = leaf(torch, 1.0, 2.0)
    a, b = TopTwo.apply(x)
    a.sum().backward()
    return a.grad_fn.kind, see(torch, b), see(torch, x.grad)


@case
def setup_context_saves_outputs(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    x = leaf(torch, 1.0)
    (g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return see(torch, g), see(torch, gg)


@case
def too_many_gradients(torch):
    F = make(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, g))
    return error(lambda: F.apply(leaf(torch, 1.0)).backward())


@case
def too_few_gradients(torch):
    F = make(torch, lambda ctx, a, b: a * b, lambda ctx, g: g)
    return error(lambda: F.apply(leaf(torch, 1.0), leaf(torch, 1.0)).backward())


@case
def surplus_none_gradients_are_dropped(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, None, None)).apply(x).backward()
    return see(torch, x.grad)


@case
def missing_trailing_none_is_an_error(torch):
    F = make(torch, lambda ctx, x, n: x * n, lambda ctx, g: (g,))
    return error(lambda: F.apply(leaf(torch, 1.0), 3).backward())


@case
def gradient_for_a_number_argument_must_be_none(torch):
    F = make(torch, lambda ctx, x, n: x * n, lambda ctx, g: (g, g))
    return error(lambda: F.apply(leaf(torch, 1.0), 3).backward())


@case
def gradient_for_a_constant_tensor_is_ignored(torch):
    x, w = leaf(torch, 1.0), torch.ones(1)
    make(torch, lambda ctx, a, b: a * b, lambda ctx, g: (g, torch.ones(7))).apply(x, w).backward()
    return see(torch, x.grad), w.grad


@case
def gradients_of_wrong_shape(torch):
    def attempt(g):
        F = make(torch, lambda ctx, x: x * 2, lambda ctx, _: g, "Wrong")
        x = leaf(torch, 1.0, 2.0)
        return error(lambda: F.apply(x).sum().backward() or x.grad.tolist())

    return {
        "longer": attempt(torch.ones(3)),
        "scalar": attempt(torch.tensor(1.0)),
        "one": attempt(torch.ones(1)),
        "expanded": attempt(torch.ones(3, 2)),
        "leading_one": attempt(torch.ones(1, 2)),
    }


@case
def gradients_of_wrong_dtype_are_cast(torch):
    x = leaf(torch, 1.0, 2.0)
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: g.double()).apply(x).sum().backward()
    first = see(torch, x.grad)
    x.grad = None
    make(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.ones(2, dtype=torch.int64)).apply(x).sum().backward()
    return first, see(torch, x.grad)


@case
def gradients_that_are_no_tensors(torch):
    x = leaf(torch, 1.0)
    return [
        error(lambda v=v: make(torch, lambda ctx, x: x * 2, lambda ctx, g: v).apply(x).backward())
        for v in (3.0, "text", [x], {"a": 1}, True)
    ]


@case
def error_inside_backward_is_passed_on(torch):
    def backward(ctx, g):
        raise ValueError("backward says no")

    return error(lambda: make(torch, lambda ctx, x: x * 2, backward).apply(leaf(torch, 1.0)).backward())


@case
def error_inside_forward_is_passed_on_and_restores_grad_mode(torch):
    def forward(ctx, x):
        raise ValueError("forward says no")

    raised = error(lambda: make(torch, forward, lambda ctx, g: g).apply(leaf(torch, 1.0)))
    return raised, torch.is_grad_enabled()


@case
def missing_forward_and_missing_backward(torch):
    class Nothing(torch.autograd.Function):
        pass

    OnlyForward = make(torch, lambda ctx, x: x * 2)
    x = leaf(torch, 1.0)
    return error(lambda: Nothing.apply(x)), error(lambda: OnlyForward.apply(x).backward())


@case
def legacy_style_call_is_refused(torch):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g * 2

    def call():
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Old()(leaf(torch, 1.0))

    return error(call)


@case
def instantiating_a_function_warns(torch):
    from .observe import warned

    S = square(torch)
    return warned(lambda: S())


@case
def apply_with_a_forward_that_is_not_static(torch):
    class Plain(torch.autograd.Function):
        def forward(ctx, x):
            return x * 2

        def backward(ctx, g):
            return g * 2

    x = leaf(torch, 1.0)
    Plain.apply(x).backward()
    return see(torch, x.grad)


@case
def forward_called_directly_is_plain_python(torch):
    S = square(torch)

    class Ctx:
        def save_for_backward(self, *tensors):
            self.saved_tensors = tensors

    ctx, x = Ctx(), leaf(torch, 3.0)
    y = S.forward(ctx, x)
    return see(torch, y), see(torch, S.backward(ctx, torch.ones(1)))


@case
def double_backward_through_a_differentiable_backward(torch):
    x = leaf(torch, 2.0, 3.0)
    y = make_cube(torch).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (ggg,) = torch.autograd.grad(gg.sum(), x)
    return see(torch, g), see(torch, gg), see(torch, ggg)


def make_cube(torch: Any) -> Any:
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    return make(torch, forward, lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g, "Cube")


@case
def double_backward_with_a_saved_intermediate_is_silently_cut(torch):
    x = leaf(torch, 2.0)

    def forward(ctx, x):
        mid = x * x
        ctx.save_for_backward(mid)
        return mid * x

    y = make(torch, forward, lambda ctx, g: 3 * ctx.saved_tensors[0] * g).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return see(torch, g), error(lambda: torch.autograd.grad(g.sum(), x))


def make_once(torch: Any, seen: list[Any]) -> Any:
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        seen.append([torch.is_grad_enabled(), g.requires_grad])
        return 2 * ctx.saved_tensors[0] * g

    return make(torch, forward, backward, "Once")


@case
def once_differentiable_runs_without_grad_mode(torch):
    x, seen = leaf(torch, 2.0), []
    Once = make_once(torch, seen)
    Once.apply(x).backward()
    (g,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
    return seen, see(torch, x.grad), see(torch, g), error(lambda: g.backward())


@case
def once_differentiable_twice_is_an_error_when_the_gradient_required_grad(torch):
    x, seen = leaf(torch, 2.0), []
    (g,) = torch.autograd.grad(make_once(torch, seen).apply(x), x, x * 1, create_graph=True)
    return seen, see(torch, g), error(lambda: g.backward())


@case
def once_differentiable_error_is_only_met_on_the_way_to_a_leaf(torch):
    x = leaf(torch, 2.0)
    Once = make_once(torch, [])
    (g,) = torch.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)
    return see(torch, g), error(lambda: torch.autograd.grad(g, x, retain_graph=True)[0].tolist()), error(g.backward)


@case
def nested_custom_functions(torch):
    S = square(torch)

    def forward(ctx, x):
        y = S.apply(x)
        ctx.save_for_backward(x)
        ctx.inner = name_of(y.grad_fn)
        return y + 1

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            z = x.detach().requires_grad_()
            (inner,) = torch.autograd.grad(S.apply(z), z, g)
        return inner

    x = leaf(torch, 2.0)
    y = make(torch, forward, backward, "Outer").apply(x)
    y.backward()
    return y.grad_fn.inner, see(torch, x.grad)


@case
def chained_custom_functions(torch):
    S = square(torch)
    x = leaf(torch, 2.0)
    y = S.apply(S.apply(x))
    y.backward()
    return graph(y.grad_fn), see(torch, x.grad)


@case
def custom_function_called_inside_backward_records_for_double_backward(torch):
    S = square(torch)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3 / 3

    F = make(torch, forward, lambda ctx, g: g * S.apply(ctx.saved_tensors[0]))
    x = leaf(torch, 2.0)
    (g,) = torch.autograd.grad(F.apply(x), x, create_graph=True)
    (gg,) = torch.autograd.grad(g, x)
    return see(torch, g), see(torch, gg)


@case
def recompute_with_enable_grad_and_backward_inside_backward(torch):
    w = leaf(torch, 3.0)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * w

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        z = x.detach().requires_grad_()
        with torch.enable_grad():
            y = z * w
        torch.autograd.backward(y, g)
        return z.grad

    x = leaf(torch, 2.0)
    make(torch, forward, backward).apply(x).backward()
    return see(torch, x.grad), see(torch, w.grad)


@case
def captured_tensors_get_no_gradient(torch):
    w = leaf(torch, 3.0)
    x = leaf(torch, 2.0)
    make(torch, lambda ctx, x: x * w, lambda ctx, g: g * 3).apply(x).backward()
    return see(torch, x.grad), w.grad


@case
def gradient_reversal(torch):
    x = leaf(torch, 2.0)
    Reverse = make(torch, lambda ctx, x: x.view_as(x), lambda ctx, g: g.neg())
    (Reverse.apply(x) * 5).backward()
    return see(torch, x.grad)


@case
def straight_through_rounding(torch):
    x = leaf(torch, 0.4, 1.6)
    (make(torch, lambda ctx, x: x.round(), lambda ctx, g: g).apply(x) * 2).sum().backward()
    return see(torch, x.grad)


@case
def complex_custom_function(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    y = make(torch, lambda ctx, z: z * 2j, lambda ctx, g: g * -2j).apply(z)
    y.backward(torch.ones_like(y))
    return see(torch, y), see(torch, z.grad)


@case
def complex_gradient_for_a_real_input_is_refused(torch):
    F = make(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.tensor([3 + 4j]))
    return error(lambda: F.apply(leaf(torch, 2.0)).backward())


@case
def real_gradient_for_a_complex_input_is_accepted(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    make(torch, lambda ctx, z: z.real * 2, lambda ctx, g: g * 2).apply(z).backward()
    return see(torch, z.grad)


@case
def class_attributes_and_inheritance(torch):
    class Base(torch.autograd.Function):
        factor = 2.0

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor

    class Child(Base):
        factor = 5.0

        @staticmethod
        def forward(ctx, x):
            ctx.factor = Child.factor
            return x * Child.factor

    x = leaf(torch, 2.0)
    y = Child.apply(x)
    y.backward()
    return name_of(y.grad_fn), see(torch, x.grad)


@case
def classmethod_forward(torch):
    class Scaled(torch.autograd.Function):
        factor = 4.0

        @classmethod
        def forward(cls, ctx, x):
            ctx.factor = cls.factor
            return x * cls.factor

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor

    x = leaf(torch, 2.0)
    Scaled.apply(x).backward()
    return see(torch, x.grad)


@case
def vjp_as_another_name_of_backward(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = leaf(torch, 2.0)
    Double.apply(x).backward()
    return see(torch, x.grad)


@case
def backward_and_vjp_both_defined(torch):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

        @staticmethod
        def vjp(ctx, g):
            return g

    return error(lambda: Both.apply(leaf(torch, 2.0)).backward())


@case
def inplace_function_base_class(torch):
    class Double(torch.autograd.function.InplaceFunction):
        @staticmethod
        def forward(ctx, x, inplace=False):
            if inplace:
                ctx.mark_dirty(x)
                return x.mul_(2)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    x = leaf(torch, 2.0)
    h = x * 1
    y = Double.apply(h, True)
    y.backward()
    return y is h, name_of(y.grad_fn), see(torch, x.grad)


@case
def tensors_inside_containers_are_not_tracked(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    seen = []

    def forward(ctx, pair, z):
        seen.append(list(ctx.needs_input_grad))
        return pair[0] * pair[1] * z

    y = make(torch, forward, lambda ctx, g: (None, g)).apply([x, w], torch.ones(1))
    z = make(torch, forward, lambda ctx, g: (None, g * 6)).apply([x, w], leaf(torch, 1.0))
    return see(torch, y), graph(z.grad_fn), seen


@case
def no_inputs_at_all(torch):
    y = make(torch, lambda ctx: torch.ones(2), lambda ctx, g: None).apply()
    return see(torch, y)


@case
def only_tensor_inputs_have_edges(torch):
    x = leaf(torch, 2.0)
    y = make(torch, lambda ctx, a, b, c: b * c, lambda ctx, g: (None, g, None)).apply(None, x, 3)
    return graph(y.grad_fn)


@case
def same_tensor_given_twice(torch):
    x = leaf(torch, 2.0)
    make(torch, lambda ctx, a, b: a * b, lambda ctx, g: (g * 10, g * 100)).apply(x, x).backward()
    return see(torch, x.grad)


@case
def gradient_returned_for_two_inputs_may_be_the_same_object(torch):
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    y = make(torch, lambda ctx, a, b: a + b, lambda ctx, g: (g, g)).apply(a, b)
    y.backward()
    (a * 1).backward()
    return see(torch, a.grad), see(torch, b.grad)


@case
def incoming_gradient_changed_in_place_by_backward(torch):
    x = leaf(torch, 2.0)
    given = torch.ones(1)
    y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g.mul_(7)).apply(x)
    y.backward(given)
    return see(torch, x.grad), given.tolist()


@case
def hooks_on_custom_nodes_and_their_outputs(torch):
    x = leaf(torch, 2.0)
    seen = []
    y = square(torch).apply(x)
    y.register_hook(lambda g: seen.append(["tensor", g.tolist()]))
    y.grad_fn.register_prehook(lambda gs: seen.append(["pre", gs[0].tolist()]))
    y.grad_fn.register_hook(lambda gin, gout: seen.append(["post", gin[0].tolist(), gout[0].tolist()]))
    y.retain_grad()
    y.backward()
    return seen, see(torch, y.grad)


@case
def custom_nodes_can_be_applied_but_not_called(torch):
    ctx = square(torch).apply(leaf(torch, 2.0)).grad_fn
    return error(lambda: ctx.apply(torch.ones(1)).tolist()), error(lambda: ctx(torch.ones(1)).tolist())


@case
def gradcheck_accepts_and_rejects(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    Wrong = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 3, "Wrong")
    return (
        torch.autograd.gradcheck(square(torch).apply, (x,)),
        torch.autograd.gradgradcheck(make_cube(torch).apply, (x,)),
        torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False),
    )


@case
def non_contiguous_and_expanded_gradients_arrive_as_they_are(torch):
    seen = []

    def backward(ctx, g):
        seen.append([list(g.shape), list(g.stride())])
        return g * 2

    F = make(torch, lambda ctx, x: x * 2, backward)
    x = torch.ones(2, 3, requires_grad=True)
    F.apply(x).sum().backward()
    F.apply(x).t().contiguous().sum().backward()
    return seen


@case
def scalar_output_of_a_custom_loss(torch):
    x, t = leaf(torch, 1.0, 4.0), torch.tensor([0.0, 1.0])

    class Loss(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, t):
            d = x - t
            ctx.save_for_backward(d)
            return (d * d).mean()

        @staticmethod
        def backward(ctx, g):
            (d,) = ctx.saved_tensors
            return g * 2 * d / d.numel(), None

    y = Loss.apply(x, t)
    y.backward()
    return see(torch, y), see(torch, x.grad)


@case
def output_that_requires_grad_made_inside_forward(torch):
    w = leaf(torch, 3.0)

    def forward(ctx, x):
        with torch.enable_grad():
            y = x * w
        return y

    x = leaf(torch, 2.0)
    y = make(torch, forward, lambda ctx, g: g * 100).apply(x)
    y.backward()
    return see(torch, y), see(torch, x.grad), w.grad


@case
def detached_leaf_made_inside_forward_and_kept(torch):
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.z = x.detach().requires_grad_()
            ctx.y = (ctx.z * ctx.z).sum()
        return ctx.y.detach()

    def backward(ctx, g):
        (grad,) = torch.autograd.grad(ctx.y, ctx.z)
        return g * grad

    x = leaf(torch, 2.0, 3.0)
    make(torch, forward, backward).apply(x).backward()
    return see(torch, x.grad)


@case
def function_ctx_members(torch):
    ctx = square(torch).apply(leaf(torch, 2.0)).grad_fn
    members = (
        "save_for_backward mark_dirty mark_non_differentiable set_materialize_grads needs_input_grad saved_tensors "
        "next_functions name metadata register_hook register_prehook _forward_cls _raw_saved_tensors _sequence_nr "
        "to_save dirty_tensors non_differentiable saved_for_forward save_for_forward"
    )
    return [m for m in members.split(" ") if not hasattr(ctx, m)]


@case
def inputs_returned_as_they_are_may_not_be_saved_by_setup_context(torch):
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(x, y, how):
            if how == "dirty":
                y.mul_(2)
            return x.sin(), y

        @staticmethod
        def setup_context(ctx, inputs, outputs):
            how = inputs[2]
            if how in ("input", "dirty", "constant"):
                ctx.save_for_backward(inputs[1])
            if how == "forward":
                ctx.save_for_forward(inputs[1])
            if how == "other":
                ctx.save_for_backward(inputs[0])
            if how == "dirty":
                ctx.mark_dirty(inputs[1])
            if how == "constant":
                ctx.mark_non_differentiable(outputs[1])

        @staticmethod
        def backward(ctx, g, h):
            return g, h, None

    found = []
    for how in ("input", "forward", "other", "dirty", "constant"):
        for wants in (False, True):
            x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=wants)
            y = y * 1 if wants and how == "dirty" else y
            found.append(error(lambda x=x, y=y, how=how: [t.requires_grad for t in Straight.apply(x, y, how)]))
    return found


@case
def each_mark_of_dirty_counts_as_a_version(torch):
    class Dirty(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, how):
            x.add_(1)
            y.mul_(2)
            ctx.mark_dirty(x, y)
            return {"both": (x, y), "one": (x,), "again": (y, x, x)}[how]

        @staticmethod
        def backward(ctx, *grads):
            return grads[0], grads[0], None

    found = []
    for how in ("both", "one", "again"):
        for same in (False, True):
            for kind in ("plain", "leaf", "computed"):
                x = torch.ones(2, requires_grad=kind != "plain")
                x = x * 1 if kind == "computed" else x.detach() if kind == "plain" else x
                y = x if same else torch.ones(2)
                raised = error(lambda x=x, y=y, how=how: len(Dirty.apply(x, y, how)))
                found.append([raised, x._version, y._version])
    return found


def doubled_in_place(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return Doubled


@case
def what_was_retained_is_forgotten_when_a_function_changes_its_input(torch):
    Doubled = doubled_in_place(torch)
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    Doubled.apply(y)
    forgotten = [y.retains_grad, see(torch, y.grad)]
    (y * y).sum().backward()
    return [forgotten, see(torch, y.grad), see(torch, x.grad)]


@case
def what_was_retained_is_forgotten_even_if_the_change_of_a_view_is_refused(torch):
    Doubled = doubled_in_place(torch)
    found = []
    for base in (lambda x: x, lambda x: x * 1):
        for view in (lambda x: x[()], lambda x: x.view(-1), lambda x: x.split(1)[0]):
            x = view(base(torch.ones(2, requires_grad=True)))
            x.sum().backward(inputs=x)
            found.append([error(lambda x=x: see(torch, Doubled.apply(x))), see(torch, x.grad), x.retains_grad])
    return found


@case
def what_was_saved_for_forward_by_its_own_name(torch):
    seen = []

    class Sine(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.sin(), x.cos()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(inputs[0], output[1])

        @staticmethod
        def jvp(ctx, tangent):
            x, cosine = ctx.saved_for_forward
            seen.append([len(ctx.saved_for_forward), len(ctx.saved_tensors)])
            return tangent * cosine, -tangent * x.sin()

    x, t = torch.arange(3.0), torch.ones(3)
    with torch.autograd.forward_ad.dual_level():
        dual = Sine.apply(torch.autograd.forward_ad.make_dual(x, t))
        tangents = [torch.autograd.forward_ad.unpack_dual(each).tangent for each in dual]
    found = (
        torch.func.jvp(Sine.apply, (x,), (t,)), torch.func.jacfwd(lambda x: Sine.apply(x)[0])(x),
        torch.vmap(lambda x, t: torch.func.jvp(Sine.apply, (x,), (t,)))(x, t), tangents,
    )  # fmt: skip
    return see(torch, found), seen


@case
def tangents_of_views_that_functions_give(torch):
    forward_ad = torch.autograd.forward_ad
    outputs = {"view": lambda x: x.view_as(x), "itself": lambda x: x, "part": lambda x: x[:]}
    tangents = {"itself": lambda t: t, "view": lambda t: t.view_as(t), "new": lambda t: t * 1}
    inputs = {"own": (torch.arange(3.0), torch.ones(3)), "views": (torch.arange(6.0)[:3], torch.ones(6)[:3])}
    seen = {}
    for output, forward in outputs.items():
        for tangent, jvp in tangents.items():
            body = {"forward": forward, "jvp": lambda ctx, t, jvp=jvp: jvp(t)}
            body["setup_context"] = lambda ctx, inputs, output: None
            given = type("Given", (torch.autograd.Function,), {name: staticmethod(f) for name, f in body.items()})

            def by_dual(x, t, given=given):
                with forward_ad.dual_level():
                    return forward_ad.unpack_dual(given.apply(forward_ad.make_dual(x, t))).tangent.tolist()

            for name, (x, t) in inputs.items():
                found = error(lambda x=x, t=t: seen.update(last=by_dual(x, t)))
                seen[f"{output} {tangent} {name}"] = [found, torch.func.jvp(given.apply, (x,), (t,))[1].tolist()]
    return seen
