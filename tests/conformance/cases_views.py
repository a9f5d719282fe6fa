"""Views: who is a view of what, how their grad_fn follows in-place changes, and the errors about views."""

from __future__ import annotations

from typing import Any

from .observe import case, error, graph, name_of, see

VIEWS = {
    "select": lambda y: y.select(0, 0),
    "index_int": lambda y: y[0],
    "index_two_ints": lambda y: y[0, 1],
    "index_none": lambda y: y[None],
    "index_ellipsis": lambda y: y[...],
    "index_full_slice": lambda y: y[:],
    "index_column": lambda y: y[..., 0],
    "slice": lambda y: y[:, 1:],
    "strided_slice": lambda y: y[:, ::2],
    "narrow": lambda y: y.narrow(1, 0, 1),
    "view": lambda y: y.view(6),
    "view_same_shape": lambda y: y.view(2, 3),
    "view_as": lambda y: y.view_as(y),
    "reshape": lambda y: y.reshape(3, 2),
    "flatten": lambda y: y.flatten(),
    "ravel": lambda y: y.ravel(),
    "unflatten": lambda y: y.unflatten(1, (3, 1)),
    "t": lambda y: y.t(),
    "T": lambda y: y.T,
    "mT": lambda y: y.mT,
    "transpose": lambda y: y.transpose(0, 1),
    "swapaxes": lambda y: y.swapaxes(0, 1),
    "permute": lambda y: y.permute(1, 0),
    "movedim": lambda y: y.movedim(0, 1),
    "expand": lambda y: y.expand(2, 2, 3),
    "expand_as": lambda y: y.expand_as(y),
    "broadcast_to": lambda y: y.broadcast_to((2, 2, 3)),
    "unsqueeze": lambda y: y.unsqueeze(0),
    "squeeze": lambda y: y.squeeze(),
    "squeeze_dim": lambda y: y.squeeze(0),
    "diagonal": lambda y: y.diagonal(),
    "unfold": lambda y: y.unfold(1, 2, 1),
    "as_strided": lambda y: y.as_strided((2,), (1,)),
    "tensor_split": lambda y: y.tensor_split(2)[0],
    "hsplit": lambda y: y.hsplit(3)[0],
    "split": lambda y: y.split(1)[0],
    "split_sizes": lambda y: y.split([1, 1])[0],
    "chunk": lambda y: y.chunk(2)[0],
    "unbind": lambda y: y.unbind()[0],
}


def about(v: Any, base: Any) -> list[Any]:
    return [v is base, v._is_view(), v._base is base, name_of(v.grad_fn)]


@case
def every_view_operator_names_its_base_and_node(torch):
    seen = {}
    for name, view in VIEWS.items():
        y = torch.ones(2, 3, requires_grad=True).clone()
        seen[name] = about(view(y), y)
    return seen


@case
def every_view_operator_is_tracked_without_gradients(torch):
    seen = {}
    for name, view in VIEWS.items():
        y = torch.ones(2, 3)
        seen[name] = about(view(y), y)
    return seen


@case
def every_view_is_rebuilt_after_the_base_changed(torch):
    seen = {}
    for name, view in VIEWS.items():
        x = torch.arange(6.0).view(2, 3).clone().requires_grad_()
        y = x.clone()
        v = view(y)
        y.mul_(2)

        def use(v=v, x=x):
            node = v.grad_fn
            (v * v).sum().backward()
            return [name_of(node), [name_of(n) for n, _ in node.next_functions], x.grad.tolist()]

        seen[name] = error(use)
    return seen


@case
def every_view_written_to_shows_in_the_base(torch):
    seen = {}
    for name, view in VIEWS.items():
        if name == "unfold":  # writes overlapping memory: what comes out is luck
            continue
        x = torch.arange(6.0).view(2, 3).clone().requires_grad_()
        y = x.clone()
        v = view(y)

        def write(v=v, x=x, y=y):
            v.mul_(3)
            names = [name_of(y.grad_fn), name_of(v.grad_fn)]
            (y * y).sum().backward()
            return [*names, y.tolist(), x.grad.tolist()]

        seen[name] = error(write)
    return seen


