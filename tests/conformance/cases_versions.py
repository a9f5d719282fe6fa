"""Version counters: what bumps ``_version``, by how much, and which tensors share one counter."""

from __future__ import annotations

import warnings
from typing import Any

from .observe import case, error, see


def bump(t: Any, fn: Any) -> int:
    """By how much ``fn`` raises the version of ``t``."""
    before = t._version
    fn()
    return t._version - before


@case
def fresh_tensors_are_at_version_zero(torch):
    x = torch.ones(2, requires_grad=True)
    return [
        t._version
        for t in (
            torch.zeros(2),
            torch.ones(2),
            torch.full((2,), 3.0),
            torch.arange(3),
            torch.tensor([1.0]),
            torch.eye(2),
            torch.linspace(0, 1, 3),
            x,
            x + 1,
            x.clone(),
            x.sum(),
            torch.empty(2),
            torch.zeros_like(x),
        )
    ]


@case
def out_of_place_operators_do_not_bump(torch):
    x = torch.tensor([1.0, 2.0])
    x + 1, x * 2, x.exp(), x.sum(), x.view(2, 1), x[0], x.clone(), x.detach(), x.t(), x.relu()
    return x._version


@case
def each_inplace_operator_bumps_by_one(torch):
    x = torch.tensor([[0.5, 0.25], [0.125, 0.75]])
    return {
        "add_": bump(x, lambda: x.add_(1)),
        "sub_": bump(x, lambda: x.sub_(0.5)),
        "mul_": bump(x, lambda: x.mul_(2)),
        "div_": bump(x, lambda: x.div_(2)),
        "pow_": bump(x, lambda: x.pow_(2)),
        "exp_": bump(x, lambda: x.exp_()),
        "log_": bump(x, lambda: x.log_()),
        "sqrt_": bump(x, lambda: x.sqrt_()),
        "abs_": bump(x, lambda: x.abs_()),
        "neg_": bump(x, lambda: x.neg_()),
        "sin_": bump(x, lambda: x.sin_()),
        "tanh_": bump(x, lambda: x.tanh_()),
        "sigmoid_": bump(x, lambda: x.sigmoid_()),
        "relu_": bump(x, lambda: x.relu_()),
        "clamp_": bump(x, lambda: x.clamp_(0, 1)),
        "zero_": bump(x, lambda: x.zero_()),
        "fill_": bump(x, lambda: x.fill_(3.0)),
        "copy_": bump(x, lambda: x.copy_(torch.ones(2, 2))),
        "cumsum_": bump(x, lambda: x.cumsum_(0)),
        "masked_fill_": bump(x, lambda: x.masked_fill_(x > 1, 0.0)),
        "index_fill_": bump(x, lambda: x.index_fill_(0, torch.tensor([0]), 2.0)),
        "index_add_": bump(x, lambda: x.index_add_(0, torch.tensor([0]), torch.ones(1, 2))),
        "index_copy_": bump(x, lambda: x.index_copy_(0, torch.tensor([0]), torch.ones(1, 2))),
        "scatter_": bump(x, lambda: x.scatter_(0, torch.tensor([[0, 1]]), torch.ones(1, 2))),
        "scatter_add_": bump(x, lambda: x.scatter_add_(0, torch.tensor([[0, 1]]), torch.ones(1, 2))),
        "addcmul_": bump(x, lambda: x.addcmul_(torch.ones(2, 2), torch.ones(2, 2))),
        "addcdiv_": bump(x, lambda: x.addcdiv_(torch.ones(2, 2), torch.ones(2, 2))),
        "lerp_": bump(x, lambda: x.lerp_(torch.ones(2, 2), 0.5)),
        "addmm_": bump(x, lambda: x.addmm_(torch.ones(2, 2), torch.ones(2, 2))),
        "tril_": bump(x, lambda: x.tril_()),
        "fill_diagonal_": bump(x, lambda: x.fill_diagonal_(1.0)),
    }


@case
def random_fills_bump_by_one(torch):
    x = torch.zeros(3)
    return [bump(x, f) for f in (x.normal_, x.uniform_, x.exponential_, lambda: x.bernoulli_(0.5), x.random_)]


@case
def augmented_assignment_bumps_by_one_and_keeps_the_object(torch):
    x = torch.ones(2)
    y = x
    versions = []
    x += 1
    versions.append(x._version)
    x -= 1
    versions.append(x._version)
    x *= 2
    versions.append(x._version)
    x /= 2
    versions.append(x._version)
    x **= 2
    versions.append(x._version)
    return versions, y is x


