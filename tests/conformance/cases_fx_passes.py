"""fx: rewriting by patterns, and passes over graphs."""

from __future__ import annotations

import operator

from .observe import case, error, see


@case
def patterns(torch):
    nn, trace, replace = torch.nn, torch.fx.symbolic_trace, torch.fx.replace_pattern

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x, w1, w2):
            m1 = torch.cat([w1, w2]).sum()
            m2 = torch.cat([w1, w2]).sum()
            return x + torch.max(m1) + torch.max(m2) + self.linear(x)

    class Old(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(x)

    class New(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = nn.Linear(2, 3)

        def forward(self, x):
            return self.wide(x).relu()

    def two(x):
        a = x + 1
        return a, a.relu()

    def used_twice(x):
        a = x + 1
        return torch.relu(a), a

    def product(x):
        a = x + 1
        return a * a.relu()

    found = []
    for program, pattern, replacement in (
        (Net(), lambda w1, w2: torch.cat([w1, w2]).sum(), lambda w1, w2: torch.stack([w1, w2])),
        (Net(), Old(), New()),
        (lambda x: torch.relu(x + 1) * torch.sigmoid(x + 1), lambda x: x + 1, lambda x: x - 1),
        (lambda x: torch.relu(x + 2), lambda x: x + 1, lambda x: x - 1),
        (lambda x: torch.relu(torch.relu(torch.relu(x))), lambda x: torch.relu(x), lambda x: x.neg()),
        (lambda x, y: (torch.add(x, y, alpha=2), torch.add(x, y)), lambda x, y: torch.add(x, y), lambda x, y: x * y),
        (product, two, lambda x: (x * 3, (x * 3).sigmoid())),
        (used_twice, lambda x: torch.relu(x + 1), lambda x: x * 5),
        (lambda x: torch.relu(x), lambda x: torch.relu(x), lambda x: x),
        (lambda x, y: torch.add(x, y), lambda a, b: torch.add(a, b), lambda a, b: torch.mul(b, a)),
        (lambda x: x[0] + x[1], lambda x, y: x[y], lambda x, y: torch.select(x, 0, y)),
        (lambda x: x.relu().neg(), lambda a: a.relu(), lambda a: a.neg()),
    ):
        gm = trace(program)
        matches = replace(gm, pattern, replacement)
        shown = [[str(m.anchor), str(m.nodes_map)] for m in matches]
        found.append([shown, gm.code, str(gm), sorted(name for name, _ in gm.named_modules())])
    return found


@case
def patterns_with_filters(torch):
    from importlib import import_module

    fx = torch.fx.__name__
    rewriter, matcher = import_module(f"{fx}.subgraph_rewriter"), import_module(f"{fx}.passes.utils.matcher_utils")
    trace = torch.fx.symbolic_trace
    found = []
    for options in (
        {},
        {"match_filters": [lambda match, graph, pattern: False]},
        {"match_filters": [lambda match, graph, pattern: match.returning_nodes[0].name == "add_1"]},
        {"ignore_literals": True},
    ):
        gm = trace(lambda x: torch.relu(x + 1) * torch.sigmoid(x + 1) * torch.tanh(x + 2))
        done = rewriter.replace_pattern_with_filters(gm, lambda x: x + 1, lambda x: x - 1, **options)
        found.append([[[str(d.anchor), str(d.nodes_map), str(d.replacements)] for d in done], gm.code])
    pattern = trace(lambda x: torch.relu(x + 1)).graph
    graph = trace(lambda x: torch.relu(x + 1) + torch.relu(x + 1)).graph
    return (
        found,
        str(matcher.SubgraphMatcher(pattern).match(graph)),
        error(lambda: matcher.SubgraphMatcher(torch.fx.Graph())),
    )


@case
def shapes(torch):
    from importlib import import_module

    passes = import_module(f"{torch.fx.__name__}.passes.shape_prop")
    sizes = import_module(f"{torch.fx.__name__}.passes.graph_manipulation")
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8, 3))
    gm = torch.fx.symbolic_trace(net)
    passes.ShapeProp(gm).propagate(torch.ones(1, 1, 4, 4))
    found = [[n.name, str(n.meta["tensor_meta"]), n.meta["type"].__name__] for n in gm.graph.nodes]
    found.append(gm.print_readable(print_output=False))
    sizes.get_size_of_all_nodes(gm, [torch.ones(2, 1, 4, 4)])
    found.append([list(n.size_bytes) for n in gm.graph.nodes if n.op != "output"])
    pairs = torch.fx.symbolic_trace(lambda x: (torch.max(x, 1), x.shape))
    passes.ShapeProp(pairs).propagate(torch.ones(2, 3))
    found.append([[n.name, str(n.meta.get("tensor_meta"))] for n in pairs.graph.nodes])
    sizes.replace_target_nodes_with(pairs, "call_function", torch.max, "call_function", torch.min)
    found.append(pairs.code)
    return found


