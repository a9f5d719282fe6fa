"""fx graphs built by hand: nodes, names, uses, texts, code, modules of them."""

from __future__ import annotations

import collections
import copy
import operator
import pickle
import typing
from typing import Any

from .observe import case, error, plain, see


def mine(x: Any) -> Any:
    return x


Pair = collections.namedtuple("Pair", "a b")


def shown(graph: Any) -> list[str]:
    return [str(graph), graph.python_code("self").src]


@case
def names_of_nodes(torch):
    graph = torch.fx.Graph()
    wanted = """
        x x x_5 x_5 x x_1 3 a.b if int self self inf torch device print _ x_ x__1 foo_01 foo_01 ABC CamelCase HTTPServer
        sum_1 sum sum_2 add_0 add_0 *q **q x_7_8 x_7_8 root output nan NoneType fx_pytree list math
    """.split()
    placeholders = [[graph.placeholder(n).name, graph.create_node("placeholder", "z", name=n).name] for n in wanted]
    targets = "Foo.BarBaz layer1.0.conv __add__ __radd__ _private __x x__ getX fooBAR A AB ABc aB conv2D a-b".split()
    new = torch.fx.Graph
    named = [[new().call_method(t, ()).name, new().call_module(t).name, new().get_attr(t).name] for t in targets]
    functions = (mine, lambda: 0, collections.OrderedDict, operator.add, operator.and_, print, torch.add, torch.relu_)
    return placeholders, named, [torch.fx.Graph().call_function(f, ()).name for f in functions]


@case
def all_kinds_of_nodes(torch):
    g = torch.fx.Graph()
    x, y = g.placeholder("x", torch.Tensor), g.placeholder("y", default_value=3)
    g.placeholder("*args"), g.placeholder("**kwargs")
    z = g.call_function(torch.add, (x, y))
    g.call_function(operator.add, (x, y), name="add")
    g.get_attr("a.b.c")
    g.call_module("sub.Layer", (z,))
    g.call_module("layers.0.1", (z,), {"mask": x})
    g.call_method("size", (z, 0))
    g.call_method("__add__", (z, 0))
    for function, args in [
        (len, (x,)), (getattr, (x, "foo")), (getattr, (x, "foo bar")), (getattr, (x, "a", None)),
        (operator.getitem, (x, (slice(None, 3, None), ..., None))), (operator.setitem, (x, 0, 1)),
        (operator.iadd, (x, 1)), (operator.add, (x, -1)), (operator.pow, (-2, x)), (mine, (x,)),
        (collections.OrderedDict, ([("a", x)],)), (max, (x, float("inf"), -float("inf"), 1j)),
        (torch.reshape, (x, torch.Size([1, 2]))), (mine, (Pair(x, 1), "s\"'q", b"x", None, True, [1], {"a": x, 1: 2})),
        (mine, (range(3), slice(1, x, 2), 3 + 4j, ...)), (torch.nn.init.zeros_, (x,)), (torch.Tensor, (x,)),
        (torch.manual_seed, (0,)), (torch._assert, (x, "s")), (torch.device, ("cpu",)), (torch.nn.Linear, (3, 3)),
    ]:  # fmt: skip
        g.call_function(function, args)
    g.call_function(torch.zeros, (2,), {"dtype": torch.float32, "device": torch.device("cpu"), "layout": torch.strided})
    g.output((z, {"k": [x, None]}), tuple[int, list[torch.Tensor]])
    return shown(g), sorted(g.python_code("self").globals), g.python_code("root").src


@case
def functions_by_their_names(torch):
    g = torch.fx.Graph()
    x = g.placeholder("x")
    F = torch.nn.functional
    for f in (
        torch.relu, F.relu, F.gelu, F.dropout, F.linear, F.conv2d, torch.conv2d, F.softmax, torch.softmax, F.avg_pool2d,
        torch.Tensor.relu, torch.linalg.norm, torch.linalg.inv, torch.fft.fft, torch.einsum, torch.split, torch.stft,
        torch.cat, torch.ops.aten.relu, torch.ops.aten.add.Tensor, F.logsigmoid, torch.norm, torch.sigmoid, F.sigmoid,
        torch.autograd.grad, torch.utils.checkpoint.checkpoint, torch.special.zeta, F.one_hot, F.max_pool2d,
    ):  # fmt: skip
        g.call_function(f, (x,))
    return shown(g), [n.name for n in g.nodes]


@case
def operators_in_code(torch):
    found = []
    unary = "neg not_ invert pos truth abs index".split()
    names = """
        add sub and_ or_ getitem setitem iadd isub imul imatmul floordiv ifloordiv pow ipow eq ne lt le gt ge lshift
        ilshift rshift irshift truediv itruediv mod imod xor ixor iand ior matmul contains is_ concat iconcat delitem
    """.split()
    for name in (*unary, *names):
        g = torch.fx.Graph()
        x, y, z = (g.placeholder(n) for n in "xyz")
        args = (x,) if name in unary else (x, y, z) if name == "setitem" else (x, y)
        g.output(g.call_function(getattr(operator, name), args))
        found.append(shown(g))
    return found