@case
def integer_augmented_assignment(torch):
    x = torch.tensor([7, 9])
    versions = []
    x //= 2
    versions.append(x._version)
    x %= 2
    versions.append(x._version)
    x &= 1
    versions.append(x._version)
    x |= 4
    versions.append(x._version)
    x ^= 1
    versions.append(x._version)
    x <<= 1
    versions.append(x._version)
    return versions, see(torch, x)


@case
def index_assignment_bumps_by_one(torch):
    x = torch.zeros(3, 3)
    versions = []
    x[0] = 1.0
    versions.append(x._version)
    x[:, 1] = torch.ones(3)
    versions.append(x._version)
    x[0, 0] = 2
    versions.append(x._version)
    x[...] = 0.0
    versions.append(x._version)
    x[x == 0] = 5.0
    versions.append(x._version)
    x[torch.tensor([0, 2])] = 1.0
    versions.append(x._version)
    x[1:, [0, 1]] = 3.0
    versions.append(x._version)
    x[None] = 4.0
    versions.append(x._version)
    return versions


@case
def augmented_index_assignment_bumps_twice(torch):
    x = torch.zeros(3)
    x[0] += 1
    first = x._version
    x[1:] *= 2
    return first, x._version


@case
def augmented_advanced_index_assignment_bumps_once(torch):
    x = torch.zeros(3)
    x[torch.tensor([0, 1])] += 1
    return x._version


@case
def slice_assignment_from_a_list_of_numbers_is_refused(torch):
    x = torch.zeros(3)

    def assign():
        x[:] = [1.0, 2.0, 3.0]

    return error(assign), x._version


@case
def a_noop_inplace_operator_still_bumps(torch):
    x = torch.ones(2)
    x.add_(0)
    x.mul_(1)
    x.copy_(x)
    return x._version


@case
def inplace_on_an_empty_tensor_bumps(torch):
    x = torch.zeros(0)
    x.add_(1)
    x.zero_()
    return x._version


@case
def empty_selection_assignment_bumps(torch):
    x = torch.zeros(3)
    x[0:0] = 1.0
    first = x._version
    x[torch.zeros(3, dtype=torch.bool)] = 1.0
    return first, x._version


@case
def a_failing_inplace_operator_may_not_bump(torch):
    x = torch.zeros(3)
    raised = error(lambda: x.add_(torch.ones(4)))
    return raised["raises"], x._version


@case
def a_refused_leaf_operator_does_not_bump(torch):
    x = torch.zeros(3, requires_grad=True)
    raised = error(lambda: x.add_(1))
    return raised, x._version


@case
def out_argument_bumps_the_destination(torch):
    out = torch.zeros(2)
    x = torch.tensor([1.0, 4.0])
    return [
        bump(out, lambda: torch.add(x, 1, out=out)),
        bump(out, lambda: torch.mul(x, 2, out=out)),
        bump(out, lambda: torch.exp(x, out=out)),
        bump(out, lambda: torch.sqrt(x, out=out)),
        bump(out, lambda: torch.cat([x[:1], x[1:]], out=out)),
        bump(out, lambda: torch.matmul(torch.eye(2), x, out=out)),
        bump(out, lambda: torch.cumsum(x, 0, out=out)),
    ]


@case
def out_argument_returns_the_destination_itself(torch):
    out = torch.zeros(2)
    got = torch.add(torch.ones(2), 1, out=out)
    return got is out, see(torch, out)


@case
def sources_of_copies_are_not_bumped(torch):
    source = torch.ones(2)
    torch.zeros(2).copy_(source)
    torch.add(source, source, out=torch.zeros(2))
    return source._version


@case
def views_share_the_counter_of_their_base(torch):
    x = torch.zeros(2, 3)
    views = [x[0], x.view(6), x.t(), x[:, 1:], x.unsqueeze(0), x.expand(4, 2, 3), x.diagonal(), x.reshape(3, 2)]
    x.add_(1)
    first = [v._version for v in views]
    views[0].add_(1)
    return first, x._version, [v._version for v in views]


@case
def a_view_taken_late_starts_at_the_current_version(torch):
    x = torch.zeros(2)
    x.add_(1)
    x.add_(1)
    return x[0]._version, x.view(2, 1)._version, x.detach()._version, x.clone()._version