@case
def not_everything_is_a_view(torch):
    y = torch.ones(2, 3, requires_grad=True).clone()
    others = {
        "clone": y.clone(),
        "advanced_index": y[[0]],
        "mask": y[y > 0],
        "contiguous_of_transposed": y.t().contiguous(),
        "reshape_of_transposed": y.t().reshape(6),
        "flatten_of_transposed": y.t().flatten(),
        "add_zero": y + 0,
        "repeat": y.repeat(1, 1),
        "index_select": y.index_select(0, torch.tensor([0])),
        "gather": y.gather(0, torch.tensor([[0, 0, 0]])),
        "flip": y.flip(0),
        "roll": y.roll(1),
        "double": y.double(),
        "cat": torch.cat([y]),
        "stack": torch.stack([y]),
    }
    return {k: [v._is_view(), v._base is None, name_of(v.grad_fn)] for k, v in others.items()}


@case
def operators_that_return_the_tensor_itself(torch):
    y = torch.ones(2, 3, requires_grad=True).clone()
    v = torch.ones(3, requires_grad=True).clone()
    return {
        "contiguous": y.contiguous() is y,
        "float": y.float() is y,
        "to": y.to(torch.float32) is y,
        "type_as": y.type_as(y) is y,
        "cpu": y.cpu() is y,
        "real": y.real is y,
        "conj": y.conj() is y,
        "resolve_conj": y.resolve_conj() is y,
        "flatten_of_1d": v.flatten() is v,
        "ravel_of_1d": v.ravel() is v,
        "positive": (+y) is y,
        "expand_same": y.expand(2, 3) is y,
        "squeeze_nothing": y.squeeze() is y,
        "broadcast_tensors": torch.broadcast_tensors(y, y)[0] is y,
        "requires_grad_": y.requires_grad_() is y,
        "movedim_noop": y.movedim(0, 0) is y,
        "atleast_1d": torch.atleast_1d(y) is y,
    }


@case
def positive_of_a_tensor_is_the_tensor(torch):
    x = torch.ones(2, requires_grad=True)
    y = +x
    return y is x, y._is_view(), name_of(y.grad_fn)


@case
def squeeze_that_changes_nothing_is_still_a_view(torch):
    y = torch.ones(2, 3)
    v = y.squeeze()
    return v is y, v._base is y


@case
def base_is_always_the_root(torch):
    y = torch.zeros(2, 3, 4)
    a = y[0]
    b = a.view(12)
    c = b[3:]
    d = c.unsqueeze(0)
    return [v._base is y for v in (a, b, c, d)]


@case
def base_of_a_base_is_none(torch):
    y = torch.zeros(2)
    return y._base is None, y[0]._base._base is None, y._is_view()


