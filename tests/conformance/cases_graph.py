"""The graph as a user can walk it: nodes, edges, metadata, what each node saves, and how leaves hang on it."""

from __future__ import annotations

import gc
import weakref

from .observe import case, error, graph, name_of, see


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def edges(fn):
    """Names and input numbers of a node's edges."""
    return [[name_of(n), nr] for n, nr in fn.next_functions]


def saved(torch, fn):
    """Everything that a node lets one see of what it saved, but for strides."""
    names = sorted(n for n in dir(fn) if n.startswith("_saved_") and not n.endswith("_sym_strides"))
    return {name: see(torch, getattr(fn, name)) for name in names}


def saved_names(fn):
    """The names of the tensors, numbers and flags that a node saves; sizes and strides aside."""
    return sorted(n for n in dir(fn) if n.startswith(("_saved_", "_raw_saved_")) and "_sym_" not in n)


def present(fn):
    """Which of a node's ``_saved_*`` attributes are tensors that it kept, and which are None."""
    return {n: getattr(fn, n) is not None for n in sorted(dir(fn)) if n.startswith("_saved_")}


# edges


@case
def leaf_has_no_grad_fn(torch):
    x = leaf(torch, 1.0)
    return [x.grad_fn is None, x.is_leaf, x.output_nr, x._version]


@case
def chain_of_two_ops(torch):
    x = leaf(torch, 1.0, 2.0)
    return graph(((x * 2).exp()).grad_fn)


@case
def edge_to_a_python_number_is_none_zero(torch):
    x = leaf(torch, 1.0)
    return [edges((x * 2).grad_fn), edges((2 * x).grad_fn), edges((x + 1).grad_fn), edges((1 - x).grad_fn)]


@case
def edge_to_a_constant_tensor_is_none_zero(torch):
    x, c = leaf(torch, 1.0), torch.tensor([3.0])
    return [edges((x * c).grad_fn), edges((c * x).grad_fn), (c * x).grad_fn.next_functions[0] == (None, 0)]


@case
def next_functions_is_a_tuple_of_tuples(torch):
    x = leaf(torch, 1.0)
    n = (x * x).grad_fn.next_functions
    return [type(n).__name__, type(n[0]).__name__, type(n[0][1]).__name__, len(n), len(n[0])]


@case
def accumulate_grad_has_no_next_functions(torch):
    x = leaf(torch, 1.0)
    return list((x * 2).grad_fn.next_functions[0][0].next_functions)


@case
def same_leaf_twice_gives_the_same_accumulate_grad(torch):
    x = leaf(torch, 1.0)
    (a, _), (b, _) = (x * x).grad_fn.next_functions
    return [a is b, a == b, hash(a) == hash(b), name_of(a)]


@case
def accumulate_grad_is_shared_between_graphs_while_one_is_alive(torch):
    x = leaf(torch, 1.0)
    y, z = x * 2, x.exp()
    return y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0]


@case
def accumulate_grads_of_two_leaves_differ(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 1.0)
    (a, _), (b, _) = (x * y).grad_fn.next_functions
    return [a is b, a == b, a.variable is x, b.variable is y]


@case
def accumulate_grad_variable_is_the_leaf_itself(torch):
    x = leaf(torch, 1.0)
    return (x * 2).grad_fn.next_functions[0][0].variable is x


@case
def accumulate_grad_keeps_the_leaf_alive(torch):
    x = leaf(torch, 5.0)
    node = (x * 2).grad_fn.next_functions[0][0]
    del x
    gc.collect(1)
    return see(torch, node.variable)


@case
def graph_dies_with_its_output(torch):
    x = leaf(torch, 5.0)
    y = (x * 2).exp()
    inner = weakref.ref(x)
    del x
    gc.collect(1)
    alive = inner() is not None
    del y
    gc.collect(1)
    return [alive, inner() is None]


@case
def grad_fn_is_the_same_object_on_each_access(torch):
    y = leaf(torch, 1.0) * 2
    return [y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, len({y.grad_fn, y.grad_fn})]


@case
def next_functions_give_the_producers_grad_fn_itself(torch):
    y = leaf(torch, 1.0) * 2
    z = y.exp()
    return z.grad_fn.next_functions[0][0] is y.grad_fn