@case
def views_of_views_share_one_counter(torch):
    x = torch.zeros(2, 3)
    v = x.view(6)[2:].view(2, 2).t()
    v.add_(1)
    return x._version, v._version, v[0]._version


@case
def outputs_of_multi_view_functions_share_the_counter(torch):
    x = torch.zeros(4)
    a, b = x.split(2)
    c, d = x.chunk(2)
    e = x.unbind()[0]
    a.add_(1)
    return [t._version for t in (x, a, b, c, d, e)]


@case
def reshape_that_copies_has_its_own_counter(torch):
    x = torch.zeros(2, 3)
    r = x.t().reshape(6)
    c = x.t().contiguous()
    x.add_(1)
    return x._version, r._version, c._version


@case
def contiguous_on_a_contiguous_tensor_is_the_tensor(torch):
    x = torch.zeros(2, 3)
    return x.contiguous() is x, x.to(torch.float32) is x, x.float() is x, x.reshape(2, 3) is x, x.view(2, 3) is x


@case
def detach_shares_the_counter(torch):
    x = torch.zeros(2, requires_grad=True)
    y = x * 1
    d = y.detach()
    d.add_(1)
    y.add_(1)
    return y._version, d._version


@case
def detach_of_a_leaf_shares_the_counter(torch):
    x = torch.zeros(2, requires_grad=True)
    d = x.detach()
    d.add_(1)
    return x._version, d._version, see(torch, x)


@case
def data_has_its_own_counter(torch):
    x = torch.zeros(2, requires_grad=True)
    with torch.no_grad():
        x.add_(1)
    d = x.data
    started = d._version
    d.add_(1)
    d.mul_(2)
    return x._version, started, d._version, x.data._version, see(torch, x)


@case
def writes_through_data_stay_unseen_by_backward(torch):
    x = torch.tensor([2.0], requires_grad=True)
    w = torch.tensor([3.0])
    y = x * w
    w.data.fill_(10.0)
    y.backward()
    return see(torch, x.grad), w._version


@case
def detach_then_detach_of_view_still_shares(torch):
    x = torch.zeros(2, 2)
    d = x[0].detach().detach()
    d.zero_()
    return x._version, d._version


@case
def numpy_writes_do_not_bump(torch):
    x = torch.zeros(2)
    a = x.numpy()
    a[0] = 5.0
    a += 1
    return x._version, see(torch, x)


@case
def from_numpy_shares_memory_not_versions(torch):
    import numpy as np

    a = np.zeros(2, dtype=np.float32)
    x, y = torch.from_numpy(a), torch.from_numpy(a)
    x.add_(1)
    return x._version, y._version, see(torch, y), a.tolist()


@case
def numpy_of_a_tensor_and_back_has_a_new_counter(torch):
    x = torch.zeros(2)
    x.add_(1)
    y = torch.from_numpy(x.numpy())
    y.add_(1)
    return x._version, y._version, see(torch, x)


@case
def as_tensor_of_a_tensor_is_that_tensor(torch):
    x = torch.zeros(2)
    return torch.as_tensor(x) is x


@case
def increment_version_on_one_tensor(torch):
    x = torch.zeros(2)
    torch.autograd.graph.increment_version(x)
    return x._version, x[0]._version


@case
def increment_version_on_several_tensors(torch):
    x, y = torch.zeros(2), torch.zeros(2)
    torch.autograd.graph.increment_version([x, y])
    torch.autograd.graph.increment_version((y,))
    return x._version, y._version


@case
def increment_version_makes_backward_fail(torch):
    x = torch.tensor([2.0], requires_grad=True)
    w = torch.tensor([3.0])
    y = x * w
    torch.autograd.graph.increment_version(w)
    return error(lambda: y.backward())


@case
def unsafe_preserve_version_counter_hides_a_write(torch):
    x = torch.tensor([2.0], requires_grad=True)
    w = torch.tensor([3.0])
    y = x * w
    with torch.autograd._unsafe_preserve_version_counter(w):
        w.mul_(2)
    y.backward()
    return w._version, see(torch, x.grad)