@case
def parts(torch):
    from importlib import import_module

    split_module = import_module(f"{torch.fx.__name__}.passes.split_module").split_module
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.Parameter(torch.zeros(2))
            self.a = nn.Linear(2, 2)
            self.b = nn.Sequential(nn.Linear(2, 2))

        def forward(self, x, y):
            z = self.a(x + self.p)
            w = torch.relu(z) + y
            return self.b(w).sum() + z, w

    net = Net()
    gm = torch.fx.symbolic_trace(net)
    numbers = {n.name: i for i, n in enumerate(n for n in gm.graph.nodes if n.op.startswith("call"))}
    found = []
    for choose in (lambda n: numbers[n.name] // 3, lambda n: "ab"[numbers[n.name] > 2], lambda n: numbers[n.name] % 2):
        moved = {}
        try:
            split = split_module(gm, net, choose, moved)
        except RuntimeError as e:
            found.append(str(e))
            continue
        x, y = torch.ones(2), torch.ones(2)
        same = all(torch.equal(a, b) for a, b in zip(split(x, y), net(x, y)))
        found.append([split.code, [m.code for m in split.children()], moved, same])
    return found


@case
def fusing(torch):
    from importlib import import_module

    optimization = import_module(f"{torch.fx.__name__}.experimental.optimization")
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(), nn.Conv2d(2, 2, 1)).eval()
    x = torch.arange(16.0).view(1, 1, 4, 4)
    fused = optimization.fuse(net)
    without = optimization.remove_dropout(net)
    return [
        str(fused), fused.code, torch.allclose(fused(x), net(x), atol=1e-6), without.code,
        torch.equal(without(x), net(x)), error(lambda: optimization.fuse(net.train())),
    ]  # fmt: skip


@case
def pass_managers(torch):
    from importlib import import_module

    base = import_module(f"{torch.fx.__name__}.passes.infra.pass_base")
    manager = import_module(f"{torch.fx.__name__}.passes.infra.pass_manager")

    def clean(gm):
        return base.PassResult(gm, gm.graph.eliminate_dead_code())

    def nothing(gm):
        return None

    class ReluIsSigmoid(base.PassBase):
        def call(self, gm):
            nodes = gm.graph.find_nodes(op="call_function", target=torch.relu)
            for node in nodes:
                node.target = torch.sigmoid
            gm.recompile()
            return base.PassResult(gm, bool(nodes))

        def requires(self, gm):
            gm.graph.lint()

    def dead(x):
        x + 1
        return torch.relu(x)

    gm = torch.fx.symbolic_trace(dead)
    result = manager.PassManager([clean, ReluIsSigmoid()], steps=3)(gm)
    found = [result.modified, result.graph_module.code]
    bad = manager.PassManager([clean, nothing])
    found.append(error(lambda: bad(gm)))
    found.append(manager.PassManager([manager.pass_result_wrapper(nothing)])(gm).modified)
    order = manager.PassManager([nothing, clean], [manager.this_before_that_pass_constraint(clean, nothing)])
    found.append(error(order.validate_constraints)["raises"])
    order.solve_constraints()
    found.append([p.__name__ for p in order.passes])
    order.add_constraint(manager.this_before_that_pass_constraint(nothing, clean))
    found.append(error(order.solve_constraints)["raises"])
    return found


