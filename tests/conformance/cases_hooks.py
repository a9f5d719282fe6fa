"""Hooks of every kind: on tensors, on nodes, after accumulation, over several tensors, and callbacks at the end."""

from __future__ import annotations

import gc
import warnings
import weakref

from .observe import case, error, see, warned


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def logging(log, name):
    """A hook for any place that notes its name and changes nothing."""

    def hook(*args):
        log.append(name)

    return hook


# on tensors


@case
def tensor_hook_sees_the_whole_gradient(torch):
    x, seen = leaf(torch, 1.0, 2.0), []
    y = x * 1
    y.register_hook(lambda g: seen.append(see(torch, g)))
    (y * 2 + y * y).sum().backward()
    return seen


@case
def tensor_hook_on_a_leaf_replaces_the_gradient(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda g: g * 10)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def tensor_hook_on_a_leaf_does_not_see_what_was_accumulated_before(torch):
    x, seen = leaf(torch, 1.0), []
    x.register_hook(lambda g: seen.append(see(torch, g)))
    (x * 2).backward()
    (x * 3).backward()
    return [seen, see(torch, x.grad)]


@case
def tensor_hook_on_a_non_leaf_replaces_the_gradient(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    y.register_hook(lambda g: g + 100)
    (y * 2).backward()
    return see(torch, x.grad)


@case
def tensor_hook_on_a_root(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.backward()
    return see(torch, x.grad)


@case
def tensor_hook_that_returns_none_changes_nothing(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda g: None)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def tensor_hook_that_changes_the_gradient_in_place(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    y.register_hook(lambda g: g.mul_(5) and None)
    (y * 2).backward()
    return see(torch, x.grad)


@case
def tensor_hook_with_a_wrong_shape(torch):
    def shrink(g):
        return torch.ones(1)

    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 1.0, 2.0) * 1
    x.register_hook(shrink)
    y.register_hook(shrink)
    return [error(lambda: (x * 2).sum().backward()), error(lambda: (y * 2).sum().backward())]


@case
def tensor_hook_with_another_dtype(torch):
    def widen(g):
        return g.double()

    x = leaf(torch, 1.0)
    x.register_hook(widen)
    return [error(lambda: (x * 2).backward()), x.grad is None]


@case
def tensor_hook_with_a_wrong_type(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda g: 3)
    return error(lambda: (x * 2).backward())


@case
def tensor_hooks_run_in_order_of_registration_and_chain(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: None)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def tensor_hook_that_raises(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda g: {}["missing"])
    return [error(lambda: (x * 2).backward()), x.grad is None]


@case
def tensor_hook_needs_requires_grad(torch):
    return error(lambda: torch.ones(1).register_hook(lambda g: g))


@case
def tensor_hook_is_called_with_none_for_an_undefined_gradient(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x, log = leaf(torch, 1.0), []
    y = x * 2
    y.register_hook(lambda g: log.append(["y", g is None]))
    x.register_hook(lambda g: log.append(["x", g is None]))
    Nothing.apply(y).backward()
    return log


@case
def tensor_hook_removed_before_backward(torch):
    x, log = leaf(torch, 1.0), []
    h = x.register_hook(logging(log, "a"))
    x.register_hook(logging(log, "b"))
    h.remove()
    (x * 2).backward()
    h.remove()
    return log


@case
def tensor_hook_that_removes_itself_while_running(torch):
    x, log = leaf(torch, 1.0), []

    def once(g):
        log.append("once")
        h.remove()

    h = x.register_hook(once)
    x.register_hook(logging(log, "always"))
    (x * 2).backward()
    (x * 2).backward()
    return log


@case
def tensor_hook_that_registers_another_while_running(torch):
    x, log = leaf(torch, 1.0), []

    def first(g):
        log.append("first")
        if len(log) == 1:
            x.register_hook(logging(log, "second"))

    x.register_hook(first)
    (x * 2).backward()
    (x * 2).backward()
    return log


@case
def tensor_hook_that_removes_a_later_one_while_running(torch):
    x, log = leaf(torch, 1.0), []

    def first(g):
        log.append("first")
        h.remove()

    x.register_hook(first)
    h = x.register_hook(logging(log, "second"))
    (x * 2).backward()
    (x * 2).backward()
    return log


@case
def handle_as_context_manager(torch):
    x, log = leaf(torch, 1.0), []
    with x.register_hook(logging(log, "inside")) as h:
        (x * 2).backward()
    (x * 2).backward()
    return [log, type(h).__name__]


@case
def handle_is_a_removable_handle(torch):
    h = leaf(torch, 1.0).register_hook(lambda g: g)
    return [isinstance(h, torch.utils.hooks.RemovableHandle), isinstance(h.id, int)]


@case
def same_function_registered_twice_runs_twice(torch):
    x = leaf(torch, 1.0)

    def double(g):
        return g * 2

    x.register_hook(double)
    x.register_hook(double)
    x.backward(torch.ones(1))
    return see(torch, x.grad)


@case
def tensor_hook_keeps_working_on_a_graph_used_twice(torch):
    x, log = leaf(torch, 1.0), []
    y = x * 2
    y.register_hook(logging(log, "y"))
    z = y.exp()
    z.backward(retain_graph=True)
    z.backward()
    return log


@case
def tensor_hook_on_non_leaf_outlives_the_tensor(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    z = y * 2
    y.register_hook(lambda g: g * 10)
    del y
    gc.collect(1)
    z.backward()
    return see(torch, x.grad)


@case
def tensor_hook_registered_after_use_still_runs(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    z = y * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    z.backward()
    return see(torch, x.grad)


@case
def tensor_hook_on_one_output_of_unbind(torch):
    x, seen = torch.ones(2, 2, requires_grad=True), []
    a, b = x.unbind(0)
    a.register_hook(lambda g: seen.append(["a", see(torch, g)]))
    b.register_hook(lambda g: g * 100)
    (a * 2 + b * 3).sum().backward()
    return [seen, see(torch, x.grad)]


@case
def tensor_hook_on_the_unused_output_of_split_is_called_with_none(torch):
    x, log = torch.ones(4, requires_grad=True), []
    a, b = x.split(2)
    a.register_hook(lambda g: log.append(["a", see(torch, g)]))
    b.register_hook(lambda g: log.append(["b", see(torch, g)]))
    a.sum().backward()
    return log


@case
def tensor_hook_may_turn_none_into_a_gradient(torch):
    x = torch.ones(4, requires_grad=True)
    a, b = x.split(2)
    b.register_hook(lambda g: torch.ones(2) * 7)
    return [error(lambda: a.sum().backward()), see(torch, x.grad)]


@case
def tensor_hook_before_and_after_an_in_place_op(torch):
    x, seen = leaf(torch, 1.0), []
    y = x * 3
    y.register_hook(lambda g: seen.append(["before", see(torch, g)]))
    y.mul_(2)
    y.register_hook(lambda g: seen.append(["after", see(torch, g)]))
    (y * 5).backward()
    return [seen, see(torch, x.grad)]


@case
def tensor_hook_on_a_leaf_changed_in_place_under_no_grad(torch):
    x, log = leaf(torch, 1.0), []
    x.register_hook(logging(log, "x"))
    with torch.no_grad():
        x.add_(1)
    (x * x).backward()
    return [log, see(torch, x.grad)]


@case
def tensor_hooks_are_not_copied_by_detach_or_clone(torch):
    x, log = leaf(torch, 1.0), []
    x.register_hook(logging(log, "x"))
    d = x.detach().requires_grad_()
    (d * 2).backward()
    c = x.clone()
    c.register_hook(logging(log, "clone"))
    c.backward()
    return log


@case
def tensor_hook_gradient_does_not_require_grad_without_create_graph(torch):
    x, seen = leaf(torch, 2.0), []
    y = x * x
    x.register_hook(lambda g: seen.append([g.requires_grad, torch.is_grad_enabled()]))
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    return seen


@case
def tensor_hook_with_create_graph_is_differentiated(torch):
    x = leaf(torch, 2.0)
    y = x**3
    y.register_hook(lambda g: g * x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return see(torch, [g.detach(), *torch.autograd.grad(g, x)])


@case
def tensor_hook_runs_once_for_a_captured_leaf(torch):
    x, log = leaf(torch, 2.0), []
    x.register_hook(lambda g: log.append("x") or g * 10)
    out = torch.autograd.grad(x * x, x)
    return [log, see(torch, out), x.grad is None]


@case
def captured_gradient_is_taken_before_the_hooks_if_the_pass_goes_on_below(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    y.register_hook(lambda g: log.append("y") or g * 10)
    return [see(torch, torch.autograd.grad(y * 2, [y, x])), log]


@case
def captured_gradient_is_taken_after_the_hooks_if_the_pass_ends_there(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    y.register_hook(lambda g: log.append("y") or g * 10)
    return [see(torch, torch.autograd.grad(y * 2, y)), log]


@case
def tensor_hook_runs_once_when_the_input_is_given_twice(torch):
    x, log = leaf(torch, 2.0), []
    x.register_hook(lambda g: log.append("x") or g * 10)
    return [see(torch, torch.autograd.grad(x * 2, [x, x])), log]


@case
def tensor_hook_on_a_leaf_as_root_and_input(torch):
    x = leaf(torch, 2.0)
    x.register_hook(lambda g: g * 10)
    captured = torch.autograd.grad(x, x)
    x.backward()
    return see(torch, [*captured, x.grad])


@case
def tensor_hooks_of_inputs_that_are_not_asked_for_do_not_run(torch):
    x, y, log = leaf(torch, 2.0), leaf(torch, 3.0), []
    x.register_hook(logging(log, "x"))
    y.register_hook(logging(log, "y"))
    torch.autograd.grad(x * y, x)
    return log


@case
def prehook_of_a_captured_node_does_not_run_but_the_tensor_hook_does(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    y.register_hook(logging(log, "tensor"))
    y.grad_fn.register_prehook(logging(log, "pre"))
    y.grad_fn.register_hook(logging(log, "post"))
    torch.autograd.grad(y * 2, y)
    return log


@case
def prehook_that_replaces_does_not_change_a_captured_gradient(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] * 100,))
    return see(torch, torch.autograd.grad(y * 2, [y, x]))


@case
def retained_grad_of_a_captured_intermediate(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    out = torch.autograd.grad(y * 2, y)
    return [see(torch, out), see(torch, y.grad)]


@case
def leaf_hook_registered_when_accumulate_grad_does_not_exist_yet(torch):
    x = leaf(torch, 2.0)
    x.register_hook(lambda g: g * 10)
    gc.collect(1)
    (x * 2).backward()
    gc.collect(1)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def backward_hooks_attribute_counts_the_hooks(torch):
    x = leaf(torch, 2.0)
    empty = x._backward_hooks
    h = x.register_hook(lambda g: g)
    n = len(x._backward_hooks)
    h.remove()
    return [empty is None, n, len(x._backward_hooks)]


@case
def hook_does_not_keep_the_tensor_in_an_uncollectable_cycle(torch):
    def make():
        x = leaf(torch, 2.0)
        x.register_hook(lambda g: g * x.detach())
        (x * 3).backward()
        return weakref.ref(x)

    ref = make()
    gc.collect(1)
    return ref() is None


# retain_grad


@case
def retain_grad_on_a_non_leaf(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    before = y.retains_grad
    y.retain_grad()
    (y * y).backward()
    return [before, y.retains_grad, see(torch, [y.grad, x.grad])]


@case
def retain_grad_on_a_leaf_does_nothing(torch):
    x = leaf(torch, 2.0)
    out = x.retain_grad()
    (x * 3).backward()
    return [out is None, x.retains_grad, see(torch, x.grad)]


@case
def retain_grad_on_a_constant(torch):
    return error(lambda: torch.ones(1).retain_grad())


@case
def retain_grad_twice_counts_once(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    y.retain_grad()
    (y * 5).backward()
    return see(torch, y.grad)


@case
def retained_grad_accumulates_over_backwards(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    z = y * 5
    z.backward(retain_graph=True)
    first = y.grad
    z.backward()
    return [see(torch, y.grad), see(torch, first), y.grad is first]


@case
def retained_grad_sees_tensor_hooks_registered_before_and_after(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    y.register_hook(lambda g: g + 1)
    (y * 5).backward()
    return see(torch, [y.grad, x.grad])


@case
def retained_grad_is_the_gradient_before_node_prehooks(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] * 100,))
    y.retain_grad()
    (y * 5).backward()
    return see(torch, [y.grad, x.grad])


@case
def grad_of_a_retaining_tensor_is_read_without_warning(torch):
    y = leaf(torch, 2.0) * 3
    y.retain_grad()
    y.backward()
    return warned(lambda: y.grad)


@case
def retain_grad_of_the_root(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    y.backward(torch.tensor([7.0]))
    return see(torch, y.grad)


@case
def retain_grad_moves_along_with_an_in_place_op(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    y.mul_(2)
    (y * 5).backward()
    return see(torch, [y.grad, x.grad])


@case
def retain_grad_on_one_output_of_unbind(torch):
    x = torch.ones(2, 2, requires_grad=True)
    a, b = x.unbind(0)
    b.retain_grad()
    (a * 2 + b * 3).sum().backward()
    return [see(torch, b.grad), quiet_grad(a) is None]


def quiet_grad(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return t.grad


@case
def retained_grad_stays_none_when_the_tensor_gets_no_gradient(torch):
    x = torch.ones(4, requires_grad=True)
    a, b = x.split(2)
    b.retain_grad()
    a.sum().backward()
    return see(torch, b.grad)


@case
def retained_grad_with_create_graph_has_a_graph(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.retain_grad()
    torch.autograd.grad(y * y, x, create_graph=True)
    return see(torch, y.grad)


@case
def retain_grad_of_a_dead_tensor_is_harmless(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    z = y * 2
    del y
    gc.collect(1)
    z.backward()
    return see(torch, x.grad)


@case
def retained_grad_of_a_view_and_its_base(torch):
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    v = y.view(2, 2)
    y.retain_grad()
    v.retain_grad()
    (v * 3).sum().backward()
    return see(torch, [y.grad, v.grad])


# on nodes


@case
def node_hook_gets_grad_inputs_and_grad_outputs_as_tuples(torch):
    x, y, seen = leaf(torch, 2.0), leaf(torch, 3.0), []
    z = x * y

    def hook(grad_inputs, grad_outputs):
        seen.append([type(grad_inputs).__name__, type(grad_outputs).__name__])
        seen.append(see(torch, [grad_inputs, grad_outputs]))

    z.grad_fn.register_hook(hook)
    (z * 10).backward()
    return seen


@case
def node_hook_sees_none_for_constant_inputs(torch):
    x, seen = leaf(torch, 2.0), []
    z = torch.tensor([5.0]) * x
    z.grad_fn.register_hook(lambda gi, go: seen.append(see(torch, [gi, go])))
    z.backward()
    return seen


@case
def node_prehook_gets_a_tuple_of_grad_outputs(torch):
    x, seen = torch.ones(2, 2, requires_grad=True), []
    _, b = x.unbind(0)

    def hook(grad_outputs):
        seen.append([type(grad_outputs).__name__, see(torch, grad_outputs)])

    b.grad_fn.register_prehook(hook)
    (b * 3).sum().backward()
    return seen


@case
def node_prehook_replaces_grad_outputs(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.backward()
    return see(torch, x.grad)


@case
def node_hook_replaces_grad_inputs(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    z.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
    z.backward()
    return see(torch, [x.grad, y.grad])


@case
def node_hook_may_turn_a_gradient_into_none(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    z.grad_fn.register_hook(lambda gi, go: (None, gi[1]))
    z.backward()
    return see(torch, [x.grad, y.grad])


@case
def node_hook_that_returns_a_bare_tensor(torch):
    y = leaf(torch, 2.0) * 3
    z = leaf(torch, 2.0) * 3
    y.grad_fn.register_hook(lambda gi, go: gi[0])
    z.grad_fn.register_prehook(lambda go: go[0])
    return [error(lambda: y.backward()), error(lambda: z.backward())]


@case
def node_hook_that_returns_the_wrong_number(torch):
    def wrong(*args):
        return (torch.ones(1),) * 3

    y = leaf(torch, 2.0) * 3
    z = leaf(torch, 2.0) * 3
    y.grad_fn.register_hook(wrong)
    z.grad_fn.register_prehook(wrong)
    return [error(lambda: y.backward()), error(lambda: z.backward())]


@case
def node_hook_that_changes_the_shape(torch):
    def wrong(*args):
        return (torch.ones(2), None)

    y = leaf(torch, 2.0) * 3
    y.grad_fn.register_hook(wrong)
    return error(lambda: y.backward())


@case
def node_hook_that_returns_a_list(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_hook(lambda gi, go: [gi[0], None])
    return error(lambda: y.backward())


@case
def node_hooks_chain_in_order(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_hook(lambda gi, go: (gi[0] + 1, None))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, None))
    y.backward()
    return see(torch, x.grad)


@case
def node_prehooks_chain_in_order(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] + 1,))
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.backward()
    return see(torch, x.grad)


@case
def node_hook_sees_grad_outputs_after_prehooks_and_tensor_hooks(torch):
    x, seen = leaf(torch, 2.0), []
    y = x * 3
    y.grad_fn.register_hook(lambda gi, go: seen.append(see(torch, [gi, go])))
    y.grad_fn.register_prehook(lambda go: (go[0] + 1,))
    y.register_hook(lambda g: g * 10)
    y.backward()
    return seen


@case
def order_of_all_hooks_of_a_node_whatever_the_order_of_registration(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    y.grad_fn.register_hook(logging(log, "post 1"))
    y.grad_fn.register_prehook(logging(log, "pre 1"))
    y.register_hook(logging(log, "tensor 1"))
    y.grad_fn.register_hook(logging(log, "post 2"))
    y.register_hook(logging(log, "tensor 2"))
    y.grad_fn.register_prehook(logging(log, "pre 2"))
    y.backward()
    return log


@case
def order_of_all_hooks_of_a_leaf(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    acc = y.grad_fn.next_functions[0][0]
    x.register_post_accumulate_grad_hook(logging(log, "post accumulate"))
    acc.register_hook(logging(log, "post"))
    acc.register_prehook(logging(log, "pre"))
    x.register_hook(logging(log, "tensor"))
    y.backward()
    return log


@case
def tensor_hooks_of_several_outputs_run_in_order_of_registration_before_prehooks(torch):
    x, log = torch.ones(2, 2, requires_grad=True), []
    a, b = x.unbind(0)
    b.register_hook(logging(log, "b"))
    a.grad_fn.register_prehook(logging(log, "pre"))
    a.register_hook(logging(log, "a"))
    (a + b).sum().backward()
    return log


@case
def node_hook_removal(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    h = y.grad_fn.register_hook(logging(log, "post"))
    p = y.grad_fn.register_prehook(logging(log, "pre"))
    with p:
        y.backward(retain_graph=True)
    h.remove()
    y.backward()
    return log


@case
def hooks_of_accumulate_grad_see_and_replace(torch):
    x, seen = leaf(torch, 2.0), []
    y = x * 3
    acc = y.grad_fn.next_functions[0][0]
    acc.register_prehook(lambda go: (go[0] * 10,))
    acc.register_hook(lambda gi, go: seen.append(see(torch, [gi, go, x.grad])))
    y.backward()
    return [seen, see(torch, x.grad)]


@case
def hooks_of_accumulate_grad_are_lost_with_it_but_tensor_hooks_stay(torch):
    x, log = leaf(torch, 2.0), []
    (x * 3).grad_fn.next_functions[0][0].register_hook(logging(log, "node"))
    x.register_hook(logging(log, "tensor"))
    gc.collect(1)
    (x * 3).backward()
    return log


@case
def hooks_of_accumulate_grad_as_ddp_uses_them(torch):
    p, log = torch.ones(2, requires_grad=True), []
    acc = p.expand_as(p).grad_fn.next_functions[0][0]
    acc.register_hook(lambda *unused: log.append(see(torch, p.grad)))
    (p * 2).sum().backward()
    (p * 2).sum().backward()
    return log


@case
def hooks_of_accumulate_grad_do_not_run_in_autograd_grad(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    acc = y.grad_fn.next_functions[0][0]
    acc.register_hook(logging(log, "post"))
    acc.register_prehook(logging(log, "pre"))
    x.register_post_accumulate_grad_hook(logging(log, "post accumulate"))
    x.register_hook(logging(log, "tensor"))
    torch.autograd.grad(y, x)
    return log


@case
def node_hooks_run_although_the_gradient_is_undefined(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x, log = leaf(torch, 1.0), []
    y = x * 2
    y.grad_fn.register_prehook(lambda go: log.append(["pre", see(torch, go)]))
    y.grad_fn.register_hook(lambda gi, go: log.append(["post", see(torch, [gi, go])]))
    x.register_post_accumulate_grad_hook(lambda t: log.append(["post accumulate", see(torch, t.grad)]))
    Nothing.apply(y).backward()
    return log


@case
def hooks_on_a_custom_function_node(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            log.append(["backward", see(torch, g)])
            return g * 2

    x, log = leaf(torch, 1.0), []
    y = Double.apply(x)
    y.grad_fn.register_hook(lambda gi, go: log.append(["post", see(torch, [gi, go])]))
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.register_hook(lambda g: g + 1)
    y.backward()
    return [log, see(torch, x.grad)]


@case
def posthook_runs_when_all_grad_inputs_are_ready_before_the_next_node(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    z = y.exp()
    y.grad_fn.register_prehook(logging(log, "y pre"))
    z.grad_fn.register_hook(logging(log, "z post"))
    y.register_hook(logging(log, "y tensor"))
    z.register_hook(logging(log, "z tensor"))
    z.backward()
    return log


# after accumulation


@case
def post_accumulate_hook_sees_the_tensor_with_its_grad(torch):
    x, seen = leaf(torch, 2.0), []

    def hook(t):
        seen.append([t is x, see(torch, t.grad)])

    x.register_post_accumulate_grad_hook(hook)
    (x * 3).backward()
    (x * 3).backward()
    return seen


@case
def post_accumulate_hook_may_clear_grad(torch):
    x = leaf(torch, 2.0)

    def step(t):
        with torch.no_grad():
            t -= 0.1 * t.grad
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 3).backward()
    return [see(torch, x), x.grad is None]


@case
def post_accumulate_hooks_run_in_order(torch):
    x, log = leaf(torch, 2.0), []
    x.register_post_accumulate_grad_hook(logging(log, "a"))
    h = x.register_post_accumulate_grad_hook(logging(log, "b"))
    x.register_post_accumulate_grad_hook(logging(log, "c"))
    (x * 3).backward()
    h.remove()
    (x * 3).backward()
    return log


@case
def post_accumulate_hook_on_a_non_leaf_or_constant(torch):
    y = leaf(torch, 2.0) * 3
    return [
        error(lambda: y.register_post_accumulate_grad_hook(lambda t: None)),
        error(lambda: torch.ones(1).register_post_accumulate_grad_hook(lambda t: None)),
    ]


@case
def post_accumulate_hook_that_returns_something(torch):
    x = leaf(torch, 2.0)
    x.register_post_accumulate_grad_hook(lambda t: 3)
    return [error(lambda: (x * 3).backward()), see(torch, x.grad)]


@case
def post_accumulate_hook_does_not_run_in_autograd_grad(torch):
    x, log = leaf(torch, 2.0), []
    x.register_post_accumulate_grad_hook(logging(log, "x"))
    torch.autograd.grad(x * 3, x)
    return log


@case
def post_accumulate_hook_runs_once_for_a_leaf_used_twice(torch):
    x, log = leaf(torch, 2.0), []
    x.register_post_accumulate_grad_hook(lambda t: log.append(see(torch, t.grad)))
    (x * x + x).backward()
    return log


@case
def post_accumulate_hook_runs_with_grad_mode_of_the_pass(torch):
    x, seen = leaf(torch, 2.0), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append([torch.is_grad_enabled(), t.grad.requires_grad]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).backward()
        x.grad = None
        (x * x).backward(create_graph=True)
    return seen


@case
def post_accumulate_hook_that_raises_leaves_the_grad(torch):
    x = leaf(torch, 2.0)
    x.register_post_accumulate_grad_hook(lambda t: 1 / 0)
    return [error(lambda: (x * 3).backward()), see(torch, x.grad)]


# over several tensors


@case
def multi_grad_hook_all_runs_once_with_all_gradients(torch):
    x, y, seen = leaf(torch, 2.0), leaf(torch, 3.0), []
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: seen.append([type(gs).__name__, see(torch, gs)]))
    (x * y).backward()
    return seen


@case
def multi_grad_hook_all_gives_none_for_tensors_without_a_path(torch):
    x, y, seen = leaf(torch, 2.0), leaf(torch, 3.0), []
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: seen.append(see(torch, gs)))
    (x * 5).backward()
    return seen


@case
def multi_grad_hook_all_without_any_gradient_does_not_run(torch):
    x, y, z, log = leaf(torch, 2.0), leaf(torch, 3.0), leaf(torch, 4.0), []
    torch.autograd.graph.register_multi_grad_hook([x, y], logging(log, "all"))
    (z * 5).backward()
    return log


@case
def multi_grad_hook_all_on_intermediates_in_every_backward(torch):
    x, seen = leaf(torch, 2.0), []
    a, b = x * 3, x * 4
    torch.autograd.graph.register_multi_grad_hook([a, b], lambda gs: seen.append(see(torch, gs)))
    c = a * b
    c.backward(retain_graph=True)
    c.backward()
    return seen


@case
def multi_grad_hook_all_with_autograd_grad_of_one(torch):
    x, y, seen = leaf(torch, 2.0), leaf(torch, 3.0), []
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: seen.append(see(torch, gs)))
    return [error(lambda: torch.autograd.grad(x * y, x)), seen]


@case
def multi_grad_hook_all_on_intermediates_with_autograd_grad(torch):
    x, seen = leaf(torch, 2.0), []
    a, b = x * 3, x * 4
    torch.autograd.graph.register_multi_grad_hook([a, b], lambda gs: seen.append(see(torch, gs)))
    torch.autograd.grad(a * b, x)
    return seen


@case
def multi_grad_hook_any_runs_with_the_first_gradient(torch):
    x, seen = leaf(torch, 2.0), []
    a = x * 3
    b = x * 4
    torch.autograd.graph.register_multi_grad_hook([a, b], lambda g: seen.append(see(torch, g)), mode="any")
    (a * 10 + b * 100).backward()
    return seen


@case
def multi_grad_hook_any_runs_once_per_backward(torch):
    x, log = leaf(torch, 2.0), []
    y = leaf(torch, 3.0)
    torch.autograd.graph.register_multi_grad_hook([x, y], logging(log, "any"), mode="any")
    (x * y).backward()
    (x * y).backward()
    return log


@case
def multi_grad_hook_removal(torch):
    x, y, log = leaf(torch, 2.0), leaf(torch, 3.0), []
    h = torch.autograd.graph.register_multi_grad_hook([x, y], logging(log, "all"))
    k = torch.autograd.graph.register_multi_grad_hook([x, y], logging(log, "any"), mode="any")
    (x * y).backward()
    h.remove()
    k.remove()
    (x * y).backward()
    return log


@case
def multi_grad_hook_unknown_mode(torch):
    x = leaf(torch, 2.0)
    return error(lambda: torch.autograd.graph.register_multi_grad_hook([x], lambda g: None, mode="some"))


@case
def multi_grad_hook_on_a_constant(torch):
    x = leaf(torch, 2.0)
    return error(lambda: torch.autograd.graph.register_multi_grad_hook([x, torch.ones(1)], lambda g: None))["raises"]


@case
def multi_grad_hook_result_is_ignored(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: [g * 10 for g in gs])
    return [error(lambda: (x * y).backward()), see(torch, [x.grad, y.grad])]


# callbacks at the end of a pass


def queue(torch, fn):
    torch.autograd.Variable._execution_engine.queue_callback(fn)


@case
def queued_callback_runs_after_all_nodes(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3
    y.register_hook(lambda g: (log.append("y"), queue(torch, lambda: log.append(["end", see(torch, x.grad)])))[0])
    x.register_hook(logging(log, "x"))
    y.backward()
    return log


@case
def queued_callbacks_run_in_order_and_may_queue_more(torch):
    x, log = leaf(torch, 2.0), []

    def first():
        log.append("first")
        queue(torch, lambda: log.append("third"))

    def hook(g):
        queue(torch, first)
        queue(torch, lambda: log.append("second"))

    x.register_hook(hook)
    (x * 3).backward()
    return log


@case
def queued_callback_runs_once(torch):
    x, log = leaf(torch, 2.0), []
    h = x.register_hook(lambda g: queue(torch, lambda: log.append("end")))
    (x * 3).backward()
    h.remove()
    (x * 3).backward()
    return log


@case
def queued_callback_outside_backward(torch):
    return error(lambda: queue(torch, lambda: None))


@case
def queued_callback_of_a_failing_backward_does_not_run(torch):
    x, log = leaf(torch, 2.0), []
    y = x * 3

    def fail(g):
        raise ValueError("mine")

    y.register_hook(lambda g: queue(torch, lambda: log.append("end")))
    x.register_hook(fail)
    failure = error(lambda: y.backward())
    (x.detach().requires_grad_() * 2).backward()
    return [failure, log]


@case
def queued_callback_that_raises(torch):
    x = leaf(torch, 2.0)
    x.register_hook(lambda g: queue(torch, lambda: 1 / 0))
    return [error(lambda: (x * 3).backward()), see(torch, x.grad)]


@case
def queued_callback_in_a_reentrant_backward_runs_at_the_end_of_the_inner_pass(torch):
    x, log = leaf(torch, 2.0), []

    def hook(g):
        with torch.enable_grad():
            w = torch.ones(1, requires_grad=True)
            v = w * 2
            v.register_hook(lambda g: queue(torch, lambda: log.append("inner end")))
            queue(torch, lambda: log.append("outer end"))
            v.backward()
        log.append("hook done")

    y = x * 3
    y.register_hook(hook)
    x.register_hook(logging(log, "x"))
    y.backward()
    return log


@case
def grad_mode_in_a_queued_callback(torch):
    x, seen = leaf(torch, 2.0), []
    x.register_hook(lambda g: queue(torch, lambda: seen.append(torch.is_grad_enabled())))
    (x * 3).backward()
    y = x * x
    torch.autograd.grad(y, x, create_graph=True)
    return seen


# what a hook can do


@case
def hook_may_read_and_change_other_grads(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    y.grad = torch.tensor([100.0])
    x.register_hook(lambda g: g + y.grad)
    (x * 2).backward()
    return see(torch, x.grad)


@case
def hook_that_clips_every_gradient(torch):
    x = leaf(torch, -5.0, 0.5, 5.0)
    x.register_hook(lambda g: g.clamp(-1, 1))
    (x * x).sum().backward()
    return see(torch, x.grad)


@case
def hook_returning_a_part_of_the_graph_without_create_graph(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = x * 2

    def scaled(g):
        with torch.enable_grad():
            return g * w

    y.register_hook(scaled)
    y.backward()
    return see(torch, [x.grad, w.grad])


@case
def hook_returning_a_variable_leaves_a_grad_that_requires_grad(torch):
    x = leaf(torch, 2.0)
    w = leaf(torch, 3.0)
    x.register_hook(lambda g: w)
    (x * 2).backward()
    return [x.grad is w, see(torch, x.grad)]


@case
def ops_in_a_hook_build_no_graph(torch):
    x, seen = leaf(torch, 2.0), []
    y = x * 2
    y.register_hook(lambda g: seen.append([torch.is_grad_enabled(), (x * 2).requires_grad]))
    with torch.enable_grad():
        y.backward()
    return [seen, torch.is_grad_enabled()]


@case
def grad_mode_set_by_a_hook_does_not_reach_the_next_node_nor_the_caller(torch):
    x, seen = leaf(torch, 2.0), []
    y = x * 2
    z = y * 2
    z.register_hook(lambda g: torch.set_grad_enabled(True) and None)
    y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
    with torch.no_grad():
        z.backward()
        seen.append(torch.is_grad_enabled())
    return seen


@case
def bound_methods_and_callable_objects_as_hooks(torch):
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, g):
            return g * self.k

        def method(self, g):
            return g + self.k

    x = leaf(torch, 2.0)
    x.register_hook(Scale(10))
    x.register_hook(Scale(1).method)
    (x * 3).backward()
    return see(torch, x.grad)


@case
def changed_size_error_names_the_hook(torch):
    class Wrong:
        def __call__(self, g):
            return torch.ones(7)

    def named(g):
        return torch.ones(7)

    messages = []
    for hook in (named, lambda g: torch.ones(7), Wrong().__call__):
        x = leaf(torch, 2.0)
        x.register_hook(hook)
        messages.append(error(lambda x=x: (x * 2).backward()))
    return messages


@case
def hook_returning_a_gradient_of_another_layout_is_taken(torch):
    x = torch.ones(2, 3, requires_grad=True)
    x.register_hook(lambda g: torch.arange(6.0).view(3, 2).t())
    (x * 2).sum().backward()
    return [see(torch, x.grad), list(x.grad.stride())]


@case
def hooks_of_a_root_run_even_if_it_leads_to_nothing_that_is_wanted(torch):
    def passes(root, other, *inputs):
        log = []
        root.register_hook(lambda g: log.append(g.tolist()))
        one = torch.ones(2)
        torch.autograd.grad(root, inputs, one, allow_unused=True, retain_graph=True)
        torch.autograd.grad([root, other], inputs, [one, one], allow_unused=True, retain_graph=True)
        root.backward(one, inputs=list(inputs), retain_graph=True)
        return log

    x, unused = leaf(torch, 1.0, 2.0), leaf(torch, 3.0)
    y = x * 2
    return [passes(x, y, unused), passes(y, y * 3, unused), passes(y * 3, y, unused, y)]


@case
def tensor_hook_that_replaces_a_missing_gradient(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf(torch, 1.0)
    y = x * 1
    y.register_hook(lambda g: 1)
    return error(lambda: Nothing.apply(y).backward())


@case
def tensor_hook_that_changes_the_dtype(torch):
    found = []
    for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.complex128):
        x = torch.ones(2, dtype=dtype, requires_grad=True)
        x.register_hook(lambda g: (g.real if g.is_complex() else g).to(torch.float32))
        found.append(error(lambda x=x, dtype=dtype: torch.autograd.grad(x, x, torch.ones(2, dtype=dtype))))
    return found


@case
def multi_grad_hook_beside_a_leaf_that_is_not_asked_for(torch):
    x, log = leaf(torch, 1.0, 2.0), []
    y = x[:1]
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: log.append([g is None for g in gs]))
    torch.autograd.grad(y.sum(), y)
    return log


@case
def post_accumulate_hooks_are_told_what_the_one_before_returned(torch):
    found = []
    for first in (lambda p: p, lambda p: p.grad, lambda p: 1, lambda p: None):
        x, log = leaf(torch, 1.0, 2.0), []
        x.register_post_accumulate_grad_hook(first)
        x.register_post_accumulate_grad_hook(lambda p, x=x, log=log: log.append(p is x))
        found.append([error(lambda x=x: x.sum().backward()), log, see(torch, x.grad)])
    return found


class Squared:
    """A custom function, in either library."""

    @staticmethod
    def of(torch, x):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g):
                return 2 * g * ctx.saved_tensors[0]

        return Square.apply(x)


@case
def node_hooks_added_while_the_node_takes_out_what_it_saved(torch):
    seen = []

    def unpack(t):
        def halved(inputs, outputs):
            seen.append([node.name(), len(inputs), [g is None for g in outputs]])
            return tuple(None if g is None else g / 2 for g in inputs)

        node = torch._C._current_autograd_node()
        node.register_hook(halved)
        return t

    for fn in (
        torch.exp, lambda x: x.sin() * 3, lambda x: torch.var_mean(x, 0)[0], lambda x: x.exp().tanh(), lambda x: x @ x,
        lambda x: torch.cat([x, x.exp()]), lambda x: Squared.of(torch, x),
    ):  # fmt: skip
        for create_graph in (False, True):
            x = torch.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=torch.float64, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
                (g,) = torch.autograd.grad((fn(x) * torch.arange(1.0, 3.0)).sum(), x, create_graph=create_graph)
            seen.append(g.detach().tolist())
    return seen


@case
def hooks_of_sparse_tensors_get_none_where_there_is_no_gradient(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    def hook(g):
        seen.append(g if g is None else [g.is_sparse, g.to_dense().tolist()])

    seen = []
    for last in (Nothing.apply, lambda x: x * 2):
        at, values = torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = torch.sparse_coo_tensor(at, values, (3,), check_invariants=False).requires_grad_()
        y = x.clone()
        y.register_hook(hook)
        last(y.to_dense()).sum().backward()
        seen.append(x.grad is None or x.grad.to_dense().tolist())
    return seen