@case
def sgd_like_updates_bump_parameters(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    versions = []
    for _ in range(3):
        (x * x).sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
        x.grad = None
        versions.append(x._version)
    return versions, see(torch, x)


@case
def update_before_backward_is_caught(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    with torch.no_grad():
        w -= 0.1
    return error(lambda: loss.backward())


@case
def update_through_data_before_backward_is_not_caught(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    w.data -= 0.5
    loss.backward()
    return see(torch, w.grad), w._version


@case
def requires_grad_flag_does_not_bump(torch):
    x = torch.zeros(2)
    x.requires_grad_()
    x.requires_grad = False
    return x._version


@case
def detach_inplace_does_not_bump(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.detach_()
    return y._version, see(torch, y)


@case
def inplace_shape_operators_bump(torch):
    x = torch.zeros(1, 2, 3)
    return [
        bump(x, lambda: x.squeeze_(0)),
        bump(x, lambda: x.unsqueeze_(0)),
        bump(x, lambda: x.squeeze_()),
        bump(x, lambda: x.t_()),
        bump(x, lambda: x.transpose_(0, 1)),
        bump(x, lambda: x.swapaxes_(0, 1)),
    ], list(x.shape)


@case
def resize_bumps(torch):
    x = torch.zeros(4)
    x.resize_(2, 2)
    first = x._version
    x.resize_(2)
    return first, x._version, list(x.shape)


@case
def backward_accumulation_bumps_the_version_of_grad(torch):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    g, versions = x.grad, [x.grad._version]
    for _ in range(2):
        (x * 2).sum().backward()
        versions.append(x.grad._version)
    return versions, x.grad is g


@case
def gradient_accumulated_under_create_graph_is_a_new_tensor(torch):
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    g = x.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).sum().backward(create_graph=True)
    result = x.grad is g, see(torch, g), see(torch, x.grad)
    x.grad = None
    return result


@case
def clones_start_at_zero(torch):
    x = torch.zeros(2)
    x.add_(1)
    return x.clone()._version, torch.empty_like(x)._version, x.to(torch.float64)._version, x.new_zeros(2)._version


@case
def shallow_copies_share_memory_but_no_counter(torch):
    import copy

    x = torch.zeros(2)
    y, z = copy.copy(x), copy.deepcopy(x)
    before = y._version, z._version
    x.add_(1)
    return (y._version, z._version) == before, see(torch, y), see(torch, z)


@case
def version_is_read_only(torch):
    x = torch.zeros(2)

    def assign():
        x._version = 3

    return error(assign)["raises"], x._version


@case
def data_assignment_keeps_the_version_of_the_variable(torch):
    x = torch.zeros(2)
    x.add_(1)
    y = torch.ones(2)
    y.add_(1)
    y.add_(1)
    x.data = y
    first = x._version
    x.add_(1)
    return first, x._version, y._version, see(torch, y)


@case
def set_shares_storage_and_bumps(torch):
    x, y = torch.zeros(2), torch.ones(3)
    x.set_(y)
    first = x._version
    y.add_(1)
    return first, x._version, y._version, see(torch, x)


@case
def bool_masks_by_comparison_inplace_bump(torch):
    x = torch.tensor([1.0, 2.0])
    x.gt_(1.5)
    first = x._version
    x.eq_(1.0)
    return first, x._version, see(torch, x)


@case
def clamp_with_one_bound_bumps(torch):
    x = torch.tensor([1.0, -2.0])
    x.clamp_(min=0)
    x.clamp_max_(0.5)
    x.clamp_min_(0.2)
    return x._version, see(torch, x)


@case
def real_and_imag_views_share_the_counter(torch):
    z = torch.tensor([1 + 2j])
    z.real.add_(1)
    z.imag.mul_(2)
    torch.view_as_real(z).add_(1)
    return z._version, see(torch, z)


@case
def init_functions_bump_parameters(torch):
    w = torch.nn.Parameter(torch.zeros(2, 2))
    torch.nn.init.constant_(w, 3.0)
    first = w._version
    torch.nn.init.zeros_(w)
    return first, w._version, w.is_leaf, see(torch, w)


@case
def inplace_under_no_grad_leaves_grad_fn(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        y.add_(1)
    return y._version, see(torch, y)


@case
def apply_changes_in_place(torch):
    x = torch.tensor([1.0, 2.0])
    x.apply_(lambda v: v + 1)
    return see(torch, x)


@case
def tensor_item_assignment_with_tensor_scalar(torch):
    x = torch.zeros(2)
    x[0] = torch.tensor(3.0)
    x[1] = torch.tensor([4.0])
    return x._version, see(torch, x)


@case
def swap_by_index_needs_clone(torch):
    x = torch.tensor([1.0, 2.0])
    x[0], x[1] = x[1], x[0]
    return x._version, see(torch, x)