@case
def modules_are_written_again_after_each_pass(torch):
    from importlib import import_module

    base = import_module(f"{torch.fx.__name__}.passes.infra.pass_base")
    manager = import_module(f"{torch.fx.__name__}.passes.infra.pass_manager")

    class OtherTarget(base.PassBase):
        def call(self, gm):
            for node in gm.graph.find_nodes(op="call_function", target=torch.relu):
                node.target = torch.tanh
            return base.PassResult(gm, False)

    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    return manager.PassManager([OtherTarget()])(gm).graph_module.code


@case
def tutorial_profiling_interpreter(torch):
    class Counting(torch.fx.Interpreter):
        def __init__(self, module):
            super().__init__(torch.fx.symbolic_trace(module))
            self.counts = {}

        def run_node(self, n):
            self.counts[n.op] = self.counts.get(n.op, 0) + 1
            return super().run_node(n)

    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    counting = Counting(net)
    x = torch.ones(4, 2)
    return torch.equal(counting.run(x), net(x)), counting.counts


@case
def tutorial_inverting_functions(torch):
    inverse = {torch.sin: torch.arcsin, torch.exp: torch.log, operator.neg: operator.neg}

    def invert(fn):
        traced = torch.fx.symbolic_trace(fn)
        new, last = torch.fx.Graph(), None
        for node in reversed(traced.graph.nodes):
            if node.op == "output":
                last = new.placeholder("x")
            elif node.op == "call_function":
                last = new.call_function(inverse[node.target], (last,))
        new.output(last)
        new.lint()
        return torch.fx.GraphModule(traced, new)

    made = invert(lambda x: -torch.exp(torch.exp(x)))
    return made.code, see(torch, made(torch.tensor([-15.15])))


@case
def tutorial_replacing_operators(torch):
    gm = torch.fx.symbolic_trace(lambda x, y: (x + y, torch.add(x, y), x.add(y)))
    for node in gm.graph.nodes:
        if any(node.target == t for t in (operator.add, torch.add, "add")):
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.bitwise_and, node.args, node.kwargs)
                node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.recompile()
    return gm.code, str(gm.graph), see(torch, gm(torch.tensor([3]), torch.tensor([5])))


@case
def tutorial_decomposing(torch):
    F = torch.nn.functional
    rules = {F.relu: lambda x, inplace=False: (x > 0) * x}

    def decompose(model):
        graph, new, values = torch.fx.symbolic_trace(model).graph, torch.fx.Graph(), {}
        tracer = torch.fx.proxy.GraphAppendingTracer(new)
        for node in graph.nodes:
            if node.op == "call_function" and node.target in rules:
                args = [torch.fx.Proxy(values[a], tracer) if isinstance(a, torch.fx.Node) else a for a in node.args]
                values[node] = rules[node.target](*args).node
            else:
                values[node] = new.node_copy(node, lambda n: values[n])
        return torch.fx.GraphModule(torch.nn.Module(), new)

    made = decompose(lambda x: F.relu(x) + 1)
    return made.code, see(torch, made(torch.tensor([-1.0, 2.0])))


