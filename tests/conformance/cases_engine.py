"""The backward pass: what it computes, in which order, what it keeps, how ``.grad`` is written, and what it refuses."""

from __future__ import annotations

import threading
import warnings

from .observe import case, error, name_of, plain, see, warned


def leaf(torch, *values, **options):
    return torch.tensor(list(values), requires_grad=True, **options)


def custom(torch, back, outputs=1):
    """A custom Function that copies its inputs and whose backward is ``back(ctx, *grads)``."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *xs):
            return xs[0] * 1 if outputs == 1 else tuple(xs[0] * (i + 1) for i in range(outputs))

        @staticmethod
        def backward(ctx, *gs):
            return back(ctx, *gs)

    return Custom.apply


# shapes and dtypes on edges


@case
def broadcast_gradients_are_summed_to_the_inputs_shape(torch):
    a = torch.ones(3, 1, requires_grad=True)
    b = torch.ones(2, 1, 4, requires_grad=True)
    s = torch.tensor(2.0, requires_grad=True)
    (a * b * s).sum().backward()
    return see(torch, [a.grad, b.grad, s.grad])


@case
def broadcast_of_a_one_element_vector_keeps_its_dimension(torch):
    a, b = leaf(torch, 2.0), torch.ones(3)
    (a + b).sum().backward()
    return see(torch, a.grad)


@case
def broadcast_with_an_empty_dimension(torch):
    a = torch.ones(1, 3, requires_grad=True)
    (a * torch.ones(0, 3)).sum().backward()
    return see(torch, a.grad)


@case
def gradient_has_the_dtype_of_the_leaf_when_dtypes_mix(torch):
    x = leaf(torch, 1.0, 2.0)
    d = leaf(torch, 3.0, 4.0, dtype=torch.float64)
    (x * d).sum().backward()
    return see(torch, [x.grad, d.grad])


@case
def gradient_of_half_leaf_times_float(torch):
    h = leaf(torch, 1.0, 2.0, dtype=torch.float16)
    (h * torch.tensor([3.0, 4.0])).sum().backward()
    return see(torch, h.grad)


@case
def gradient_through_a_dtype_cast(torch):
    x = leaf(torch, 1.0)
    y = x.double() * 2
    y.retain_grad()
    y.backward()
    return see(torch, [y.grad, x.grad])


@case
def complex_gradient_into_a_real_leaf_is_its_real_part(torch):
    x = leaf(torch, 1.0, 2.0)
    c = torch.tensor([1 + 2j, 3 - 1j])
    (x * c).sum().backward(torch.tensor(1 + 1j))
    return see(torch, x.grad)


@case
def complex_leaf_gradient_follows_the_conjugate_convention(torch):
    z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    (z.abs() ** 2).sum().backward()
    w = torch.tensor([1 + 2j], requires_grad=True)
    (w * w).sum().backward(torch.tensor(1 + 0j))
    return see(torch, [z.grad, w.grad])


@case
def custom_backward_may_return_a_broadcast_gradient(torch):
    x = torch.ones(1, 2, requires_grad=True)
    custom(torch, lambda ctx, g: torch.ones(5, 3, 2))(x).sum().backward()
    return see(torch, x.grad)


@case
def custom_backward_may_return_another_float_dtype(torch):
    x = leaf(torch, 1.0)
    custom(torch, lambda ctx, g: g.double() * 3)(x).sum().backward()
    return see(torch, x.grad)


@case
def custom_backward_returning_an_integer_gradient(torch):
    x = leaf(torch, 1.0)
    y = custom(torch, lambda ctx, g: torch.tensor([3]))(x).sum()
    return [error(lambda: y.backward()), see(torch, x.grad)]


@case
def custom_backward_returning_a_wrong_shape(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = custom(torch, lambda ctx, g: torch.ones(4))(x).sum()
    return error(lambda: y.backward())


@case
def custom_backward_returning_a_smaller_but_broadcastable_shape(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = custom(torch, lambda ctx, g: torch.ones(1, 3))(x).sum()
    return error(lambda: y.backward())


@case
def custom_backward_returning_a_wrong_type(torch):
    x = leaf(torch, 1.0)
    y = custom(torch, lambda ctx, g: 1.0)(x)
    return error(lambda: y.backward())


@case
def custom_backward_returning_too_many_gradients(torch):
    x = leaf(torch, 1.0)
    few = custom(torch, lambda ctx, g: ())(x)
    many = custom(torch, lambda ctx, g: (g, g))(x)
    none = custom(torch, lambda ctx, g: (g, None, None))(x)
    none.backward()
    return [error(lambda: few.backward()), error(lambda: many.backward()), see(torch, x.grad)]


# undefined gradients


@case
def unused_outputs_of_unbind_get_zeros(torch):
    x = torch.ones(3, 2, requires_grad=True)
    x.unbind(0)[1].sum().backward()
    return see(torch, x.grad)


@case
def unused_outputs_of_split_get_zeros(torch):
    x = torch.ones(5, requires_grad=True)
    (x.split(2)[2] * 3).sum().backward()
    return see(torch, x.grad)


@case
def custom_backward_sees_zeros_for_unused_outputs(torch):
    seen = []

    def back(ctx, g, h):
        seen.append(see(torch, [g, h]))
        return g + h

    x = leaf(torch, 1.0, 2.0)
    a, _ = custom(torch, back, outputs=2)(x)
    a.sum().backward()
    return seen


@case
def custom_backward_sees_none_when_it_does_not_materialize(torch):
    seen = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            seen.append([g is None, h is None])
            return h * 3

    x = leaf(torch, 1.0)
    Two.apply(x)[1].backward()
    return [seen, see(torch, x.grad)]


@case
def none_from_a_custom_backward_leaves_grad_none(torch):
    x = leaf(torch, 1.0)
    custom(torch, lambda ctx, g: None)(x).backward()
    return x.grad is None


@case
def none_passes_through_the_nodes_below(torch):
    x = leaf(torch, 1.0)
    custom(torch, lambda ctx, g: None)((x * 2).exp()).backward()
    return x.grad is None


@case
def none_from_a_custom_backward_adds_nothing_at_a_fork(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    (custom(torch, lambda ctx, g: None)(y) + y * 5).backward()
    return see(torch, x.grad)


@case
def grad_of_a_path_that_gives_none_counts_as_unused(torch):
    x = leaf(torch, 1.0)
    y = custom(torch, lambda ctx, g: None)(x)
    allowed = torch.autograd.grad(y, x, allow_unused=True, retain_graph=True)
    return [error(lambda: torch.autograd.grad(y, x, retain_graph=True)), see(torch, allowed)]


@case
def backward_with_none_into_a_custom_node_materializes(torch):
    seen = []

    def back(ctx, g):
        seen.append(see(torch, g))
        return g

    x = leaf(torch, 1.0)
    y = custom(torch, back)(x)
    custom(torch, lambda ctx, g: None)(y).backward()
    return [seen, see(torch, x.grad)]


# writing .grad


@case
def grad_is_none_before_backward(torch):
    x = leaf(torch, 1.0)
    return [x.grad is None, torch.ones(1).grad is None]


@case
def gradients_accumulate(torch):
    x = leaf(torch, 2.0)
    for _ in range(3):
        (x * x).backward()
    return see(torch, x.grad)


@case
def second_backward_adds_into_the_same_grad_object(torch):
    x = leaf(torch, 2.0)
    (x * 3).backward()
    g = x.grad
    (x * 3).backward()
    return [x.grad is g, see(torch, g), g._version]


@case
def second_backward_with_create_graph_replaces_the_grad_object(torch):
    x = leaf(torch, 2.0)
    (x * 3).backward()
    g = x.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).backward(create_graph=True)
    return [x.grad is g, see(torch, g), see(torch, x.grad)]


@case
def backward_with_create_graph_gives_a_differentiable_grad(torch):
    x = leaf(torch, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**3).backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.backward()
    return see(torch, [g, x.grad])


@case
def backward_with_create_graph_warns_of_the_cycle(torch):
    x = leaf(torch, 2.0)
    torch.set_warn_always(True)
    try:
        given = warned(lambda: (x**3).backward(create_graph=True))
        return [[[w[0], w[1].split(" (Triggered")[0]] for w in given], warned(lambda: (x * 3).backward())]
    finally:
        torch.set_warn_always(False)


@case
def grads_of_an_addition_do_not_alias_each_other(torch):
    a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    (a + b).sum().backward()
    a.grad.mul_(10)
    return see(torch, [a.grad, b.grad])


@case
def grad_does_not_alias_the_gradient_that_was_passed_in(torch):
    x, g = leaf(torch, 1.0, 2.0), torch.tensor([5.0, 6.0])
    (x + 0).backward(g)
    x.grad.add_(1)
    return [see(torch, g), x.grad is g]


@case
def grad_of_a_leaf_as_root_does_not_alias_the_gradient_passed_in(torch):
    x, g = leaf(torch, 1.0, 2.0), torch.tensor([5.0, 6.0])
    x.backward(g)
    x.grad.add_(1)
    return [see(torch, g), see(torch, x.grad)]


@case
def grad_does_not_alias_a_retained_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x + 0
    y.retain_grad()
    y.sum().backward()
    x.grad.zero_()
    return see(torch, [x.grad, y.grad])


@case
def grads_of_an_addition_from_autograd_grad(torch):
    a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    ga, gb = torch.autograd.grad((a + b + 0).sum(), (a, b))
    return see(torch, [ga, gb])


@case
def grad_kept_by_a_hook_does_not_change_in_a_later_backward(torch):
    x, kept = leaf(torch, 1.0, 2.0), []
    x.register_hook(lambda g: kept.append(g))
    (x * 1).sum().backward()
    (x * 2).sum().backward()
    return see(torch, [*kept, x.grad])


@case
def expanded_gradient_becomes_contiguous_in_grad(torch):
    x = torch.ones(2, 3, requires_grad=True)
    x.sum().backward()
    return [x.grad.is_contiguous(), list(x.grad.stride())]


@case
def grad_of_a_transposed_leaf_has_its_layout(torch):
    x = torch.ones(2, 3).t().requires_grad_()
    (x * 2).sum().backward()
    y = torch.ones(2, 3).t().requires_grad_()
    y.sum().backward()
    return [list(x.stride()), list(x.grad.stride()), list(y.grad.stride())]


@case
def recorded_gradients_have_the_layout_of_their_leaf(torch):
    seen = []
    for leaf in (torch.ones(3, 2).t().contiguous().t(), torch.ones(2, 3, 4, 5).contiguous(
        memory_format=torch.channels_last), torch.ones(3, 2)[:, :1]):  # fmt: skip
        leaf.requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cycles
            (leaf * torch.ones(leaf.shape)).sum().backward(create_graph=True)
            (leaf**2).sum().backward(create_graph=True)
        seen.append([list(leaf.grad.stride()), see(torch, leaf.grad)])
    return seen


@case
def grad_tensor_is_a_plain_leaf(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward()
    g = x.grad
    return [g.requires_grad, g.is_leaf, g.grad_fn is None, g.grad is None]


@case
def grad_set_to_none_starts_afresh(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward()
    old = x.grad
    x.grad = None
    (x * 3).backward()
    return [see(torch, x.grad), x.grad is old, see(torch, old)]


@case
def grad_deleted_starts_afresh(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward()
    del x.grad
    return x.grad is None


@case
def grad_set_by_the_user_is_accumulated_into_in_place(torch):
    x, g = leaf(torch, 1.0), torch.tensor([10.0])
    x.grad = g
    (x * 2).backward()
    return [x.grad is g, see(torch, g)]


@case
def grad_set_by_the_user_that_requires_grad_is_accumulated_into(torch):
    x, g = leaf(torch, 1.0), leaf(torch, 10.0)
    x.grad = g
    return [error(lambda: (x * 2).backward()), see(torch, x.grad)]


@case
def grad_setter_refuses_another_shape(torch):
    x = torch.ones(2, 3, requires_grad=True)
    return [error(lambda: setattr(x, "grad", torch.ones(3))), error(lambda: setattr(x, "grad", torch.tensor(1.0)))]


@case
def grad_setter_refuses_another_dtype(torch):
    x = leaf(torch, 1.0)
    d, i = torch.ones(1, dtype=torch.float64), torch.ones(1, dtype=torch.int64)
    return [error(lambda: setattr(x, "grad", d)), error(lambda: setattr(x, "grad", i))]


@case
def grad_setter_refuses_other_types(torch):
    x = leaf(torch, 1.0)
    return [error(lambda: setattr(x, "grad", 1.0)), error(lambda: setattr(x, "grad", [1.0]))]


@case
def grad_setter_refuses_the_tensor_itself(torch):
    x = leaf(torch, 1.0)
    return error(lambda: setattr(x, "grad", x))


@case
def grad_setter_refuses_another_device(torch):
    x = leaf(torch, 1.0)
    return error(lambda: setattr(x, "grad", torch.ones(1, device="meta")))


@case
def grad_setter_works_on_a_tensor_without_requires_grad(torch):
    x = torch.ones(1)
    x.grad = torch.tensor([4.0])
    return see(torch, x.grad)


@case
def grad_of_a_non_leaf_is_none_and_warns(torch):
    y = leaf(torch, 1.0) * 2
    y.backward()
    return [[w[0], w[1].split(" (Triggered")[0]] for w in warned(lambda: y.grad)]


@case
def grad_of_a_detached_or_constant_tensor_does_not_warn(torch):
    y = leaf(torch, 1.0) * 2
    return [warned(lambda: y.detach().grad), warned(lambda: torch.ones(1).grad)]


@case
def leaf_as_root_of_backward(torch):
    x = torch.tensor(3.0, requires_grad=True)
    x.backward()
    x.backward()
    return see(torch, x.grad)


@case
def in_place_change_of_a_leaf_under_no_grad_keeps_grad(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward()
    with torch.no_grad():
        x -= 0.5 * x.grad
    return [see(torch, x), see(torch, x.grad), x.is_leaf]


@case
def leaf_that_no_longer_requires_grad_at_backward_time(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    z = x * y
    x.requires_grad_(False)
    z.backward()
    return see(torch, [x.grad, y.grad])


@case
def grad_shape_check_after_data_was_swapped(torch):
    x = torch.ones(2, requires_grad=True)
    x.data = torch.ones(3)
    (x * 2).sum().backward()
    return see(torch, x.grad)


@case
def grad_dtype_defaults_to_the_dtype_of_the_leaf(torch):
    x = leaf(torch, 1.0)
    return [str(x.grad_dtype), error(lambda: (x * 2).grad_dtype)]


@case
def grad_dtype_none_lets_any_dtype_in(torch):
    x = leaf(torch, 1.0)
    x.grad_dtype = None
    x.backward(torch.ones(1, dtype=torch.float64))
    return [see(torch, x.grad), x.grad_dtype is None]


@case
def grad_dtype_casts_what_is_accumulated(torch):
    x = leaf(torch, 1.0)
    x.grad_dtype = torch.float64
    (x * 2).backward()
    return see(torch, x.grad)


@case
def grad_dtype_cannot_contradict_an_existing_grad(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward()
    return [error(lambda: setattr(x, "grad_dtype", torch.float64)), error(lambda: setattr(x, "grad_dtype", 3))]


# roots and their gradients


@case
def implicit_gradient_only_for_scalars(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    return [error(lambda: y.backward()), error(lambda: torch.autograd.grad(y, y))]


@case
def one_element_tensor_of_any_rank_needs_no_gradient(torch):
    x = torch.ones(1, 1, 1, requires_grad=True)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def empty_tensor_needs_a_gradient(torch):
    x = torch.ones(0, requires_grad=True)
    y = x * 2
    first = error(lambda: y.backward())
    y.backward(torch.ones(0))
    return [first, see(torch, x.grad)]


@case
def implicit_gradient_for_complex_output(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    return error(lambda: (z * z).backward())


@case
def root_without_grad_fn(torch):
    c = torch.ones(1)
    return [error(lambda: c.backward()), error(lambda: torch.autograd.grad(c, leaf(torch, 1.0)))]


@case
def root_computed_under_no_grad(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = x * 2
    return error(lambda: y.backward())


@case
def several_roots_of_which_one_is_constant(torch):
    x = leaf(torch, 1.0)
    return error(lambda: torch.autograd.backward([x * 2, torch.ones(1)]))


@case
def gradient_of_a_wrong_shape(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    return [error(lambda: y.backward(torch.ones(3))), error(lambda: y.backward(torch.ones(1)))]


@case
def scalar_gradient_for_a_vector_is_refused(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    return error(lambda: y.backward(torch.tensor(1.0)))


@case
def broadcastable_gradient_is_not_reduced_at_the_root(torch):
    y = leaf(torch, 1.0) * 2
    return [error(lambda: y.backward(torch.ones(2))), error(lambda: y.backward(torch.tensor(1.0)))]


@case
def gradient_of_another_float_dtype_is_cast(torch):
    x = leaf(torch, 1.0)
    (x * 2).backward(torch.ones(1, dtype=torch.float64))
    return see(torch, x.grad)


@case
def integer_gradient_for_a_float_output(torch):
    x = leaf(torch, 1.0)
    return [error(lambda: (x * 2).backward(torch.ones(1, dtype=torch.int64))), see(torch, x.grad)]


@case
def complex_gradient_for_a_real_output(torch):
    y = leaf(torch, 1.0) * 2
    return error(lambda: y.backward(torch.tensor([1j])))


@case
def real_gradient_for_a_complex_output(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    return [error(lambda: (z * 2).backward(torch.ones(1))), see(torch, z.grad)]


@case
def gradients_must_be_tensors_or_none(torch):
    y = leaf(torch, 1.0) * 2
    return [error(lambda: y.backward(1.0)), error(lambda: torch.autograd.grad(y, y, [2.0]))]


@case
def number_of_gradients_must_match_the_roots(torch):
    x = leaf(torch, 1.0)
    y, z = x * 2, x * 3
    return [
        error(lambda: torch.autograd.backward([y, z], [torch.ones(1)])),
        error(lambda: torch.autograd.grad([y, z], x, [torch.ones(1)])),
        error(lambda: torch.autograd.grad(y, x, [torch.ones(1), torch.ones(1)])),
    ]


@case
def several_roots_are_run_in_one_pass(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    torch.autograd.backward([y * 2, y * 3], [torch.tensor([10.0]), None])
    return see(torch, x.grad)


@case
def same_root_twice_counts_twice(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    torch.autograd.backward([y, y])
    return see(torch, x.grad)


@case
def root_below_another_root(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    z = y * 10
    torch.autograd.backward([z, y])
    return see(torch, x.grad)


@case
def no_roots_at_all(torch):
    return [error(lambda: torch.autograd.backward([])), error(lambda: torch.autograd.grad([], leaf(torch, 1.0)))]


@case
def grad_outputs_that_require_grad_are_differentiated_with_create_graph(torch):
    x, v = leaf(torch, 3.0), leaf(torch, 5.0)
    (g,) = torch.autograd.grad(x * x, x, v, create_graph=True)
    return see(torch, [g, torch.autograd.grad(g, v)])


@case
def grad_outputs_that_require_grad_without_create_graph(torch):
    x, v = leaf(torch, 3.0), leaf(torch, 5.0)
    return see(torch, torch.autograd.grad(x * x, x, v))


@case
def gradient_given_as_keyword(torch):
    x = leaf(torch, 1.0, 2.0)
    (x * 2).backward(gradient=torch.tensor([1.0, 10.0]))
    torch.autograd.backward(tensors=(x * 1,), grad_tensors=(torch.ones(2),))
    return see(torch, x.grad)


@case
def order_of_positional_arguments_of_backward(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    out = z.backward(torch.ones(1), True, False, [x])
    torch.autograd.backward(z, torch.ones(1), False, False)
    return [out is None, see(torch, [x.grad, y.grad])]


@case
def none_among_gradients_of_a_vector(torch):
    x = leaf(torch, 1.0, 2.0)
    return error(lambda: torch.autograd.backward([x * 2, (x * 3).sum()], [None, None]))


@case
def grad_with_something_that_is_no_tensor(torch):
    x = leaf(torch, 1.0)
    found = [error(lambda: torch.autograd.grad(x * 2, [x, None])), error(lambda: torch.autograd.grad(3.0, x))]
    return [e["raises"] for e in found]


@case
def batched_grad_outputs(torch):
    x = leaf(torch, 1.0, 2.0)
    return see(torch, torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True))


@case
def grad_tensors_and_grad_variables_together(torch):
    y = leaf(torch, 1.0) * 2
    g = torch.ones(1)

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.autograd.backward(y, grad_tensors=g, grad_variables=g)

    return error(run)


# autograd.grad


@case
def grad_returns_a_tuple_also_for_one_input(torch):
    x = leaf(torch, 3.0)
    out = torch.autograd.grad(x * x, x)
    return [type(out).__name__, see(torch, out), x.grad is None]


@case
def grad_leaves_all_grads_untouched(torch):
    x, y = leaf(torch, 3.0), leaf(torch, 4.0)
    torch.autograd.grad(x * y, x)
    return [x.grad is None, y.grad is None]


@case
def grad_with_respect_to_an_intermediate(torch):
    x = leaf(torch, 3.0)
    y = x * 2
    return see(torch, torch.autograd.grad(y * y, y))


@case
def grad_with_respect_to_leaf_and_intermediate_together(torch):
    x = leaf(torch, 3.0)
    y = x * 2
    return see(torch, torch.autograd.grad(y * x, [x, y]))


@case
def grad_of_an_input_given_twice(torch):
    x = leaf(torch, 3.0)
    return see(torch, torch.autograd.grad(x * x, [x, x]))


@case
def grad_of_an_output_with_respect_to_itself(torch):
    x = leaf(torch, 3.0)
    y = x * 2
    g = torch.tensor([7.0])
    (out,) = torch.autograd.grad(y, y, g)
    return [see(torch, out), see(torch, torch.autograd.grad(y, [y, x]))]


@case
def grad_of_a_leaf_with_respect_to_itself(torch):
    x = leaf(torch, 3.0)
    return [see(torch, torch.autograd.grad(x, x)), x.grad is None]


@case
def grad_with_respect_to_one_output_of_unbind(torch):
    x = torch.ones(2, 2, requires_grad=True)
    a, b = x.unbind(0)
    z = (a * 2 + b * 3).sum()
    return see(torch, torch.autograd.grad(z, [a, b, x]))


@case
def unused_input_is_an_error(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 1.0)
    return [error(lambda: torch.autograd.grad(x * 2, y)), error(lambda: torch.autograd.grad(x * 2, [x, y]))]


@case
def unused_input_gives_none_with_allow_unused(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 1.0)
    return see(torch, torch.autograd.grad(x * 2, [y, x], allow_unused=True))


@case
def unused_input_gives_zeros_with_materialize_grads(torch):
    x, y = leaf(torch, 1.0), torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    return see(torch, torch.autograd.grad(x * 2, [y, x], materialize_grads=True))


@case
def materialize_grads_excludes_allow_unused_false(torch):
    x = leaf(torch, 1.0)
    return error(lambda: torch.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True))


@case
def materialized_zero_gradient_with_create_graph(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 1.0)
    return see(torch, torch.autograd.grad(x * 2, [y], materialize_grads=True, create_graph=True))


@case
def input_that_does_not_require_grad(torch):
    x, c = leaf(torch, 1.0), torch.ones(1)
    return [
        error(lambda: torch.autograd.grad(x * c, c)),
        error(lambda: torch.autograd.grad(x * c, [c], allow_unused=True)),
    ]


@case
def input_after_its_detach_is_unused(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    return error(lambda: torch.autograd.grad(y.detach() * x, y))


@case
def empty_inputs_of_grad(torch):
    x = leaf(torch, 1.0)
    return [error(lambda: torch.autograd.grad(x * 2, [])), error(lambda: (x * 2).backward(inputs=[]))]


@case
def grad_runs_only_the_nodes_on_a_path_to_the_inputs(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    a, b = x.exp(), y.sin()
    ran = []
    a.grad_fn.register_hook(lambda gi, go: ran.append("exp"))
    b.grad_fn.register_hook(lambda gi, go: ran.append("sin"))
    torch.autograd.grad(a * b, x)
    return ran


@case
def grad_does_not_run_nodes_below_the_inputs(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    z = y.sin()
    ran = []
    y.grad_fn.register_hook(lambda gi, go: ran.append("exp"))
    z.grad_fn.register_hook(lambda gi, go: ran.append("sin"))
    torch.autograd.grad(z, y)
    return ran


@case
def grad_frees_only_the_nodes_that_ran(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    torch.autograd.grad(y.sin(), y)
    return [error(lambda: y.backward()), see(torch, x.grad)]


@case
def grad_rules_skip_outputs_that_are_not_needed(torch):
    seen = []

    def back(ctx, g):
        seen.append(list(ctx.needs_input_grad))
        return g, g

    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    z = custom(torch, back)(x, y)
    torch.autograd.grad(z, x, retain_graph=True)
    torch.autograd.grad(z, y)
    return seen


@case
def node_called_by_the_engine_gives_none_for_unneeded_edges(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z, seen = x * y, []
    z.grad_fn.register_hook(lambda gi, go: seen.append(see(torch, gi)))
    torch.autograd.grad(z, x, retain_graph=True)
    z.backward()
    return seen


@case
def grad_captures_the_whole_sum_at_a_fork(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    z = y * 3 + y * 4 + y * y
    return see(torch, torch.autograd.grad(z, y))


@case
def grad_outputs_of_none_among_several(torch):
    x = leaf(torch, 1.0)
    return see(torch, torch.autograd.grad([x * 2, x * 3], x, [None, torch.tensor([10.0])]))


@case
def grad_of_several_outputs_and_inputs_by_keyword(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    out = torch.autograd.grad(outputs=(x * y, x + y), inputs=(x, y), grad_outputs=(torch.ones(1), torch.ones(1)))
    return see(torch, out)


@case
def only_inputs_false_is_deprecated(torch):
    x = leaf(torch, 2.0)
    return warned(lambda: torch.autograd.grad(x * x, x, only_inputs=False))


@case
def double_and_triple_grad(torch):
    x = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(x**4, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    (k,) = torch.autograd.grad(h, x)
    return see(torch, [g.detach(), h.detach(), k])


@case
def second_derivative_of_a_linear_function_is_unused(torch):
    x = leaf(torch, 2.0)
    (g,) = torch.autograd.grad(x * 3, x, create_graph=True)
    return [see(torch, g), error(lambda: torch.autograd.grad(g, x))]


@case
def grad_of_grad_with_inputs_intermediate(torch):
    x = leaf(torch, 2.0)
    y = x * x
    (g,) = torch.autograd.grad(y * y, y, create_graph=True)
    return see(torch, [g.detach(), *torch.autograd.grad(g, x)])


@case
def grad_accepts_gradient_edges(torch):
    x = leaf(torch, 2.0)
    y = x * x
    edge = torch.autograd.graph.get_gradient_edge
    return see(torch, [torch.autograd.grad(edge(y), edge(x), torch.ones(1), retain_graph=True)])


@case
def backward_from_a_gradient_edge(torch):
    x = leaf(torch, 2.0)
    e = torch.autograd.graph.get_gradient_edge(x * x)
    torch.autograd.backward(e, torch.tensor([10.0]))
    return see(torch, x.grad)


@case
def gradient_edge_as_root_without_gradient(torch):
    x = leaf(torch, 2.0)
    e = torch.autograd.graph.get_gradient_edge(x * x)
    v = torch.autograd.graph.get_gradient_edge(leaf(torch, 1.0, 2.0) * 2)
    return [error(lambda: torch.autograd.grad(e, x)), error(lambda: torch.autograd.backward(v))]


@case
def gradient_edge_with_a_wrong_shape_of_gradient(torch):
    e = torch.autograd.graph.get_gradient_edge(leaf(torch, 1.0, 2.0) * 2)
    return error(lambda: torch.autograd.backward(e, torch.ones(3)))


@case
def gradient_edge_into_backward_inputs(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    e = torch.autograd.graph.get_gradient_edge(x)
    y.backward(inputs=e)
    return see(torch, x.grad)


# backward(inputs=)


@case
def backward_with_inputs_accumulates_into_these_only(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * y).backward(inputs=[x])
    return see(torch, [x.grad, y.grad])


@case
def backward_with_a_single_input_tensor(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * y).backward(inputs=y)
    return see(torch, [x.grad, y.grad])


@case
def backward_with_inputs_twice_accumulates(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    z.backward(inputs=[x], retain_graph=True)
    z.backward(inputs=[x])
    return see(torch, x.grad)


@case
def backward_with_a_non_leaf_input(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    (y * y).backward(inputs=[y])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return see(torch, [y.grad, x.grad])


@case
def backward_with_the_root_as_input(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.backward(inputs=[y])
    return see(torch, [y.grad, x.grad])


@case
def backward_with_inputs_makes_a_non_leaf_retain_its_grad(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    (y * y).backward(inputs=[y])
    return y.retains_grad


@case
def backward_with_an_unused_input_is_silent(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * 2).backward(inputs=[x, y])
    return see(torch, [x.grad, y.grad])


@case
def backward_with_an_input_that_needs_no_grad(torch):
    x = leaf(torch, 2.0)
    return error(lambda: (x * 2).backward(inputs=[torch.ones(1)]))


@case
def backward_with_inputs_runs_tensor_and_post_accumulate_hooks(torch):
    x, y, ran = leaf(torch, 2.0), leaf(torch, 3.0), []
    for name, t in (("x", x), ("y", y)):
        t.register_hook(lambda g, name=name: ran.append("hook " + name))
        t.register_post_accumulate_grad_hook(lambda t, name=name: ran.append("post " + name))
    (x * y).backward(inputs=[x])
    return ran


# retaining and freeing


SECOND = "Trying to backward through the graph a second time"


@case
def second_backward_through_saved_tensors(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.backward()
    return [error(lambda: y.backward()), see(torch, x.grad)]


@case
def second_backward_where_nothing_was_saved(torch):
    x = leaf(torch, 2.0)
    y = (x + 1).view(1, 1).sum() - 3
    y.backward()
    y.backward()
    return see(torch, x.grad)


@case
def which_single_nodes_can_run_backward_twice(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    ops = {
        "add": lambda: x + 1,
        "mul by a number": lambda: x * 2,
        "div by a number": lambda: x / 2,
        "neg": lambda: -x,
        "sum": lambda: x.sum(),
        "sum of a dim": lambda: x.sum(0),
        "mean": lambda: x.mean(),
        "exp": lambda: x.exp(),
        "pow": lambda: x**2,
        "select": lambda: x[0],
        "slice": lambda: x[0:1],
        "index": lambda: x[torch.tensor([0])],
        "gather": lambda: x.gather(0, torch.tensor([[0, 1]])),
        "cat": lambda: torch.cat([x, x]),
        "stack": lambda: torch.stack([x, x]),
        "max of a dim": lambda: x.max(0).values,
        "max": lambda: x.max(),
        "relu": lambda: x.relu(),
        "where": lambda: torch.where(x > 0, x, 0.0),
        "clamp": lambda: x.clamp(0, 1),
        "matmul": lambda: x @ torch.ones(2, 2),
        "transpose": lambda: x.t(),
        "clone": lambda: x.clone(),
        "double": lambda: x.double(),
        "cumsum": lambda: x.cumsum(0),
        "unbind": lambda: x.unbind(0)[0],
        "expand": lambda: x.expand(2, 2, 2),
        "softmax": lambda: x.softmax(0),
    }
    found = {}
    for name, op in ops.items():
        y = op()
        y.backward(torch.ones_like(y))
        found[name] = error(lambda y=y: y.backward(torch.ones_like(y))).get("message", "runs again")[: len(SECOND)]
    return found


@case
def retain_graph_allows_a_second_backward(torch):
    x = leaf(torch, 2.0)
    y = x.exp() * x
    y.backward(retain_graph=True)
    y.backward()
    return [see(torch, x.grad), error(lambda: y.backward())["message"][: len(SECOND)]]


@case
def create_graph_retains_the_graph_by_default(torch):
    x = leaf(torch, 2.0)
    y = x * x
    torch.autograd.grad(y, x, create_graph=True)
    return see(torch, torch.autograd.grad(y, x))


@case
def create_graph_with_retain_graph_false_frees_the_graph(torch):
    x = leaf(torch, 2.0)
    y = x * x * x
    (g,) = torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return [error(lambda: torch.autograd.grad(y, x))["message"][: len(SECOND)], see(torch, g.detach())]


@case
def shared_part_of_two_graphs_is_freed_by_the_first(torch):
    x = leaf(torch, 2.0)
    y = x.exp()
    a, b = y * 2, y * 3
    a.backward()
    return [error(lambda: b.backward())["message"][: len(SECOND)], see(torch, x.grad)]


@case
def failed_second_backward_leaves_partial_gradients(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 5.0)
    y = x.exp()
    (y * 2).backward()
    error(lambda: (y * w).backward())
    return see(torch, [x.grad, w.grad])


@case
def graph_that_failed_in_backward_may_be_partly_freed(torch):
    x, fail = leaf(torch, 2.0), [True]

    def back(ctx, g):
        if fail[0]:
            raise ValueError("not yet")
        return g

    y = custom(torch, back)(x * x).exp()
    first = error(lambda: y.backward())
    fail[0] = False
    return [first, error(lambda: y.backward())["message"][: len(SECOND)], x.grad is None]


@case
def saved_tensors_of_a_custom_function_after_free(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(torch, 3.0)
    y = Square.apply(x)
    before = see(torch, y.grad_fn.saved_tensors)
    y.backward()
    return [before, error(lambda: y.grad_fn.saved_tensors), error(lambda: y.backward())]


@case
def custom_function_that_saves_nothing_runs_twice(torch):
    x = leaf(torch, 3.0)
    y = custom(torch, lambda ctx, g: g * 2)(x)
    y.backward()
    return [error(lambda: y.backward()), see(torch, x.grad)]


@case
def attributes_of_ctx_survive_the_free(torch):
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.k = 5
            return x * 5

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k

    y = Keep.apply(leaf(torch, 3.0))
    y.backward()
    return y.grad_fn.k


# order


def named_order(torch, root, named, **options):
    """The order in which the named tensors' nodes run."""
    ran = []
    for name, t in named.items():
        t.grad_fn.register_prehook(lambda go, name=name: ran.append(name))
    root.backward(**options)
    return ran