@case
def nodes_can_be_keys_of_sets_and_dicts(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    z = y * y
    seen, todo = set(), [z.grad_fn]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [n for n, _ in node.next_functions if n is not None]
    return sorted(n.name() for n in seen)


@case
def node_keeps_inner_nodes_alive_without_the_tensors(torch):
    x = leaf(torch, 2.0)
    fn = ((x * 3) + 1).exp().grad_fn
    gc.collect(1)
    return graph(fn)


@case
def diamond_graph(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    z = y.sin() + y.cos()
    a, b = (n for n, _ in z.grad_fn.next_functions)
    return [graph(z.grad_fn), a.next_functions[0][0] is b.next_functions[0][0]]


@case
def unbind_outputs_share_a_node_and_differ_in_input_nr(torch):
    x = torch.ones(3, 2, requires_grad=True)
    a, b, c = x.unbind(0)
    return [
        name_of(a.grad_fn),
        a.grad_fn is b.grad_fn,
        [t.output_nr for t in (a, b, c)],
        edges((c * a).grad_fn),
        edges((b + 1).grad_fn),
    ]


@case
def split_outputs_share_a_node_and_differ_in_input_nr(torch):
    x = torch.ones(4, requires_grad=True)
    a, b = x.split(2)
    c, d = x.chunk(2)
    e, f = x.split([1, 3])
    return [[name_of(t.grad_fn), t.output_nr, edges((t * 1).grad_fn)] for t in (a, b, c, d, e, f)]


@case
def max_with_dim_has_differentiable_values_only(torch):
    x = torch.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True)
    m = x.max(1)
    return [name_of(m.values.grad_fn), m.indices.grad_fn is None, m.indices.requires_grad, m.values.output_nr]


@case
def cat_has_one_edge_per_input(torch):
    x, c = leaf(torch, 1.0), torch.tensor([2.0])
    return [edges(torch.cat([x, c, x]).grad_fn), edges(torch.stack([c, x]).grad_fn)]


@case
def addmm_has_three_edges_in_order_of_its_arguments(torch):
    b, w, x = torch.ones(2), torch.ones(3, 2, requires_grad=True), torch.ones(4, 3)
    return [edges(torch.addmm(b, x, w).grad_fn), edges((x @ w).grad_fn)]


@case
def where_has_edges_for_self_and_other_only(torch):
    x, c = leaf(torch, 1.0, 2.0), torch.zeros(2)
    cond = torch.tensor([True, False])
    return [edges(torch.where(cond, x, c).grad_fn), edges(torch.where(cond, c, x).grad_fn)]


@case
def pow_of_number_and_of_tensor_are_different_nodes(torch):
    x, e = leaf(torch, 2.0), leaf(torch, 3.0)
    return [[name_of(y.grad_fn), edges(y.grad_fn)] for y in (x**2, x**e, 2**x, x ** e.detach())]


@case
def subtraction_and_division_names(torch):
    x = leaf(torch, 2.0)
    return [[name_of(y.grad_fn), edges(y.grad_fn)] for y in (x - 1, 1 - x, x - x, x / 2, 2 / x, x / x, -x)]


@case
def reduction_names(torch):
    x = torch.ones(2, 2, requires_grad=True)
    ys = (
        x.sum(),
        x.sum(0),
        x.sum((0, 1)),
        x.mean(),
        x.mean(0),
        x.prod(),
        x.prod(0),
        x.var(),
        x.std(),
        x.amax(),
        x.max(),
        x.min(),
        x.max(0)[0],
        x.norm(),
        x.logsumexp(0),
        x.cumsum(0),
    )
    return [name_of(y.grad_fn) for y in ys]


@case
def shape_op_names(torch):
    x = torch.ones(2, 3, requires_grad=True)
    ys = (
        x.view(6),
        x.reshape(3, 2),
        x.t(),
        x.T,
        x.mT,
        x.transpose(0, 1),
        x.permute(1, 0),
        x.unsqueeze(0),
        x.unsqueeze(0).squeeze(),
        x.unsqueeze(0).squeeze(0),
        x.expand(2, 2, 3),
        x.flatten(),
        x.t().reshape(6),
        x.contiguous(),
        x.t().contiguous(),
        x.clone(),
        x.view_as(x),
        x.narrow(0, 0, 1),
        x.select(0, 0),
        x.diagonal(),
        x.repeat(2, 1),
        x.flip(0),
        x.movedim(0, 1),
        x.unflatten(1, (3, 1)),
    )
    return [name_of(y.grad_fn) for y in ys]


@case
def indexing_names(torch):
    x = torch.ones(3, 3, requires_grad=True)
    ys = (
        x[0],
        x[0, 1],
        x[0:2],
        x[:, 1:2],
        x[::2],
        x[None],
        x[...],
        x[:],
        x[[0, 2]],
        x[torch.tensor([0, 1])],
        x[x.detach() > 0],
        x[0:2, [0, 1]],
        x[-1, ::2],
        x.gather(0, torch.tensor([[0, 1, 2]])),
        x.index_select(0, torch.tensor([0])),
        x.masked_select(x.detach() > 0),
        x.take_along_dim(torch.tensor([[0, 1, 2]]), 0),
    )
    return [graph(y.grad_fn) for y in ys]


@case
def matmul_family_names(torch):
    m, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    b = torch.ones(3, 2, 2, requires_grad=True)
    ys = (m @ m, m @ v, v @ v, v @ m, b @ b, b @ m, m.mm(m), m.mv(v), v.dot(v), torch.outer(v, v), torch.bmm(b, b))
    return [graph(y.grad_fn) for y in ys]


@case
def to_same_dtype_adds_no_node_and_to_other_dtype_does(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    return [y.to(torch.float32) is y, graph(y.to(torch.float64).grad_fn), name_of(y.double().grad_fn)]


@case
def mixed_dtype_arithmetic_adds_no_cast_node(torch):
    x = leaf(torch, 1.0)
    d = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    return graph((x * d).grad_fn)


@case
def contiguous_of_a_contiguous_tensor_is_itself(torch):
    y = torch.ones(2, 2, requires_grad=True) * 1
    return [y.contiguous() is y, name_of(y.contiguous().grad_fn), name_of(y.t().contiguous().grad_fn)]


@case
def detach_cuts_the_graph(torch):
    y = leaf(torch, 1.0) * 2
    d = y.detach()
    return [d.grad_fn is None, d.requires_grad, d.is_leaf, y.grad_fn is not None]


@case
def comparison_results_are_constants(torch):
    x = leaf(torch, 1.0, 2.0)
    ys = (x > 1, x == x, x.argmax(), x.sign() > 0, torch.isnan(x))
    return [[y.requires_grad, y.grad_fn is None, y.is_leaf] for y in ys]


@case
def sign_floor_and_round_keep_a_node_with_zero_gradient(torch):
    x = leaf(torch, 1.4, -2.6)
    ys = (x.sign(), x.floor(), x.round(), x.ceil(), x.trunc())
    return [[name_of(y.grad_fn), see(torch, torch.autograd.grad(y.sum(), x))] for y in ys]


@case
def in_place_op_gives_the_tensor_a_new_grad_fn(torch):
    y = leaf(torch, 1.0) * 2
    old = y.grad_fn
    y.add_(1)
    return [y.grad_fn is old, graph(y.grad_fn), y.grad_fn.next_functions[0][0] is old]


@case
def in_place_write_into_a_part_gives_copy_slices(torch):
    y = torch.ones(2, requires_grad=True) * 2
    y[0] = 5
    return [name_of(y.grad_fn), y.grad_fn.name(), edges(y.grad_fn)]


@case
def copy_underscore_has_edges_for_itself_and_its_source(torch):
    x = leaf(torch, 1.0)
    y = torch.zeros(1)
    y.copy_(x)
    return [name_of(y.grad_fn), y.grad_fn.name(), edges(y.grad_fn), y.requires_grad]


# metadata and attributes of a node


@case
def node_name_method_of_native_nodes(torch):
    x = leaf(torch, 1.0)
    y = (x * 2).sum()
    return [y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()]


@case
def accumulate_grad_name_method_and_type_name(torch):
    acc = (leaf(torch, 1.0) * 2).grad_fn.next_functions[0][0]
    return [acc.name(), type(acc).__name__]


@case
def custom_function_node_names(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Double.apply(leaf(torch, 1.0))
    return [y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn._forward_cls is Double, edges(y.grad_fn)]


@case
def custom_function_has_edges_for_tensor_arguments_only(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, k, x, flag, c, y):
            return x * k + c + y

        @staticmethod
        def backward(ctx, g):
            return None, g, None, None, g

    x = leaf(torch, 1.0)
    z = Scale.apply(3, x, True, torch.tensor([1.0]), x * 2)
    return edges(z.grad_fn)


@case
def node_public_attributes(torch):
    names = ("name", "next_functions", "metadata", "register_hook", "register_prehook", "_sequence_nr")
    names += ("_register_hook_dict", "requires_grad")
    x = leaf(torch, 1.0)
    y = x * 2
    nodes = (y.grad_fn, y.grad_fn.next_functions[0][0])
    return [{n: n in dir(node) and hasattr(node, n) for n in names} for node in nodes]


@case
def node_requires_grad_is_true(torch):
    y = leaf(torch, 1.0) * 2
    return [y.grad_fn.requires_grad, y.grad_fn.next_functions[0][0].requires_grad]


@case
def nodes_are_instances_of_autograd_graph_node(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(torch, 1.0)
    node = torch.autograd.graph.Node
    y = x * 2
    return [
        isinstance(y.grad_fn, node),
        isinstance(y.grad_fn.next_functions[0][0], node),
        isinstance(Same.apply(x).grad_fn, node),
        isinstance(x, node),
        issubclass(type(y.grad_fn), node),
    ]


@case
def node_metadata_is_a_dict_one_can_write(torch):
    y = leaf(torch, 1.0) * 2
    empty = dict(y.grad_fn.metadata)
    y.grad_fn.metadata["note"] = 7
    return [empty, y.grad_fn.metadata, y.grad_fn.metadata is y.grad_fn.metadata]


@case
def node_metadata_survives_the_death_of_the_python_handle(torch):
    y = leaf(torch, 1.0) * 2
    z = y.exp()
    y.grad_fn.metadata["note"] = 7
    del y
    gc.collect(1)
    return z.grad_fn.next_functions[0][0].metadata


@case
def sequence_numbers_grow_with_creation(torch):
    x = leaf(torch, 1.0)
    a = x * 2
    b = x * 3
    c = a + b
    return [
        a.grad_fn._sequence_nr() < b.grad_fn._sequence_nr() < c.grad_fn._sequence_nr(),
        c.grad_fn._sequence_nr() - a.grad_fn._sequence_nr(),
    ]


@case
def accumulate_grad_has_the_largest_sequence_number(torch):
    y = leaf(torch, 1.0) * 2
    return y.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1


@case
def constants_take_no_sequence_number(torch):
    x, c = leaf(torch, 1.0), torch.ones(1)
    a = x * 2
    c * c
    with torch.no_grad():
        x * x
    b = x * 2
    return b.grad_fn._sequence_nr() - a.grad_fn._sequence_nr()


@case
def node_attributes_cannot_be_set(torch):
    fn = (leaf(torch, 1.0) * 2).grad_fn

    def set_next():
        fn.next_functions = ()

    def set_new():
        fn.note = 1

    return [error(f)["raises"] for f in (set_next, set_new)]


@case
def unknown_attribute_of_a_node(torch):
    fn = (leaf(torch, 1.0) * 2).grad_fn
    return error(lambda: fn._saved_nothing)


@case
def two_nodes_of_one_op_have_one_type(torch):
    x = leaf(torch, 1.0)
    return [type((x * 2).grad_fn) is type((x * x).grad_fn), type((x * 2).grad_fn) is type((x + 2).grad_fn)]


@case
def repr_of_a_node_begins_with_its_name(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    return [repr(n).split(" at ")[0] for n in (y.grad_fn, y.grad_fn.next_functions[0][0])]


@case
def repr_of_a_tensor_shows_grad_fn(torch):
    x = leaf(torch, 1.0)
    return [repr(x), repr(x * 2), repr((x * 2).detach()), repr((x * 2).sum())]


@case
def grad_fn_and_is_leaf_cannot_be_set(torch):
    x = leaf(torch, 1.0)

    def set_grad_fn():
        x.grad_fn = None

    def set_is_leaf():
        x.is_leaf = True

    return [error(set_grad_fn)["raises"], error(set_is_leaf)["raises"]]


# calling a node


@case
def node_called_with_a_gradient_gives_a_tuple(torch):
    x = leaf(torch, 3.0, 4.0)
    fn = (x * x.detach()).grad_fn
    out = fn(torch.ones(2))
    return [type(out).__name__, see(torch, out)]


@case
def single_edge_node_called_gives_the_bare_gradient(torch):
    x = leaf(torch, 3.0, 4.0)
    return see(torch, [x.exp().grad_fn(torch.ones(2)), x.sum().grad_fn(torch.tensor(2.0))])


@case
def node_called_with_none(torch):
    x = leaf(torch, 3.0)
    return see(torch, [(x * 2).grad_fn(None), x.exp().grad_fn(None)])


@case
def node_called_twice_when_nothing_frees_it(torch):
    x = leaf(torch, 3.0)
    fn = (x * x).grad_fn
    return see(torch, [fn(torch.ones(1)), fn(torch.ones(1))])


@case
def node_called_with_the_wrong_number_of_gradients(torch):
    fn = (leaf(torch, 3.0) * 2).grad_fn
    return [error(lambda: fn()), error(lambda: fn(torch.ones(1), torch.ones(1)))]


@case
def node_called_with_something_that_is_no_tensor(torch):
    fn = (leaf(torch, 3.0) * 2).grad_fn
    return error(lambda: fn(1.0))


@case
def accumulate_grad_called_adds_to_grad(torch):
    x = leaf(torch, 3.0)
    acc = (x * 2).grad_fn.next_functions[0][0]
    out = acc(torch.tensor([5.0]))
    acc(torch.tensor([1.0]))
    return [see(torch, out), see(torch, x.grad)]


@case
def multi_output_node_called_with_some_none(torch):
    a, _, _ = torch.ones(3, 2, requires_grad=True).unbind(0)
    return see(torch, a.grad_fn(torch.ones(2), None, torch.ones(2) * 2))


@case
def node_called_runs_no_hooks(torch):
    x = leaf(torch, 3.0)
    fn = (x * 2).grad_fn
    seen = []
    fn.register_hook(lambda gi, go: seen.append("post"))
    fn.register_prehook(lambda go: seen.append("pre"))
    fn(torch.ones(1))
    return seen


@case
def node_called_builds_a_graph_when_grad_mode_is_on(torch):
    x = leaf(torch, 3.0)
    fn = (x * x).grad_fn
    g = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        off = fn(g)
    return see(torch, [fn(g), off])


# what is saved


@case
def saved_names_of_common_nodes(torch):
    x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    outs = (
        x * y,
        x / y,
        x + y,
        x - y,
        x**2,
        x**y,
        2**x,
        x.exp(),
        x.log(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.tanh(),
        x.sigmoid(),
        x.relu(),
        x.sqrt(),
        x.abs(),
        -x,
        x.clamp(0, 1),
        x.clamp(min=0),
        torch.where(x > 0, x, y),
        torch.maximum(x, y),
        x.reciprocal(),
        x.rsqrt(),
        torch.atan2(x, y),
    )
    return {name_of(o.grad_fn): saved_names(o.grad_fn) for o in outs}


@case
def saved_names_of_reductions(torch):
    x = torch.ones(2, 2, requires_grad=True)
    outs = (
        x.sum(),
        x.sum(0),
        x.mean(),
        x.mean(0),
        x.prod(),
        x.prod(0),
        x.var(),
        x.std(),
        x.amax(0),
        x.max(),
        x.max(0)[0],
        x.norm(),
        x.norm(dim=0),
        x.logsumexp(0),
        x.cumsum(0),
        x.softmax(0),
        x.log_softmax(0),
    )
    return [[name_of(o.grad_fn), saved_names(o.grad_fn)] for o in outs]


@case
def saved_names_of_matmuls_and_shape_ops(torch):
    x = torch.ones(2, 2, requires_grad=True)
    v, b = torch.ones(2, requires_grad=True), torch.ones(1, 2, 2, requires_grad=True)
    outs = (
        x @ x,
        x @ v,
        v @ v,
        b @ b,
        torch.addmm(x, x, x),
        x.view(4),
        x.t(),
        x.transpose(0, 1),
        x.permute(1, 0),
        x.expand(3, 2, 2),
        x.unsqueeze(0),
        b.squeeze(0),
        b.squeeze(),
        x.select(0, 0),
        x[0:1],
        x[[0, 1]],
        x.gather(0, torch.tensor([[0, 1]])),
        torch.cat([x, x]),
        torch.stack([x, x]),
        x.split(1)[0],
        x.unbind(0)[0],
        x.clone(),
        x.double(),
        x.repeat(2, 1),
        x.index_select(0, torch.tensor([0])),
        x.scatter(0, torch.tensor([[0, 1]]), x),
    )
    return [[name_of(o.grad_fn), saved_names(o.grad_fn)] for o in outs]


@case
def mul_saves_only_the_other_factor_when_one_requires_grad(torch):
    x, c = leaf(torch, 2.0), torch.tensor([3.0])
    return [saved(torch, (x * c).grad_fn), saved(torch, (c * x).grad_fn)]


@case
def mul_by_a_python_number_saves_it_as_a_zero_dim_tensor_of_its_widest_type(torch):
    x = leaf(torch, 2.0)
    return [saved(torch, (x * 3).grad_fn), saved(torch, (x * 3.5).grad_fn)]


@case
def mul_of_two_variables_saves_both(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    fn = (x * y).grad_fn
    return [saved(torch, fn), fn._saved_self is x, fn._saved_other is y]


@case
def div_saves_what_live_edges_need(torch):
    x, c = leaf(torch, 2.0), torch.tensor([3.0])
    return [present((x / c).grad_fn), present((c / x).grad_fn), present((x / x).grad_fn)]


@case
def matmul_saves_what_live_edges_need(torch):
    a, w = torch.ones(2, 3), torch.ones(3, 2, requires_grad=True)
    v = torch.ones(3, requires_grad=True)
    return [saved(torch, f) for f in ((a @ w).grad_fn, (a @ v).grad_fn, torch.dot(v, v.detach()).grad_fn)]


@case
def addmm_saves_what_live_edges_need(torch):
    b, a, w = torch.ones(2, requires_grad=True), torch.ones(2, 3), torch.ones(3, 2)
    f = torch.addmm(b, a, w).grad_fn
    g = torch.addmm(b, a, w.clone().requires_grad_(), beta=2, alpha=3).grad_fn
    return [saved(torch, f), saved(torch, g)]


@case
def pow_saves_exponent_and_result_as_needed(torch):
    x, e = leaf(torch, 2.0), leaf(torch, 3.0)
    fs = ((x**2).grad_fn, (x.detach() ** e).grad_fn, (x**e).grad_fn, (2.0**e).grad_fn)
    return [saved(torch, f) for f in fs]


@case
def exp_saves_its_result(torch):
    x = leaf(torch, 0.0)
    y = x.exp()
    r = y.grad_fn._saved_result
    return [see(torch, r), r is y, r.grad_fn is y.grad_fn, r.data_ptr() == y.data_ptr()]


@case
def saved_result_shares_version_and_memory_with_the_output(torch):
    y = leaf(torch, 0.0).exp()
    return [y.grad_fn._saved_result._version, y.grad_fn._saved_result.output_nr]


@case
def saved_input_is_the_very_leaf(torch):
    x = leaf(torch, 1.0)
    return x.sin().grad_fn._saved_self is x


@case
def saved_non_leaf_input_has_its_grad_fn(torch):
    y = leaf(torch, 1.0) * 2
    s = y.sin().grad_fn._saved_self
    return [see(torch, s), s.grad_fn is y.grad_fn]


@case
def saving_does_not_keep_the_output_in_a_cycle(torch):
    y = leaf(torch, 1.0).exp()
    ref = weakref.ref(y)
    gc.disable()
    try:
        del y
        return ref() is None
    finally:
        gc.enable()


@case
def saved_attributes_of_sum_and_mean(torch):
    x = torch.ones(2, 3, requires_grad=True)
    fs = (x.sum().grad_fn, x.sum(1).grad_fn, x.sum((0, 1), keepdim=True).grad_fn, x.mean().grad_fn, x.mean(0).grad_fn)
    return [saved(torch, f) for f in fs]


@case
def saved_negative_dim_is_shown_as_unsigned(torch):
    x = torch.ones(2, 3, requires_grad=True)
    fs = (x.sum(-1).grad_fn, x.max(-1).values.grad_fn, x.softmax(-1).grad_fn, x.unsqueeze(-1).grad_fn)
    return [[f._saved_dim if isinstance(f._saved_dim, int) else list(f._saved_dim)] for f in fs]


@case
def saved_attributes_of_max_with_dim(torch):
    x = torch.tensor([[1.0, 3.0]], requires_grad=True)
    return saved(torch, x.max(1).values.grad_fn)


@case
def saved_attributes_of_full_max(torch):
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    return saved(torch, x.max().grad_fn)


@case
def saved_attributes_of_index(torch):
    x = torch.ones(3, 3, requires_grad=True)
    return [saved(torch, x[torch.tensor([0, 1])].grad_fn), saved(torch, x[:, torch.tensor([2])].grad_fn)]


@case
def saved_attributes_of_select_and_slice(torch):
    x = torch.ones(3, 3, requires_grad=True)
    return [saved(torch, x[1].grad_fn), saved(torch, x[-1].grad_fn), saved(torch, x[0:2].grad_fn)]


@case
def saved_attributes_of_gather(torch):
    x = torch.ones(2, 2, requires_grad=True)
    return saved(torch, x.gather(1, torch.tensor([[0], [1]])).grad_fn)


@case
def saved_attributes_of_view_and_transpose(torch):
    x = torch.ones(2, 3, requires_grad=True)
    fs = (x.view(6).grad_fn, x.transpose(0, 1).grad_fn, x.permute(1, 0).grad_fn, x.expand(4, 2, 3).grad_fn)
    return [saved(torch, f) for f in fs]


@case
def saved_attributes_of_cat_and_stack(torch):
    x = torch.ones(2, requires_grad=True)
    return [saved(torch, torch.cat([x, x]).grad_fn), saved(torch, torch.stack([x, x], 1).grad_fn)]


@case
def saved_attributes_of_clamp(torch):
    x = leaf(torch, 1.0)
    return [saved(torch, f.grad_fn) for f in (x.clamp(0, 1), x.clamp(min=0.5), x.clamp(max=2))]


@case
def saved_attributes_of_where(torch):
    x = leaf(torch, 1.0, 2.0)
    return saved(torch, torch.where(torch.tensor([True, False]), x, 0.0).grad_fn)


@case
def saved_attributes_of_add_with_alpha(torch):
    x = leaf(torch, 1.0)
    return [saved(torch, f.grad_fn) for f in (x + x, torch.add(x, x, alpha=2), torch.sub(x, 1, alpha=3), x + 1)]


@case
def saved_attributes_of_unbind_split_and_softmax(torch):
    x = torch.ones(2, 2, requires_grad=True)
    return [saved(torch, f.grad_fn) for f in (x.unbind(1)[0], x.split(1, 1)[0], x.softmax(0))]


@case
def saved_attributes_of_var_and_norm(torch):
    x = leaf(torch, 3.0, 4.0)
    return [saved(torch, f.grad_fn) for f in (x.var(), x.std(0), x.norm(), x.norm(p=1, dim=0))]


@case
def raw_saved_tensor_type_and_hooks_once(torch):
    x = leaf(torch, 1.0)
    fn = (x * x).grad_fn
    raw = fn._raw_saved_self
    raw.register_hooks(lambda t: t.detach() * 10, lambda t: t)
    again = error(lambda: raw.register_hooks(lambda t: t, lambda t: t))
    return [type(raw).__name__, see(torch, fn._saved_self), see(torch, fn._saved_other), again]


@case
def raw_saved_of_an_unsaved_tensor_refuses_hooks(torch):
    x = leaf(torch, 1.0)
    raw = (x * 2).grad_fn._raw_saved_self
    return error(lambda: raw.register_hooks(lambda t: t, lambda t: t))


@case
def saved_attributes_after_free_raise(torch):
    x = leaf(torch, 1.0)
    y = x * x
    fn = y.grad_fn
    y.backward()
    return [error(lambda: fn._saved_self), error(lambda: fn._saved_other)]


@case
def saved_result_after_free_raises(torch):
    y = leaf(torch, 1.0).exp()
    y.backward()
    return error(lambda: y.grad_fn._saved_result)


@case
def raw_saved_attributes_are_still_there_after_free(torch):
    y = leaf(torch, 1.0).exp()
    y.backward()
    return [type(y.grad_fn._raw_saved_result).__name__, error(lambda: y.grad_fn._saved_result)["raises"]]


@case
def saved_numbers_and_shapes_are_readable_after_free(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x**3
    s = y.sum()
    s.backward()
    return [y.grad_fn._saved_exponent, list(s.grad_fn._saved_self_sym_sizes), edges(s.grad_fn)]


@case
def next_functions_are_readable_after_free(torch):
    x = leaf(torch, 1.0)
    y = (x * x).exp()
    y.backward()
    return graph(y.grad_fn)


# changing what is a leaf


@case
def requires_grad_switch_on_a_leaf(torch):
    x = torch.tensor([1.0])
    x.requires_grad_()
    y = x * 2
    x.requires_grad = False
    return [y.requires_grad, (x * 2).requires_grad, x.requires_grad_(True) is x]


@case
def requires_grad_cannot_be_switched_off_on_a_non_leaf(torch):
    y = leaf(torch, 1.0) * 2

    def switch():
        y.requires_grad = False

    return [error(switch), error(lambda: y.requires_grad_(False)), error(lambda: y.requires_grad_(True).requires_grad)]


@case
def only_floating_and_complex_tensors_can_require_grad(torch):
    i, b = torch.tensor([1]), torch.tensor([True])

    def set_attribute():
        i.requires_grad = True

    return [
        error(lambda: i.requires_grad_()),
        error(lambda: b.requires_grad_()),
        error(set_attribute),
        error(lambda: torch.tensor([1], requires_grad=True)),
        error(lambda: torch.ones(2, dtype=torch.int64, requires_grad=True)),
        torch.ones(1, dtype=torch.complex64, requires_grad=True).requires_grad,
    ]


@case
def requires_grad_must_be_a_bool(torch):
    x = torch.tensor([1.0])

    def set_attribute():
        x.requires_grad = 1

    return error(set_attribute)["raises"]


@case
def leaf_created_under_no_grad_may_require_grad(torch):
    with torch.no_grad():
        x = torch.tensor([1.0], requires_grad=True)
        y = x * 2
    return [x.requires_grad, y.requires_grad, (x * 2).requires_grad, y.is_leaf]


@case
def integer_result_of_a_variable_is_constant(torch):
    x = leaf(torch, 1.7)
    y = x.to(torch.int64)
    return [see(torch, y), y.is_leaf, y.to(torch.float32).requires_grad]


@case
def detach_underscore_makes_a_leaf_in_place(torch):
    y = leaf(torch, 1.0) * 2
    z = y.detach_()
    return [z is y, y.requires_grad, y.is_leaf, y.grad_fn is None]


# gradient edges


@case
def get_gradient_edge_of_leaf_and_non_leaf(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    a, b = torch.autograd.graph.get_gradient_edge(x), torch.autograd.graph.get_gradient_edge(y)
    return [
        name_of(a.node),
        a.output_nr,
        name_of(b.node),
        b.output_nr,
        b.node is y.grad_fn,
        a.node is y.grad_fn.next_functions[0][0],
        type(a).__name__,
    ]


@case
def get_gradient_edge_of_second_output(torch):
    _, b = torch.ones(2, 2, requires_grad=True).unbind(0)
    e = torch.autograd.graph.get_gradient_edge(b)
    return [e.node is b.grad_fn, e.output_nr]


@case
def get_gradient_edge_of_a_constant(torch):
    return error(lambda: torch.autograd.graph.get_gradient_edge(torch.ones(1)))


@case
def accumulate_grad_of_a_leaf_dies_when_nothing_holds_it(torch):
    x = leaf(torch, 1.0)
    (x * 2).grad_fn.next_functions[0][0].metadata["mark"] = 1
    gc.collect(1)
    fresh = (x * 2).grad_fn.next_functions[0][0].metadata
    keep = (x * 2).grad_fn.next_functions[0][0]
    keep.metadata["mark"] = 2
    return [dict(fresh), dict((x * 3).grad_fn.next_functions[0][0].metadata)]


@case
def accumulate_grad_without_a_holder_is_found_again_through_get_gradient_edge(torch):
    x = leaf(torch, 1.0)
    e = torch.autograd.graph.get_gradient_edge(x)
    return (x * 2).grad_fn.next_functions[0][0] is e.node


@case
def view_as_self_trick_reaches_the_accumulate_grad(torch):
    p = torch.ones(2, 2, requires_grad=True)
    acc = p.view_as(p).grad_fn.next_functions[0][0]
    return [name_of(acc), acc.variable is p, name_of(p.expand_as(p).grad_fn.next_functions[0][0])]


@case
def edges_of_multi_output_node_are_per_output(torch):
    x = torch.ones(2, 2, requires_grad=True)
    a, b = (x * 2).unbind(0)
    z = a * 10 + b * 100 + a
    return [graph(z.grad_fn), see(torch, torch.autograd.grad(z.sum(), x))]