@case
def feature_extraction(torch):
    """As torchvision and timm do it: nodes by the paths of modules, whose leaves are chosen."""
    nn = torch.nn

    class NodePaths(torch.fx.Tracer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.current = ""
            self.paths = {}

        def call_module(self, m, forward, args, kwargs):
            before, self.current = self.current, self.path_of_module(m)
            try:
                if not self.is_leaf_module(m, self.current):
                    return forward(*args, **kwargs)
                return self.create_proxy("call_module", self.current, args, kwargs)
            finally:
                self.current = before

        def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, *rest):
            proxy = super().create_proxy(kind, target, args, kwargs, name, type_expr, *rest)
            self.paths[proxy.node] = self.current or str(proxy.node)
            return proxy

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(width, width, 3, padding=1)
            self.norm = nn.BatchNorm2d(width)

        def forward(self, x):
            return torch.relu(self.norm(self.conv(x)) + x)

    net = nn.Sequential(Block(2), Block(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval()
    tracer = NodePaths()
    graph = tracer.trace(net)
    gm = torch.fx.GraphModule(tracer.root, graph, "Features")
    wanted = {path: node for node, path in tracer.paths.items()}
    for node in reversed(gm.graph.nodes):
        if node.op == "output":
            gm.graph.erase_node(node)
            break
    gm.graph.output({"first": wanted["0"], "pooled": wanted["2"]})
    gm.graph.eliminate_dead_code()
    gm.recompile()
    gm.delete_all_unused_submodules()
    shapes = {name: list(value.shape) for name, value in gm(torch.ones(1, 2, 4, 4)).items()}
    return gm.code, str(gm), [[str(n), p] for n, p in tracer.paths.items()], shapes


class _Adds:
    """Says that additions and items can be run."""

    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node.target in (operator.add, operator.getitem)


def _passes(torch, name):
    from importlib import import_module

    return import_module(f"{torch.fx.__name__}.passes.{name}")


def _parts(torch, fn, **options):
    gm = torch.fx.symbolic_trace(fn)
    partitioner = _passes(torch, "infra.partitioner").CapabilityBasedPartitioner(gm, _Adds(), **options)
    found = partitioner.propose_partitions()
    named = [[node.name for node in part.nodes] for part in found]
    fused = partitioner.fuse_partitions(found)
    inner = [getattr(fused, name).code for name, _ in fused.named_children()]
    return named, fused.code, inner


@case
def parts_that_can_be_run_become_modules(torch):
    def branches(a, b):
        c = a + b
        return c.relu() + c, c + 1

    def chain(a, b):
        return (a + b + 1).relu() + 2 + a

    def apart(a, b, c):
        return a + 1, b + 1, c + 1

    def around(a, b):
        c = a + 1
        return c + b.relu(), (c.relu() + c).relu() + c

    one = {"allows_single_node_partition": True}
    return [_parts(torch, fn, **one) for fn in (branches, chain, apart, around)] + [_parts(torch, around)]


@case
def chosen_nodes_become_a_module(torch):
    fusing = _passes(torch, "utils.fuser_utils")

    def fn(a, b):
        c = a + b
        d = c.relu()
        return d + c, c * 2

    def nodes(gm, *names):
        return [node for node in gm.graph.nodes if node.name in names]

    seen = []
    for names in (("add", "relu"), ("add", "mul"), ("relu", "add_1")):
        gm = torch.fx.symbolic_trace(fn)
        fusing.fuse_by_partitions(gm, [dict.fromkeys(nodes(gm, *names))])
        seen.append((gm.code, gm.fused_0.code))
    gm = torch.fx.symbolic_trace(fn)
    return seen, [fusing.validate_partition(nodes(gm, *names)) for names in (("add", "add_1"), ("add", "relu"))]


@case
def equal_nodes_are_computed_once(torch):
    cse = _passes(torch, "dialect.common.cse_pass")

    def fn(x):
        twice = torch.cat([x, x]).sum() + torch.cat([x, x]).sum()
        return x.sin() + x.sin() + torch.add(x, 1) + torch.add(x, 2) + twice

    found = cse.CSEPass()(torch.fx.symbolic_trace(fn))
    aten = torch.ops.aten
    banned = cse.get_CSE_banned_ops()
    return found.modified, found.graph_module.code, aten.dropout in banned, aten.add_ in banned, aten.add in banned


@case
def operators_of_torch_ops_are_nodes(torch):
    aten = torch.ops.aten
    fns = [
        lambda x: aten.add(x, 1), lambda x: aten.add.Tensor(x, 1), lambda x: aten.permute(x, [0]),
        lambda x: aten.std_mean(x)[0], lambda x: aten.mm.default(x, x),
    ]  # fmt: skip
    return [torch.fx.symbolic_trace(fn).code for fn in fns]


@case
def custom_operators_are_nodes(torch):
    def double(x):
        return x * 2

    double.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    double = torch.library.custom_op("fx_cases::double", double, mutates_args=())
    space = torch.ops.fx_cases
    traced = [torch.fx.symbolic_trace(fn) for fn in (
        lambda x: double(x), lambda x: space.double(x), lambda x: space.double.default(x),
    )]  # fmt: skip
    return [(gm.code, gm(torch.ones(2)).tolist()) for gm in traced]