@case
def newest_node_runs_first(torch):
    x = leaf(torch, 1.0)
    a = x * 2
    b = x * 3
    c = x * 4
    z = torch.stack([b, c, a]).sum()
    return named_order(torch, z, {"a": a, "b": b, "c": c, "z": z})


@case
def newest_node_first_regardless_of_depth(torch):
    x = leaf(torch, 1.0)
    a = x.exp()
    b = a.sin()
    c = b.cos()
    d = x.exp()
    z = d + c
    return named_order(torch, z, {"a": a, "b": b, "c": c, "d": d, "z": z})


@case
def older_branch_waits_until_newer_ones_are_done(torch):
    x = leaf(torch, 1.0)
    old = x.exp()
    left = x.sin()
    left2 = left.sin()
    right = x.cos()
    z = old + left2 + right
    return named_order(torch, z, {"old": old, "left": left, "left2": left2, "right": right})


@case
def accumulate_grad_runs_as_soon_as_it_is_ready(torch):
    x, y, ran = leaf(torch, 1.0), leaf(torch, 1.0), []
    a = x.exp()
    b = y.sin()
    c = b.cos()
    z = a + c
    for name, t in (("a", a), ("b", b), ("c", c)):
        t.grad_fn.register_prehook(lambda go, name=name: ran.append(name))
    x.register_post_accumulate_grad_hook(lambda t: ran.append("x"))
    y.register_post_accumulate_grad_hook(lambda t: ran.append("y"))
    z.backward()
    return ran


