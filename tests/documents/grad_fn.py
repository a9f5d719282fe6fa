"""grad_fn, leaves, next_functions, a Function of one's own, printing the graph, hooks, in-place changes."""
# ruff: noqa: F821

x = torch.tensor([2.0], requires_grad=True)
y = x**2
z = y + 3
print(f"x.grad_fn: {x.grad_fn}")
print(f"y.grad_fn: {y.grad_fn}")
print(f"z.grad_fn: {z.grad_fn}")
print(x.is_leaf, x.grad_fn)

y = x * 2
print(y.is_leaf, y.grad_fn)

z = y + 3
print(z.grad_fn)
print(z.grad_fn.next_functions)
print(z.grad_fn(torch.tensor([1.0])))


class MySquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x


x = torch.tensor([2.0], requires_grad=True)
y = MySquare.apply(x)
print(y)
print(y.grad_fn)
print(type(y.grad_fn).__name__, y.grad_fn._forward_cls is MySquare, y.grad_fn.saved_tensors)
y.backward()
print(x.grad)


def print_graph(node, indent=0):
    print(" " * indent + str(node))
    for next_fn, _ in node.next_functions:
        if next_fn is not None:
            print_graph(next_fn, indent + 2)


x = torch.tensor([2.0], requires_grad=True)
print_graph((x**2 + 3).grad_fn)
print_graph((x * x + (x + 1).exp()).sum().grad_fn)

x = torch.tensor([2.0], requires_grad=True)
y = x * 2
z = y + 3
print(x.requires_grad, y.requires_grad, z.requires_grad)
y.retain_grad()
z.backward()
print(y.grad, x.grad)

x = torch.tensor([2.0], requires_grad=True)
y = x * 2
y += 1
print(y)
y.backward()
print(x.grad)

try:
    x += 1
except RuntimeError as e:
    print(str(e).splitlines()[0])
y = x.exp()
y.add_(1)
try:
    y.backward()
except RuntimeError as e:
    print(str(e).splitlines()[0])


def hook_fn(grad):
    print(f"Gradient: {grad}")


x = torch.tensor([2.0], requires_grad=True)
x.register_hook(hook_fn)
y = x**2
y.backward()


class CompiledFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        ctx.save_for_backward(*args)
        return args[0] * args[1]

    @staticmethod
    def backward(ctx, *grad_outputs):
        a, b = ctx.saved_tensors
        return grad_outputs[0] * b, grad_outputs[0] * a


a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([5.0], requires_grad=True)
output = CompiledFunction.apply(a, b)
print(output.grad_fn, output.grad_fn.next_functions)
output.backward()
print(a.grad, b.grad)

x = torch.tensor([2.0], requires_grad=True)
y = x * 2
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(str(e).splitlines()[0])
z = x + 3
z.backward()
z.backward()
print(x.grad)