@case
def annotations(torch):
    found = []
    for kind in (
        int, torch.Tensor, typing.List[int], list[int], typing.Optional[torch.Tensor],  # noqa: UP006, UP045
        typing.Union[int, str], int | None, tuple[int, str], typing.Any, "torch.Tensor", None, type(None),  # noqa: UP007
        torch.nn.Module, torch.dtype, torch.device, typing.Dict[str, torch.Tensor], torch.Size,  # noqa: UP006
    ):  # fmt: skip
        g = torch.fx.Graph()
        x = g.placeholder("x", kind)
        g.output(g.call_function(torch.relu, (x,), type_expr=kind), kind)
        found.append(shown(g))
    return found


@case
def uses_follow_arguments(torch):
    g = torch.fx.Graph()
    x, y = g.placeholder("x"), g.placeholder("y")
    n = g.call_function(mine, ([x, {"a": y}], slice(x, None)), {"k": (x, 1)})
    seen = lambda: [plain((n.args, n.kwargs)), str(n.all_input_nodes), str(x.users), str(y.users)]
    found = [seen(), [type(n.args[0]).__name__, type(n.kwargs).__name__]]
    n.args = (y,)
    found.append(seen())
    n.insert_arg(0, x)
    n.update_arg(1, 7)
    n.update_kwarg("k", y)
    found.append(seen())
    n.replace_input_with(x, y)
    found.append(seen())
    m = g.call_function(mine, (n,))
    found.append([str(n.replace_all_uses_with(x)), seen(), str(m.args)])
    found.append([x < m, m > x, str(sorted([m, x, n])), str(n.next), str(n.prev), n.next.next.op])
    found.append([error(lambda: n.args.append(1)), error(lambda: n.kwargs.update(a=1))])
    return found


@case
def changing_a_graph(torch):
    g = torch.fx.Graph()
    x = g.placeholder("x")
    a = g.call_function(torch.relu, (x,))
    with g.inserting_before(a):
        b = g.call_function(torch.sin, (x,))
    with g.inserting_after(a):
        c = g.call_function(torch.cos, (a,))
    out = g.output(c)
    found = [str(g), len(g.nodes), str(list(reversed(g.nodes)))]
    with g.inserting_before():
        g.placeholder("first")
    with g.inserting_after():
        g.placeholder("last")
    found.append(str(g))
    b.append(a)
    x.prepend(b)
    found.append([str(g), error(g.lint)])
    x.append(b)
    out.args = (b,)
    g.erase_node(c)
    g.erase_node(a)
    found.append([str(g), error(g.lint), str(g.find_nodes(op="placeholder"))])
    found.append(str(g.find_nodes(op="call_function", target=torch.sin)))
    return found


@case
def wrong_graphs(torch):
    g, other = torch.fx.Graph(), torch.fx.Graph()
    x = g.placeholder("x")
    a = g.call_function(torch.relu, (x,))
    foreign = other.placeholder("x")
    found = [
        error(lambda: g.erase_node(x)), error(lambda: other.erase_node(a)), error(lambda: other.inserting_before(x)),
        error(lambda: other.inserting_after(x)), error(lambda: foreign.append(x)), error(lambda: g.output_node()),
        error(lambda: g.create_node("foo", "x")), error(lambda: g.get_attr(3)), error(lambda: g.call_function("a")),
        error(lambda: g.call_function(3)), error(lambda: g.find_nodes(op="call_function")),
        error(lambda: torch.fx.Node(g, "a", "bogus", mine, (), {})), error(lambda: g.create_node("output", "o", [x])),
        error(lambda: torch.fx.map_arg(x, 3)),
    ]  # fmt: skip
    other.call_function(torch.relu, (x,))
    return [*found, error(other.lint)]


@case
def copies_of_graphs(torch):
    g = torch.fx.Graph()
    x = g.placeholder("x", torch.Tensor)
    y = g.call_function(torch.relu, (x,), type_expr=torch.Tensor)
    y.meta["known"] = 1
    g.output((y, [x]))
    copied, mapping = torch.fx.Graph(), {}
    result = copied.graph_copy(g, mapping)
    found = [str(copied), str(result), str(mapping)]
    copied.output(result)
    new = copied.node_copy(y, lambda n: mapping[n])
    found += [str(copied), new.name, new.meta, new.meta is y.meta]
    deep = copy.deepcopy(g)
    found += [str(deep), [n.meta for n in deep.nodes], str(pickle.loads(pickle.dumps(g)))]
    found.append(str(torch.fx.node.map_aggregate((1, [2, {"a": 3}], slice(1, None)), lambda n: (n,))))
    return found