@case
def accumulate_grad_of_a_shared_leaf_runs_once_at_the_end(torch):
    x, ran = leaf(torch, 1.0), []
    a = x * 2
    b = a * x
    c = b * x
    for name, t in (("a", a), ("b", b), ("c", c)):
        t.grad_fn.register_prehook(lambda go, name=name: ran.append(name))
    x.register_hook(lambda g: ran.append("x"))
    c.backward()
    return [ran, see(torch, x.grad)]


@case
def leaves_that_become_ready_together_run_in_the_order_of_edges(torch):
    ran = []
    leaves = [leaf(torch, 1.0) for _ in range(3)]
    for i, t in enumerate(leaves):
        t.register_hook(lambda g, i=i: ran.append(i))
    torch.stack(leaves).sum().backward()
    return ran


@case
def order_with_several_roots(torch):
    x, ran = leaf(torch, 1.0), []
    ys = [x * (i + 1) for i in range(4)]
    for i, y in enumerate(ys):
        y.grad_fn.register_prehook(lambda go, i=i: ran.append(i))
    torch.autograd.backward([ys[1], ys[3], ys[0], ys[2]])
    return ran


@case
def node_waits_for_all_its_consumers(torch):
    x, seen = leaf(torch, 1.0), []
    y = x * 1
    y.register_hook(lambda g: seen.append(see(torch, g)))
    (y * 2 + y * 3 + (y * 5) * 7).backward()
    return seen