@case
def detach_is_not_a_view_but_its_views_are_views_of_it(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    d = y.detach()
    return d._is_view(), d._base is None, d[0]._base is d, y.data._is_view(), y[0].detach()._is_view()


@case
def view_of_a_leaf_has_the_leaf_as_base(torch):
    x = torch.ones(2, 2, requires_grad=True)
    v = x[0]
    return v._base is x, v.is_leaf, v.requires_grad


@case
def view_made_in_no_grad_is_a_leaf_that_requires_grad_like_its_base(torch):
    x = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    return v.is_leaf, v.requires_grad, v._is_view(), v._base is x, name_of(v.grad_fn)


@case
def a_base_that_needs_no_grad_gets_history_through_its_view(torch):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.zeros(2, 2)
    v = y[0]
    v.copy_(w)
    result = [see(torch, y), see(torch, v), graph(y.grad_fn)]
    y.sum().backward()
    return [*result, see(torch, w.grad)]


@case
def views_taken_before_see_the_history_of_their_base(torch):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.zeros(2, 2)
    v, u = y[0], y[1]
    before = v.requires_grad
    y.add_(w)
    return before, see(torch, v), see(torch, u), v.is_leaf


@case
def a_sibling_view_sees_the_write(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x.clone()
    a, b = y[0], y[:, 0]
    a.mul_(3)
    b.sum().backward()
    return see(torch, b), see(torch, x.grad)


@case
def copy_slices_graph(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x.clone()
    v = y[0]
    v.mul_(3)
    return graph(y.grad_fn), graph(v.grad_fn), y.grad_fn.name(), v.grad_fn.name()


@case
def copy_slices_graph_with_a_recorded_operand(torch):
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(3, requires_grad=True)
    y = x.clone()
    y[0].mul_(w)
    return graph(y.grad_fn)


@case
def copy_slices_graph_when_the_base_had_no_history(torch):
    w = torch.ones(3, requires_grad=True)
    y = torch.zeros(2, 3)
    y[0] = w
    return graph(y.grad_fn)


@case
def copy_slices_stack_up(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x.clone()
    y[0].mul_(2)
    y[1].add_(1)
    y[:, 0].exp_()
    result = graph(y.grad_fn)
    y.sum().backward()
    return result, see(torch, x.grad)


@case
def view_grad_fn_is_the_same_object_while_nothing_changes(torch):
    y = torch.ones(2, requires_grad=True).clone()
    v = y[0:1]
    first = v.grad_fn is v.grad_fn
    y.mul_(2)
    second = v.grad_fn is v.grad_fn
    return first, second


@case
def inplace_on_view_under_no_grad_keeps_the_base_node_and_rebuilds_the_view_node(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x.clone()
    v = y[0]
    with torch.no_grad():
        v.mul_(3)
    result = [name_of(y.grad_fn), name_of(v.grad_fn), y._version]
    y.sum().backward()
    return result, see(torch, y), see(torch, x.grad)


@case
def view_of_complex_real_after_the_base_changed(torch):
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    z = x.clone()
    re = z.real
    z.mul_(2)
    name = graph(re.grad_fn)
    re.sum().backward()
    return name, see(torch, re), see(torch, x.grad)


@case
def view_as_real_after_the_base_changed_is_replayed_by_its_own_operator(torch):
    x = torch.tensor([1 + 2j], requires_grad=True)
    z = x.clone()
    v = torch.view_as_real(z)
    first = v.select(1, 0)
    z.mul_(1j)
    names = [name_of(v.grad_fn), name_of(first.grad_fn), graph(first.grad_fn)]
    first.sum().backward()
    return names, see(torch, first), see(torch, x.grad)


@case
def real_and_imag_are_two_views_deep(torch):
    z = torch.tensor([1 + 2j], requires_grad=True).clone()
    return graph(z.real.grad_fn), graph(z.imag.grad_fn), z.real._base is z, z.imag._base is z


@case
def write_through_real(torch):
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    z = x.clone()
    z.real.mul_(3)
    name = name_of(z.grad_fn)
    torch.view_as_real(z).sum().backward()
    return name, see(torch, z), see(torch, x.grad)


@case
def assign_to_imag(torch):
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    w = torch.tensor([5.0, 6.0], requires_grad=True)
    z = x.clone()
    z.imag = w
    name = name_of(z.grad_fn)
    (z * z.conj()).real.sum().backward()
    return name, see(torch, z), see(torch, x.grad), see(torch, w.grad)


@case
def inplace_on_a_split_output(torch):
    y = torch.ones(4, requires_grad=True).clone()
    a, b = y.split(2)
    return error(lambda: a.mul_(2)), error(lambda: b.add_(1))


@case
def inplace_on_a_chunk_output(torch):
    y = torch.ones(4, requires_grad=True).clone()
    return error(lambda: y.chunk(2)[1].mul_(2))


@case
def inplace_on_an_unbind_output(torch):
    y = torch.ones(4, 2, requires_grad=True).clone()
    return error(lambda: y.unbind()[3].zero_())


@case
def inplace_on_an_item_of_iteration(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()

    def loop():
        for row in y:
            row.mul_(2)

    return error(loop)


@case
def inplace_on_a_split_with_sizes_output(torch):
    y = torch.ones(4, requires_grad=True).clone()
    return error(lambda: y.split([1, 3])[1].mul_(2))


@case
def inplace_on_a_view_of_a_split_output(torch):
    y = torch.ones(4, requires_grad=True).clone()
    a, _ = y.split(2)
    return error(lambda: a[0].mul_(2))


@case
def tensor_split_outputs_can_be_written(torch):
    x = torch.ones(4, requires_grad=True)
    y = x.clone()
    a, _ = y.tensor_split(2)
    a.mul_(2)
    y.sum().backward()
    return see(torch, x.grad)


@case
def split_outputs_can_be_written_when_nothing_requires_grad(torch):
    y = torch.ones(4)
    a, b = y.split(2)
    a.mul_(2)
    for row in y.view(2, 2):
        row.add_(1)
    return see(torch, y), see(torch, b)


@case
def split_outputs_can_be_written_under_no_grad(torch):
    y = torch.ones(4, requires_grad=True).clone()
    a, _ = y.split(2)
    with torch.no_grad():
        a.mul_(2)
    return see(torch, y), error(lambda: a.grad_fn)


@case
def write_to_a_split_output_with_a_source_that_requires_grad(torch):
    w = torch.ones(2, requires_grad=True)
    y = torch.zeros(4)
    a, _ = y.split(2)
    return error(lambda: a.copy_(w))


@case
def split_output_after_its_base_changed(torch):
    y = torch.ones(4, requires_grad=True).clone()
    a, _ = y.split(2)
    y.mul_(2)
    return error(lambda: a.grad_fn), error(lambda: a.sum()), a._version


@case
def unbind_output_after_its_base_changed(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    _, b = y
    y.mul_(2)
    return error(lambda: b + 1)


@case
def split_output_used_before_base_changes_is_fine(torch):
    x = torch.ones(4, requires_grad=True)
    y = x.clone()
    a, b = y.split(2)
    loss = a.sum() + 2 * b.sum()
    y.add_(1)
    loss.backward()
    return see(torch, x.grad)


@case
def no_grad_view_then_inplace_in_grad_mode(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    with torch.no_grad():
        v = y[0]
    return error(lambda: v.mul_(2))


@case
def no_grad_view_of_a_leaf_then_inplace_in_grad_mode(torch):
    x = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    return error(lambda: v.mul_(2)), error(lambda: v.copy_(torch.ones(2, requires_grad=True)))


@case
def no_grad_view_used_after_base_changed(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    with torch.no_grad():
        v = y[0]
    y.mul_(2)
    return error(lambda: v.grad_fn), v.requires_grad


@case
def no_grad_view_of_plain_base_then_write_of_recorded_source(torch):
    w = torch.ones(2, requires_grad=True)
    y = torch.zeros(2, 2)
    with torch.no_grad():
        v = y[0]
    return error(lambda: v.copy_(w))


@case
def no_grad_view_of_plain_base_then_plain_write(torch):
    y = torch.zeros(2, 2)
    with torch.no_grad():
        v = y[0]
    v.add_(1)
    return see(torch, y)


@case
def no_grad_view_read_in_grad_mode_gives_a_node_without_edges(torch):
    x = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    out = v * 2
    out.sum().backward()
    return see(torch, out), graph(out.grad_fn), see(torch, v.grad), x.grad


@case
def no_grad_view_of_a_plain_base_made_leaf_later(torch):
    y = torch.ones(2, 2)
    with torch.no_grad():
        v = y[0]
    before = v.requires_grad
    y.requires_grad_()
    return before, v.requires_grad, v.is_leaf


@case
def grad_mode_view_then_inplace_in_no_grad(torch):
    x = torch.ones(2, 2, requires_grad=True)
    v = x[0]
    with torch.no_grad():
        v.zero_()
    return see(torch, x), see(torch, v), x._version


@case
def view_of_a_no_grad_view_inherits_the_ban(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    with torch.no_grad():
        v = y[0]
    u = v[0]
    return error(lambda: u.mul_(2)), u._base is y


@case
def no_grad_multi_view_then_inplace(torch):
    y = torch.ones(4, requires_grad=True).clone()
    with torch.no_grad():
        a, _ = y.split(2)
    return error(lambda: a.mul_(2))


@case
def inplace_on_view_of_leaf(torch):
    x = torch.ones(2, 2, requires_grad=True)
    v = x[0]
    return error(lambda: v.mul_(2)), error(lambda: x.view(4)[0].zero_()), error(lambda: x.t().add_(1))


@case
def inplace_on_multi_view_of_leaf(torch):
    x = torch.ones(4, requires_grad=True)
    a, _ = x.split(2)
    return error(lambda: a.mul_(2))


@case
def inplace_on_view_made_in_a_custom_function(torch):
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, g):
            return g.view(2, 2)

    y = torch.ones(2, 2, requires_grad=True).clone()
    v = View.apply(y)
    return v._is_view(), v._base is y, name_of(v.grad_fn), error(lambda: v.mul_(2))


@case
def view_made_in_a_custom_function_after_base_changed(torch):
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, g):
            return g.view(2, 2)

    y = torch.ones(2, 2, requires_grad=True).clone()
    v = View.apply(y)
    y.mul_(2)
    return error(lambda: v.grad_fn)


@case
def inplace_on_an_input_returned_from_a_custom_function(torch):
    class Identity(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 10

    y = torch.ones(2, requires_grad=True).clone()
    v = Identity.apply(y)
    return v is y, v._is_view(), v._base is y, name_of(v.grad_fn), error(lambda: v.mul_(2))


@case
def view_of_view_made_in_a_custom_function(torch):
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, g):
            return g.view(2, 2)

    y = torch.ones(2, 2, requires_grad=True).clone()
    v = View.apply(y)[1:]
    return v._base is y, name_of(v.grad_fn), error(lambda: v.mul_(2))


@case
def two_views_from_a_custom_function(torch):
    class Halves(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1], x[1:]

        @staticmethod
        def backward(ctx, g, h):
            return torch.cat([g, h])

    x = torch.ones(2, requires_grad=True)
    y = x.clone()
    a, b = Halves.apply(y)
    raised = error(lambda: a.mul_(2))
    (a + 3 * b).sum().backward()
    return raised, see(torch, x.grad), [a._is_view(), b._is_view()]


@case
def inference_tensors_know_themselves(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        fresh = torch.ones(2)
        result = x * 2
        view = x[0:1]
        inside = torch.is_inference_mode_enabled()
    return {
        "fresh": fresh.is_inference(),
        "result": result.is_inference(),
        "view_of_normal": view.is_inference(),
        "clone_outside": fresh.clone().is_inference(),
        "view_outside": fresh[0:1].is_inference(),
        "detach_outside": fresh.detach().is_inference(),
        "normal": x.is_inference(),
        "result_requires_grad": result.requires_grad,
        "inside": inside,
        "outside": torch.is_inference_mode_enabled(),
    }


@case
def inference_tensors_do_not_track_versions(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        t.add_(1)
        inside = error(lambda: t._version)
    return inside, error(lambda: t._version)


@case
def inference_tensor_inplace_outside(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        v = t[0:1]
    return error(lambda: t.add_(1)), error(lambda: v.add_(1)), error(lambda: t.__setitem__(0, 5.0))


@case
def inference_tensor_inplace_inside_again(torch):
    with torch.inference_mode():
        t = torch.ones(2)
    with torch.inference_mode():
        t.add_(1)
    return see(torch, t)


@case
def inference_tensor_inplace_under_no_grad(torch):
    with torch.inference_mode():
        t = torch.ones(2)
    with torch.no_grad():
        return error(lambda: t.add_(1))


@case
def inference_tensor_saved_for_backward(torch):
    with torch.inference_mode():
        t = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    return error(lambda: x * t), error(lambda: x.matmul(t))


@case
def inference_tensor_that_needs_no_saving_may_be_used(torch):
    with torch.inference_mode():
        t = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    (x + t).sum().backward()
    return see(torch, x.grad), see(torch, t * 2)


@case
def inference_tensor_may_be_cloned_and_used(torch):
    with torch.inference_mode():
        t = torch.full((2,), 3.0)
    x = torch.ones(2, requires_grad=True)
    (x * t.clone()).sum().backward()
    return see(torch, x.grad)


@case
def requires_grad_on_an_inference_tensor(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        inside = t.requires_grad_().requires_grad
    return inside, error(lambda: torch.inference_mode()(lambda: torch.ones(2))().requires_grad_())


@case
def normal_tensor_inplace_inside_inference_mode(torch):
    x = torch.ones(2)
    with torch.inference_mode():
        x.add_(1)
    x.add_(1)
    return see(torch, x), x._version, x.is_inference()


@case
def leaf_inplace_inside_inference_mode(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        x.add_(1)
    return see(torch, x), x._version


@case
def view_of_normal_tensor_made_in_inference_mode(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    with torch.inference_mode():
        v = y[0]
    return v._is_view(), v._base is y, v.requires_grad, error(lambda: v.mul_(2))


@case
def view_of_plain_tensor_made_in_inference_mode(torch):
    y = torch.ones(2, 2)
    with torch.inference_mode():
        v = y[0]
    v.mul_(2)
    return see(torch, y), v._is_view()


@case
def inference_views_have_no_base(torch):
    with torch.inference_mode():
        t = torch.ones(2, 2)
        v = t[0]
        return v._is_view(), v._base is None


@case
def inference_mode_as_decorator_and_disabled(torch):
    @torch.inference_mode()
    def f(x):
        return x * 2

    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        with torch.inference_mode(False):
            inner = x * 2
        enabled = torch.is_grad_enabled()
    return f(x).is_inference(), inner.is_inference(), inner.requires_grad, enabled


@case
def inference_tensor_as_grad_leaf_assignment(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        g = torch.ones(2)
    x.grad = g
    return see(torch, x.grad), x.grad.is_inference()


@case
def inference_tensor_as_inplace_source_outside(torch):
    with torch.inference_mode():
        t = torch.full((2,), 4.0)
    y = torch.zeros(2)
    y.copy_(t)
    return see(torch, y), y.is_inference()


@case
def detach_inplace_on_a_view(torch):
    y = torch.ones(2, 2, requires_grad=True).clone()
    return error(lambda: y[0].detach_())


@case
def detach_inplace_on_a_multi_view(torch):
    y = torch.ones(4, requires_grad=True).clone()
    return error(lambda: y.split(2)[0].detach_())


@case
def detach_inplace_on_a_view_of_a_plain_tensor(torch):
    return error(lambda: torch.ones(2, 2)[0].detach_())


@case
def detach_inplace_on_a_base_and_its_views(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x.clone()
    v = y[0]
    y.detach_()
    return see(torch, y), see(torch, v), y.is_leaf


@case
def requires_grad_on_a_view_of_a_plain_tensor(torch):
    y = torch.ones(2, 2)
    v = y[0]
    v.requires_grad_()
    (v * 3).sum().backward()
    return v._is_view(), v.is_leaf, see(torch, v.grad), y.requires_grad, error(lambda: v.add_(1))


@case
def requires_grad_on_a_base_reaches_old_views_too(torch):
    y = torch.ones(2, 2)
    old = y[0]
    y.requires_grad_()
    return old.requires_grad, old.is_leaf, name_of(old.grad_fn), y[0].is_leaf, error(lambda: old.add_(1))


@case
def expanded_view_gradient_is_summed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x.expand(3, 2) * torch.arange(6.0).view(3, 2)).sum().backward()
    return see(torch, x.grad)


@case
def as_strided_overlapping_gradient(torch):
    x = torch.arange(4.0).requires_grad_()
    (x.as_strided((3, 2), (1, 1)) * torch.arange(6.0).view(3, 2)).sum().backward()
    return see(torch, x.grad)


@case
def as_strided_with_offset_and_skips(torch):
    x = torch.arange(6.0).requires_grad_()
    v = x.as_strided((2,), (2,), 1)
    (v * v).sum().backward()
    return see(torch, v), see(torch, x.grad)


@case
def unfold_gradient_counts_overlaps(torch):
    x = torch.arange(5.0).requires_grad_()
    x.unfold(0, 3, 1).sum().backward()
    return see(torch, x.grad)


@case
def diagonal_gradient(torch):
    x = torch.arange(6.0).view(2, 3).clone().requires_grad_()
    (x.diagonal(offset=1) * torch.tensor([2.0, 3.0])).sum().backward()
    return see(torch, x.grad)


@case
def view_attributes_of_saved_state(torch):
    x = torch.ones(2, 3, requires_grad=True)
    node = x[:, 1:].grad_fn
    sel = x.select(0, 1).grad_fn
    vw = x.view(6).grad_fn
    tr = x.transpose(0, 1).grad_fn
    return {
        "slice": [node._saved_dim, node._saved_start, list(node._saved_self_sym_sizes), node._saved_step],
        "select": [sel._saved_dim, sel._saved_index, list(sel._saved_self_sym_sizes)],
        "view": list(vw._saved_self_sym_sizes),
        "transpose": [tr._saved_dim0, tr._saved_dim1],
    }


@case
def view_with_incompatible_strides(torch):
    return error(lambda: torch.ones(2, 3).t().view(6))


@case
def view_with_wrong_size(torch):
    y = torch.ones(2, 3)
    return (
        error(lambda: y.view(4)),
        error(lambda: y.view(-1, 4)),
        error(lambda: y.view(-1, -1)),
        error(lambda: y.reshape(5)),
    )


@case
def expand_errors(torch):
    y = torch.ones(2, 3)
    return error(lambda: y.expand(2, 4)), error(lambda: y.expand(3)), error(lambda: y.expand(-1, 2, 3))


@case
def view_ops_report_strides_and_offsets(torch):
    y = torch.arange(24.0).view(2, 3, 4)
    views = [
        y[1],
        y[:, 1:],
        y[..., ::2],
        y.permute(2, 0, 1),
        y.expand(5, 2, 3, 4),
        y.diagonal(0, 1, 2),
        y.unfold(2, 2, 1),
    ]
    return [[list(v.stride()), v.storage_offset(), v.is_contiguous()] for v in views]


@case
def views_share_the_data_pointer(torch):
    y = torch.zeros(4)
    return (
        y.view(2, 2).data_ptr() == y.data_ptr(),
        y.detach().data_ptr() == y.data_ptr(),
        y.data.data_ptr() == y.data_ptr(),
        y[1:].data_ptr() - y.data_ptr(),
        y.clone().data_ptr() == y.data_ptr(),
        y[1:].untyped_storage().data_ptr() == y.untyped_storage().data_ptr(),
    )


@case
def base_stays_alive_through_its_view(torch):
    def make():
        return torch.arange(4.0).view(2, 2)[1]

    v = make()
    return see(torch, v._base)


@case
def output_numbers_of_multi_views(torch):
    y = torch.ones(3, 2, requires_grad=True)
    return [[t.output_nr, name_of(t.grad_fn)] for t in (*y.unbind(), *y.split(1))]


@case
def multi_views_share_one_node(torch):
    a, b = torch.ones(4, requires_grad=True).split(2)
    return a.grad_fn is b.grad_fn


@case
def only_one_multi_view_used(torch):
    x = torch.ones(3, 2, requires_grad=True)
    _, b, _ = x.unbind()
    (b * 2).sum().backward()
    return see(torch, x.grad)


@case
def tensors_of_one_storage(torch):
    x = torch.ones(2, 3, dtype=torch.complex64)
    others = [x, x.t(), x[1:], x.detach(), x.conj(), x.real, x.clone(), x + 1, torch.add(x, 1, out=x), x[2:]]
    return [torch._C._is_alias_of(x, other) for other in others]


@case
def view_of_another_dtype_that_does_not_fit(torch):
    bytes_ = torch.ones(2, 4, 3, dtype=torch.int8)
    return [
        error(lambda: bytes_.permute(2, 1, 0).view(torch.int32)),
        error(lambda: bytes_[:, :, 1:].permute(2, 0, 1).view(torch.int32)),
        error(lambda: torch.ones(2, 4, 4, dtype=torch.int8)[:, :, 1:].view(torch.int16)),
        error(lambda: torch.ones(4, dtype=torch.int8)[1:3].view(torch.int16)),
    ]