@case
def dead_code(torch):
    g = torch.fx.Graph()
    x = g.placeholder("x")
    g.placeholder("unused")
    nodes = [
        g.call_function(torch._assert, (x, "m")), g.call_function(torch.relu, (x,)), g.call_function(torch.relu_, (x,)),
        g.call_method("add_", (x, 1)), g.call_function(operator.setitem, (x, 0, 1)),
        g.call_function(operator.iadd, (x, 1)), g.call_function(torch.rand, (1,)), g.call_function(print, (x,)),
        g.get_attr("q"), g.call_function(torch.bernoulli, (x,)), g.call_function(torch.no_grad),
    ]  # fmt: skip
    a = g.call_function(torch.sin, (x,))
    g.call_function(torch.cos, (a,))
    g.output(x)
    found = [[n.is_impure(), n.is_impure(impure_random=False)] for n in nodes]
    changed = g.eliminate_dead_code()
    return found, changed, str(g), g.eliminate_dead_code()


@case
def code_that_is_changed(torch):
    g = torch.fx.Graph()
    x = g.placeholder("x")
    g.output(g.call_function(torch.relu, (x,)))
    gm = torch.fx.GraphModule(torch.nn.Module(), g)
    found = []
    with g.on_generate_code(lambda current: lambda body: ["import os\n", *(current(body) if current else body)]):
        found.append(gm.recompile().src)
    found.append(gm.recompile().src)

    class Doubling(torch.fx.CodeGen):
        def generate_output(self, output_args, **kwargs):
            return f"return ({output_args!r}, {output_args!r})"

        def process_outputs(self, out):
            return (out, out)

    g.set_codegen(Doubling())
    gm.recompile()
    found += [gm.code, see(torch, gm(torch.ones(2))), see(torch, torch.fx.Interpreter(gm).run(torch.ones(2)))]
    empty = torch.fx.Graph()
    return [*found, empty.python_code("self").src, str(empty)]


@case
def modules_of_graphs(torch):
    g = torch.fx.Graph()
    x, p, lin = g.placeholder("x"), g.get_attr("deep.p"), g.call_module("lin", (g.find_nodes(op="placeholder")[0],))
    g.output(g.call_function(torch.add, (p, lin)))
    root = {"deep.p": torch.zeros(3), "lin": torch.nn.Linear(3, 3)}
    gm = torch.fx.GraphModule(root, g)
    found = [str(gm), gm.code, sorted(gm.state_dict()), [n for n, _ in gm.named_buffers()]]
    found += [
        error(lambda: torch.fx.GraphModule({"deep.p": 1}, g)), error(lambda: torch.fx.GraphModule(3, g)),
        error(lambda: torch.fx.GraphModule(torch.nn.Module(), g)), error(lambda: setattr(gm, "graph", 3)),
        error(lambda: gm(torch.ones(2))),
    ]  # fmt: skip
    gm.add_submodule("a.b", torch.nn.ReLU())
    found += [str(gm), gm.add_submodule("deep.p.q", torch.nn.ReLU()), gm.graph.owning_module is gm]
    found += [gm.delete_submodule("none"), gm.delete_submodule("a.b")]
    gm.delete_all_unused_submodules()
    found += [[n for n, _ in gm.named_modules()], gm.print_readable(print_output=False)]
    x.name, first = "x", copy.deepcopy(gm)
    found += [first.code == gm.code, first.lin is gm.lin, first.graph is gm.graph, type(first).__name__]
    second = copy.copy(gm)
    found += [second.lin is gm.lin, second.graph is gm.graph]
    third = pickle.loads(pickle.dumps(gm))
    found += [len(third.graph.nodes), bool((third(torch.ones(2, 3)) == gm(torch.ones(2, 3))).all())]
    gm.eval()
    found += [copy.deepcopy(gm).training, torch.fx.GraphModule({}, torch.fx.Graph())()]
    return found


@case
def running_node_by_node(torch):
    g = torch.fx.Graph()
    x, y = g.placeholder("x"), g.placeholder("y", default_value=2.0)
    n = g.call_function(torch.mul, (x, y))
    m = g.call_method("add", (n, 1), {"alpha": 2})
    g.output([m, {"n": n}])
    gm = torch.fx.GraphModule({}, g)
    seen = []

    class Telling(torch.fx.Interpreter):
        def run_node(self, node):
            value = super().run_node(node)
            seen.append([node.name, sorted(n.name for n in self.env)])
            return value

        def call_method(self, target, args, kwargs):
            return super().call_method("sub" if target == "add" else target, args, kwargs)

    one = torch.ones(2)
    found = [see(torch, Telling(gm).run(one)), seen, see(torch, torch.fx.Interpreter(gm).run(one, 5.0))]
    whole = torch.fx.Interpreter(gm, garbage_collect_values=False)
    whole.run(one)
    found.append(sorted(n.name for n in whole.env))
    found.append(see(torch, torch.fx.Interpreter(gm).run(initial_env={x: one, y: 3.0, n: one})))
    found.append(see(torch, torch.fx.Interpreter(gm).boxed_run([one, 4.0])))
    first = lambda fn: error(fn)["message"].split("Original")[0]
    found.append(first(lambda: torch.fx.Interpreter(gm).run()))
    found.append(first(lambda: torch.fx.Interpreter(gm).run(one, torch.ones(3))))
    found.append(error(lambda: torch.fx.Interpreter(gm).fetch_attr("a.b")))
    return found