@case
def branch_outside_the_root_does_not_delay(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    y.exp()
    (y * 3).backward()
    return see(torch, x.grad)


@case
def long_chain_does_not_overflow_the_stack(torch):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(4000):
        y = y + 0
    y.backward()
    del y
    return see(torch, x.grad)


# reentrant backward


@case
def backward_inside_a_custom_backward(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = ctx.x * ctx.x
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                ctx.y.backward(g)
            return ctx.x.grad

    x = leaf(torch, 3.0)
    (Inner.apply(x * 2) * 5).backward()
    return see(torch, x.grad)


@case
def backward_inside_a_hook_on_another_graph(torch):
    x, other = leaf(torch, 3.0), leaf(torch, 4.0)

    def hook(g):
        with torch.enable_grad():
            (other * other).backward()

    y = x * 2
    y.register_hook(hook)
    (y * y).backward()
    return see(torch, [x.grad, other.grad])


@case
def reentrant_backward_into_the_same_leaf(torch):
    x = leaf(torch, 3.0)

    def hook(g):
        with torch.enable_grad():
            (x * 10).backward()

    y = x * 2
    y.register_hook(hook)
    y.backward()
    return see(torch, x.grad)


@case
def reentrant_backward_runs_to_its_end_before_the_outer_goes_on(torch):
    x, ran = leaf(torch, 1.0), []
    a = x.exp()
    b = x.sin()
    z = a + b

    def hook(g):
        ran.append("b begins")
        with torch.enable_grad():
            inner = x.cos()
            inner.register_hook(lambda g: ran.append("inner"))
            inner.backward()
        ran.append("b ends")

    b.register_hook(hook)
    a.register_hook(lambda g: ran.append("a"))
    z.backward()
    return ran


@case
def reentrant_grad_call_returns_its_result(torch):
    seen = []

    def back(ctx, g):
        with torch.enable_grad():
            w = torch.tensor([3.0], requires_grad=True)
            (d,) = torch.autograd.grad(w**3, w)
        seen.append(see(torch, d))
        return g * d

    x = leaf(torch, 1.0)
    custom(torch, back)(x).backward()
    return [seen, see(torch, x.grad)]


@case
def deep_reentrancy(torch):
    depth = []

    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.n = n
            return x * 1

        @staticmethod
        def backward(ctx, g):
            depth.append(ctx.n)
            if ctx.n:
                with torch.enable_grad():
                    y = torch.ones(1, requires_grad=True)
                    Deep.apply(y, ctx.n - 1).backward()
                return g + y.grad, None
            return g, None

    x = leaf(torch, 1.0)
    Deep.apply(x, 100).backward()
    return [len(depth), depth[:3], see(torch, x.grad)]


@case
def error_in_a_reentrant_backward_reaches_the_outer_caller(torch):
    def back(ctx, g):
        with torch.enable_grad():
            y = torch.ones(1, requires_grad=True) * 2
            y.register_hook(lambda g: 1 / 0)
            y.backward()

    x = leaf(torch, 1.0)
    y = custom(torch, back)(x)
    return [error(lambda: y.backward()), error(lambda: (x * 2).backward()), see(torch, x.grad)]


@case
def reentrant_backward_through_the_freed_part_of_the_running_graph(torch):
    x = leaf(torch, 2.0)
    y = x * x
    z = y.exp()
    y.register_hook(lambda g: z.backward())
    return error(lambda: z.backward())["message"][: len(SECOND)]


@case
def reentrant_create_graph_is_its_own(torch):
    modes = []

    def hook(g):
        modes.append(["outer", torch.is_grad_enabled()])
        with torch.enable_grad():
            w = torch.ones(1, requires_grad=True)
            y = w**2
            y.register_hook(lambda g: modes.append(["inner", torch.is_grad_enabled()]))
            torch.autograd.grad(y, w, create_graph=True)
        modes.append(["outer", torch.is_grad_enabled()])

    x = leaf(torch, 1.0)
    y = x * 2
    y.register_hook(hook)
    y.backward()
    return modes


# errors raised inside


@case
def python_exceptions_keep_their_type_through_backward(torch):
    def back(ctx, g):
        raise KeyError("mine")

    x = leaf(torch, 1.0)
    y = custom(torch, back)(x) * 2
    return error(lambda: y.backward())


@case
def engine_works_after_an_error(torch):
    def back(ctx, g):
        raise ValueError("mine")

    x = leaf(torch, 1.0)
    y = custom(torch, back)(x)
    error(lambda: y.backward())
    (x * 2).backward()
    return [see(torch, x.grad), torch.is_grad_enabled()]


@case
def saved_tensor_changed_in_place_is_noticed(torch):
    x = leaf(torch, 2.0)
    y = x * 1
    z = y * y
    y.add_(1)
    return error(lambda: z.backward())


@case
def saved_tensor_changed_in_place_is_harmless_where_it_is_not_needed(torch):
    x = leaf(torch, 2.0)
    y = x * 1
    z = y + 3
    y.add_(1)
    z.backward()
    return see(torch, x.grad)


# grad modes


@case
def grad_mode_is_off_in_backward_and_on_with_create_graph(torch):
    seen = []

    def back(ctx, g):
        seen.append([torch.is_grad_enabled(), g.requires_grad])
        return g * 2

    x = leaf(torch, 1.0)
    y = custom(torch, back)(x)
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    return seen


@case
def backward_under_no_grad_works(torch):
    x = leaf(torch, 2.0)
    y = x * x
    with torch.no_grad():
        y.backward()
    return see(torch, x.grad)


@case
def create_graph_under_no_grad_still_builds_a_graph(torch):
    x = leaf(torch, 2.0)
    y = x**3
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return see(torch, g)


@case
def grad_mode_is_restored_after_backward(torch):
    x = leaf(torch, 2.0)
    y = x * x
    with torch.no_grad():
        torch.autograd.grad(y, x, create_graph=True)
        off = torch.is_grad_enabled()
    y.backward()
    return [off, torch.is_grad_enabled()]


@case
def no_grad_as_context_manager(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad() as value:
        y = x * 2
        inside = torch.is_grad_enabled()
    return [inside, torch.is_grad_enabled(), y.requires_grad, y.grad_fn is None, value is None]


@case
def no_grad_as_decorator_with_and_without_call(torch):
    @torch.no_grad()
    def f(x):
        """Doubles."""
        return x * 2

    @torch.no_grad
    def g(x):
        return x * 2

    x = leaf(torch, 1.0)
    return [f(x).requires_grad, g(x).requires_grad, f.__name__, f.__doc__, torch.is_grad_enabled()]


@case
def enable_grad_inside_no_grad(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
        z = x * 2
    return [y.requires_grad, z.requires_grad]


@case
def enable_grad_as_decorator(torch):
    @torch.enable_grad()
    def f(x):
        return x * 2

    with torch.no_grad():
        return [f(leaf(torch, 1.0)).requires_grad, torch.is_grad_enabled()]


@case
def set_grad_enabled_as_context_manager_and_as_function(torch):
    seen = []
    with torch.set_grad_enabled(False):
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(False)
    seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    seen.append(torch.is_grad_enabled())
    return seen


@case
def set_grad_enabled_acts_at_once_even_before_with(torch):
    mode = torch.set_grad_enabled(False)
    before = torch.is_grad_enabled()
    with mode:
        inside = torch.is_grad_enabled()
    return [before, inside, torch.is_grad_enabled()]


@case
def set_grad_enabled_as_decorator_does_not_leak(torch):
    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()

    return [torch.is_grad_enabled(), f(), torch.is_grad_enabled()]


@case
def grad_mode_is_restored_after_an_exception(torch):
    def run():
        with torch.no_grad():
            raise ValueError("x")

    @torch.no_grad()
    def fail():
        raise ValueError("y")

    error(run)
    error(fail)
    return torch.is_grad_enabled()


@case
def no_grad_object_can_be_used_again_and_nested(torch):
    mode, seen = torch.no_grad(), []
    for _ in range(2):
        with mode:
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    return seen


@case
def recursive_decorated_function_restores_the_mode(torch):
    @torch.no_grad()
    def f(n):
        return [torch.is_grad_enabled(), *(f(n - 1) if n else [])]

    return [f(3), torch.is_grad_enabled()]


@case
def decorated_generator_has_its_own_mode_and_the_caller_keeps_his(torch):
    @torch.no_grad()
    def inner():
        for _ in range(2):
            yield torch.is_grad_enabled()

    seen = []
    for off in inner():
        seen.append([off, torch.is_grad_enabled()])
    return [seen, torch.is_grad_enabled()]


@case
def decorated_generator_passes_send_throw_close_and_return(torch):
    log = []

    @torch.no_grad()
    def inner():
        try:
            got = yield "first"
            log.append([got, torch.is_grad_enabled()])
            try:
                yield "second"
            except ValueError as e:
                log.append([str(e), torch.is_grad_enabled()])
                yield "third"
            return "end"
        finally:
            log.append(["closed", torch.is_grad_enabled()])

    it = inner()
    out = [next(it), it.send(5), it.throw(ValueError("thrown"))]
    try:
        next(it)
    except StopIteration as e:
        out.append(e.value)
    it = inner()
    next(it)
    it.close()
    return [out, log, torch.is_grad_enabled()]


@case
def inference_mode_decorates_a_generator(torch):
    @torch.inference_mode()
    def inner():
        yield torch.is_inference_mode_enabled()

    return [[inside, torch.is_inference_mode_enabled()] for inside in inner()]


@case
def decorated_coroutine_function_runs_outside_the_mode(torch):
    @torch.no_grad()
    async def f():
        return torch.is_grad_enabled()

    try:
        f().send(None)
    except StopIteration as e:
        return [e.value, torch.is_grad_enabled()]


@case
def plain_generator_leaks_its_mode_to_the_caller(torch):
    def inner():
        with torch.no_grad():
            yield torch.is_grad_enabled()

    it = inner()
    next(it)
    during = torch.is_grad_enabled()
    it.close()
    return [during, torch.is_grad_enabled()]


@case
def decorating_a_class_is_deprecated_and_wraps_its_init(torch):
    def define():
        class Model:
            def __init__(self):
                self.inside = torch.is_grad_enabled()

            def call(self):
                return torch.is_grad_enabled()

        seen.append(torch.no_grad()(Model))

    seen = []
    given = warned(define)
    made = seen[0]()
    return [[w[0] for w in given], isinstance(seen[0], type), made.inside, made.call()]


@case
def grad_mode_decorator_on_a_method(torch):
    class Model:
        @torch.no_grad()
        def run(self, k, x=None):
            return (x * k).requires_grad

    return [Model().run(2, x=leaf(torch, 1.0)), torch.is_grad_enabled()]


@case
def grad_mode_classes_live_in_autograd_too(torch):
    a = torch.autograd
    return [
        a.no_grad is torch.no_grad,
        a.enable_grad is torch.enable_grad,
        a.set_grad_enabled is torch.set_grad_enabled,
        a.inference_mode is torch.inference_mode,
        a.grad_mode.no_grad is torch.no_grad,
    ]


@case
def no_grad_does_not_touch_the_requires_grad_of_inputs(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        return [x.requires_grad, (x * 1).requires_grad, x.view(1).requires_grad, x.detach().requires_grad]


@case
def inference_mode_results(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode():
        y = x * 2
        inside = [torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.is_inference()]
    return [inside, torch.is_inference_mode_enabled(), y.requires_grad, y.is_inference(), x.is_inference()]


@case
def inference_mode_false_switches_it_off_inside(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode():
        with torch.inference_mode(False):
            y = x * 2
            inside = [torch.is_inference_mode_enabled(), torch.is_grad_enabled()]
        again = torch.is_inference_mode_enabled()
    return [inside, again, y.requires_grad]


@case
def inference_mode_as_decorator(torch):
    @torch.inference_mode()
    def f(x):
        return x * 2

    @torch.inference_mode
    def g(x):
        return x * 2

    x = leaf(torch, 1.0)
    return [f(x).is_inference(), g(x).is_inference(), torch.is_inference_mode_enabled()]


@case
def enable_grad_inside_inference_mode_builds_no_graph(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
        mode = torch.is_grad_enabled()
    return [mode, y.requires_grad, y.is_inference()]


@case
def inference_tensor_cannot_be_saved_for_backward(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode():
        c = torch.ones(1)
    return [error(lambda: x * c), (x + c).requires_grad]


@case
def inference_tensor_refuses_requires_grad_and_version(torch):
    with torch.inference_mode():
        c = torch.ones(1)
    return [error(lambda: c.requires_grad_()), error(lambda: c._version), error(lambda: c.add_(1))]


@case
def clone_of_an_inference_tensor_is_normal(torch):
    with torch.inference_mode():
        c = torch.ones(1)
    d = c.clone()
    return [d.is_inference(), d.requires_grad_().requires_grad]


@case
def backward_inside_inference_mode(torch):
    x = leaf(torch, 1.0)
    y = x * x
    with torch.inference_mode():
        y.backward()
    return [see(torch, x.grad), x.grad.is_inference()]


@case
def in_place_update_of_a_leaf_inside_inference_mode(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode():
        x.add_(1)
    return [see(torch, x), x.is_inference(), x._version]


# threads


def in_thread(fn):
    """What ``fn`` returns when it runs in a new thread."""
    out = []
    t = threading.Thread(target=lambda: out.append(fn()))
    t.start()
    t.join()
    return out[0]


@case
def new_thread_starts_with_grad_enabled(torch):
    with torch.no_grad():
        return [in_thread(torch.is_grad_enabled), torch.is_grad_enabled()]


@case
def new_thread_starts_outside_inference_mode(torch):
    with torch.inference_mode():
        return in_thread(torch.is_inference_mode_enabled)


@case
def grad_mode_set_in_a_thread_does_not_leak(torch):
    in_thread(lambda: torch.set_grad_enabled(False) and None)
    return torch.is_grad_enabled()


@case
def graph_built_in_one_thread_runs_backward_in_another(torch):
    x = leaf(torch, 2.0)
    y = x * x
    in_thread(lambda: y.backward())
    return see(torch, x.grad)


@case
def threads_accumulate_into_a_shared_leaf(torch):
    x = leaf(torch, 2.0)

    def work():
        for _ in range(10):
            (x * 3).backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return see(torch, x.grad)


@case
def threads_run_autograd_grad_on_a_shared_graph(torch):
    x = leaf(torch, 2.0)
    y = (x * x).exp()
    found = [None] * 4

    def work(i):
        found[i] = torch.autograd.grad(y, x, retain_graph=True)[0]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return see(torch, found)


@case
def backward_runs_hooks_in_the_calling_thread_on_cpu(torch):
    x, seen = leaf(torch, 2.0), []
    x.register_hook(lambda g: seen.append(threading.current_thread()))
    (x * x).backward()
    other = in_thread(lambda: (x * x).backward() or threading.current_thread())
    return [seen[0] is threading.current_thread(), seen[1] is other]


@case
def anomaly_mode_is_shared_by_all_threads(torch):
    with torch.autograd.set_detect_anomaly(True):
        return in_thread(torch.is_anomaly_enabled)


@case
def error_in_backward_in_a_thread_is_raised_there(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    return in_thread(lambda: error(lambda: y.backward()))


@case
def multithreading_switch(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.set_multithreading_enabled(False):
        (x * x).backward()
    return see(torch, x.grad)


# anomaly mode


@case
def anomaly_mode_is_off_by_default_and_scoped(torch):
    seen = [torch.is_anomaly_enabled()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        with torch.autograd.detect_anomaly(check_nan=False):
            seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    return [*seen, torch.is_anomaly_enabled()]


@case
def detect_anomaly_warns_that_it_is_slow(torch):
    def run():
        with torch.autograd.detect_anomaly():
            pass

    return warned(run)


@case
def set_detect_anomaly_as_function_and_context_manager(torch):
    seen = []
    with torch.autograd.set_detect_anomaly(True):
        seen.append(torch.is_anomaly_enabled())
    seen.append(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    torch.autograd.set_detect_anomaly(False)
    seen.append(torch.is_anomaly_enabled())
    return seen


def quietly(fn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


@case
def nan_in_backward_names_the_node(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * 0).sum()
        return quietly(lambda: error(lambda: y.backward()))


@case
def nan_in_the_second_output_of_a_node(torch):
    x, y = leaf(torch, 1.0), leaf(torch, float("inf"))
    with torch.autograd.set_detect_anomaly(True):
        z = (x * y) * 0
        first = quietly(lambda: error(lambda: z.backward()))
        w = (y * x) * 0
        return [first, quietly(lambda: error(lambda: w.backward()))]


@case
def nan_check_can_be_switched_off(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        (x.sqrt() * 0).sum().backward()
    return see(torch, x.grad)


@case
def nan_is_silent_without_anomaly_mode(torch):
    x = leaf(torch, 0.0)
    (x.sqrt() * 0).sum().backward()
    return see(torch, x.grad)


@case
def nan_in_a_custom_backward_names_the_function(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.set_detect_anomaly(True):
        y = custom(torch, lambda ctx, g: g * float("nan"))(x)
        return quietly(lambda: error(lambda: y.backward()))


@case
def anomaly_mode_warns_with_the_forward_traceback(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * 0).sum()
        given = warned(lambda: error(lambda: y.backward()))
    return [[w[0], w[1].split(" Traceback")[0]] for w in given]


@case
def anomaly_warning_shows_the_line_of_the_forward_call(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = x.sqrt() * 0
        error(lambda: y.backward())
    return ["y = x.sqrt() * 0" in str(w.message) for w in seen]


@case
def anomaly_mode_without_forward_information_says_so(torch):
    x = leaf(torch, 0.0)
    y = (x.sqrt() * 0).sum()
    with torch.autograd.set_detect_anomaly(True):
        given = warned(lambda: error(lambda: y.backward()))
    return [[w[0], w[1].split(" (Triggered")[0]] for w in given]


@case
def anomaly_mode_stores_the_traceback_in_node_metadata(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.set_detect_anomaly(True):
        fn = (x * 2).grad_fn
    plain_fn = (x * 2).grad_fn
    return [sorted(fn.metadata), type(fn.metadata["traceback_"]).__name__, sorted(plain_fn.metadata)]


@case
def anomaly_mode_remembers_the_parent_node(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.set_detect_anomaly(True):
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    m = g.grad_fn.metadata
    return [sorted(m), name_of(m["parent_"]), m["parent_"] is y.grad_fn]


@case
def nan_in_double_backward_tells_of_the_parent(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        (g,) = torch.autograd.grad(x**1.5, x, create_graph=True)
        error(lambda: torch.autograd.grad(g * 0, x))
    return [[w.category.__name__, str(w.message).split(":\n")[0]] for w in seen]


@case
def anomaly_mode_reports_errors_raised_by_custom_backward(torch):
    def back(ctx, g):
        raise ValueError("mine")

    x = leaf(torch, 1.0)
    with torch.autograd.set_detect_anomaly(True):
        y = custom(torch, back)(x)
        found = []
        given = warned(lambda: found.append(error(lambda: y.backward())))
    return [found, [w[1].split(".")[0] for w in given]]


@case
def nan_passed_in_as_gradient_is_reported_at_the_first_node(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.set_detect_anomaly(True):
        y = x.exp()
        return quietly(lambda: error(lambda: y.backward(torch.tensor([float("nan")]))))


@case
def nan_reaching_accumulate_grad_only_is_not_reported(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.set_detect_anomaly(True):
        x.backward(torch.tensor([float("nan")]))
    return see(torch, x.grad)


@case
def the_order_that_a_pass_goes_on_in(torch):
    told = []

    def tell(_):
        told.append([node.name().split(" ")[-1] for node in torch._C._current_graph_task_execution_order()])

    x, y = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    z = (x.sin() * y.cos()).exp()
    z.register_hook(tell)
    with torch.autograd.set_multithreading_enabled(False):
        z.backward()
        w = x * 2
        out = w.sin()
        out.register_hook(tell)
        torch.autograd.grad(out, (x, w))
        v = (x * y).sin()
        v.register_hook(tell)
        torch.autograd.grad(v, (x,))
    with_threads = (x * y).exp()
    with_threads.register_hook(lambda _: told.append(error(torch._C._current_graph_task_execution_order)))
    with_threads.backward()
    return [told, error(torch._C._current_graph_task_execution_order)]


@case
def hooks_after_accumulation_return_nothing(torch):
    def run(result):
        x = torch.ones(2, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda t: result(t))
        return error(lambda: x.sum().backward())

    return [run(lambda t: t.grad), run(lambda t: 1), run(lambda t: None)]


@case
def raw_saved_tensors_of_a_freed_function(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Double.apply(torch.ones(2, requires_grad=True))
    before = len(y.grad_fn._raw_saved_tensors)
    y.sum().backward()
    return [before, error(lambda: y.grad_fn._raw_saved_tensors)]


@case
def scales_that_resampling_saved(torch):
    f = torch.nn.functional

    def told(out):
        node = out.grad_fn
        return {n: plain(getattr(node, n)) for n in dir(node) if n.startswith("_saved_scale")}

    line, image = torch.ones(1, 1, 2, requires_grad=True), torch.ones(1, 1, 2, 2, requires_grad=True)
    return [
        told(f.interpolate(line, 4, mode="linear")), told(f.interpolate(line, scale_factor=2, mode="nearest")),
        told(f.interpolate(image, scale_factor=2, mode="bilinear")), told(f.interpolate(image, 4)),
    ]  # fmt: skip


@case
def zeros_that_lie_as_another_tensor_does(torch):
    make = torch.ops.aten._new_zeros_with_same_feature_meta
    found = [
        make(torch.ones(2, 3, dtype=torch.float64), torch.ones(4, 3).t()),
        make(torch.ones(5, 3), torch.ones(10)[2:8:2], self_num_batch_dims=1),
        make(torch.ones(5, 3), torch.ones(10)[2:8:2]),
    ]
    return [[see(torch, t), list(t.stride()), t.storage_offset(), t._base is None] for t in found]


@case
def a_transform_carries_tangents_though_they_are_off_outside(torch):
    x, v = torch.tensor([0.5, 1.0]), torch.ones(2)
    forward_ad = torch.autograd.forward_ad

    def inside(t):
        with forward_ad._set_fwd_grad_enabled(False):
            shift = t**2
        return t**2 - shift

    with forward_ad._set_fwd_grad_enabled(False):
        outside = torch.func.jvp(torch.sin, (x,), (v,))
        still_off = forward_ad._is_fwd_grad_enabled()
    return [see(torch, outside), see(torch, torch.func.jvp(inside, (x,), (v,))), still_off]


@case
def arguments_that_are_meant(torch):
    from importlib import import_module

    choose = import_module(f"{torch.__name__}._functorch.eager_transforms")._slice_argnums
    args = (0.1, (1.1, 2.1), 3.1)
    return [
        choose(args, 0), choose(args, -1), choose(args, (2, 0)), choose(args, 1), choose(args, 1, as_tuple=False),
        *[error(lambda n=n: choose(args, n)) for n in (0.0, [0], (0.0,), 3, (-4,), (), (0, -3))],
    ]  # fmt: skip


@case
def nodes_that_are_logged(torch):
    import logging
    import re

    said: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record):
            said.append(f"{record.levelname} " + re.sub("0x[0-9a-f]+", "0x", record.getMessage()))

    logger, handler = logging.getLogger("torch.autograd.graph"), Kept()
    propagates, level = logger.propagate, logger.level
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    try:
        x = torch.ones(2, requires_grad=True)
        x.mul(2).sum().backward()
        first, _ = (x.double() * 3).unbind()
        torch.autograd.grad(first, x)
        torch.autograd.grad((x**2).sum(), x, create_graph=True)
        torch.func.grad(lambda x: x.sum())(x.detach())
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
        logger.setLevel(level)
    (x * 2).sum().backward()
    return said


@case
def gradients_that_nobody_changes_are_returned_themselves(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    given = torch.ones(2)
    found = [torch.autograd.grad(x, x, given)[0] is given, torch.autograd.grad(x, x, x)[0] is x]
    for out in (y, y.clone(), y + 0):
        (g,) = torch.autograd.grad(out, y, y, retain_graph=True)
        found.append([g is y, g.requires_grad])
    scalar = torch.tensor(2.0, requires_grad=True)
    return [*found, torch.autograd.grad(scalar, scalar, scalar)[0] is scalar]


@case
def gradients_given_to_a_leaf_get_its_dtype(torch):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(str(g.dtype)))
    (g,) = torch.autograd.grad(x, x, torch.ones(2))
    x.backward(torch.ones(2))
    return [seen, str(g.dtype), str(x.grad.dtype)]


@case
def gradients_in_batches_need_a_dimension(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.sum()
    return [
        error(lambda: torch.autograd.grad(y, x, is_grads_batched=True)),
        error(lambda: torch.autograd.grad(y, torch.ones(2), is_grads_batched=True)),
        error(lambda: torch.autograd.grad((y, x * 1), x, (None, torch.ones(2, 3)), is_grads_batched=True)),
    ]


@case
def requires_grad_of_what_was_computed_cannot_be_set(torch):
    y = torch.ones(2, requires_grad=True) * 2

    def change(value):
        y.requires_grad = value

    return [error(lambda: change(True)), error(lambda: change(False)), y.requires_grad_() is y]


@case
def gradients_of_no_outputs(torch):
    x = torch.ones(2, requires_grad=True)
    return [
        see(torch, torch.autograd.grad([], [x], allow_unused=True)), error(lambda: torch.autograd.grad([], [x])),
        see(torch, torch.autograd.grad((), x, materialize_grads=True)), torch.autograd.backward([]),
    ]


@case
def switches_of_the_engine_are_bools(torch):
    return [error(lambda v=v: torch.autograd.set_multithreading_enabled(v)) for v in (1, "a", None)]
