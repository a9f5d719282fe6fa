"""A program that draws the graph, in the way of torchviz: next_functions, variable, saved tensors, views, bases."""
# ruff: noqa: F821


def make_dot(var, params):
    """Lines of DOT for the graph of ``var``; nodes are numbered in the order in which they are met."""
    names = {id(v): k for k, v in params.items()}
    numbers, seen, lines = {}, set(), []

    def number(obj):
        return numbers.setdefault(id(obj), len(numbers))

    def size_to_str(size):
        return "(" + ", ".join(f"{v}" for v in size) + ")"

    def var_name(v, name=None):
        return f"{name or names.get(id(v), '')} {size_to_str(v.size())}"

    kept = []

    def add_nodes(fn):
        if torch.is_tensor(fn) or fn in seen:
            return
        seen.add(fn)
        for attr in sorted(dir(fn)):
            if not attr.startswith("_saved_"):
                continue
            val = getattr(fn, attr)
            kept.append(val)
            name = attr[len("_saved_") :]
            if torch.is_tensor(val):
                lines.append(f"{number(fn)} -- saved {name} {size_to_str(val.size())}")
            elif isinstance(val, tuple):
                for i, t in enumerate(val):
                    if torch.is_tensor(t):
                        lines.append(f"{number(fn)} -- saved {name}[{i}] {size_to_str(t.size())}")
        if hasattr(fn, "variable"):
            lines.append(f"{number(fn)} <- leaf {var_name(fn.variable)}")
        lines.append(f"{number(fn)} is {type(fn).__name__}")
        if hasattr(fn, "next_functions"):
            for u in fn.next_functions:
                if u[0] is not None:
                    lines.append(f"{number(u[0])} -> {number(fn)}")
                    add_nodes(u[0])
        if hasattr(fn, "saved_tensors"):
            for t in fn.saved_tensors:
                kept.append(t)
                lines.append(f"{number(fn)} -- saved_tensors {var_name(t)}")

    def add_base_tensor(v):
        kept.append(v)
        if v.grad_fn:
            add_nodes(v.grad_fn)
            lines.append(f"{number(v.grad_fn)} -> output {var_name(v)}")
        if v._is_view():
            lines.append(f"output is a view of {var_name(v._base)}")
            add_base_tensor(v._base)

    add_base_tensor(var)
    return "\n".join(lines)


x = torch.tensor([2.0], requires_grad=True)
y = x**2
z = y + 3
print(make_dot(z, params={"x": x}))
print()

w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
h = torch.tanh(torch.tensor([[0.5, -0.5]]) @ w)
print(make_dot((h * h).sum() + w.exp().mean(), params={"w": w}))
print()


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g, None


print(make_dot(Scale.apply(w, 3).view(4)[1:], params={"w": w}))
