"""What grad_fn stands for: chains, detach, several variables, and what cannot be done with it."""
# ruff: noqa: F821

x = torch.tensor([2.0], requires_grad=True)
y = x**2
z = 2 * y
print(f"x.grad_fn: {x.grad_fn}")
print(f"y.grad_fn: {y.grad_fn}")
print(f"z.grad_fn: {z.grad_fn}")
z.backward()
print(f"x.grad: {x.grad}")

x = torch.tensor([3.0], requires_grad=True)
y = x**3
w = y.detach()
z = w + 2
print(f"x.grad_fn: {x.grad_fn}")
print(f"y.grad_fn: {y.grad_fn}")
print(f"w.grad_fn: {w.grad_fn}")
print(f"z.grad_fn: {z.grad_fn}")
try:
    z.backward()
except RuntimeError as e:
    print(str(e).splitlines()[0])
print(f"x.grad: {x.grad}")
print(f"shared memory: {w.data_ptr() == y.data_ptr()}")
before = y._version
w.add_(1)
print(f"shared version counter: {y._version - before}, {y}")
try:
    y.grad_fn = None
except AttributeError:
    print("grad_fn cannot be assigned")
print(isinstance(y.grad_fn, torch.autograd.Function), isinstance(y.grad_fn, torch.autograd.graph.Node))

x = torch.tensor([1.0], requires_grad=True)
y = torch.tensor([2.0], requires_grad=True)
z = x**2 + y**3
print(f"x.grad_fn: {x.grad_fn}")
print(f"y.grad_fn: {y.grad_fn}")
print(f"z.grad_fn: {z.grad_fn}")
z.backward()
print(f"x.grad: {x.grad}")
print(f"y.grad: {y.grad}")

with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([-1.0], requires_grad=True)
    y = x.sqrt()
    try:
        y.backward()
    except RuntimeError as e:
        print(e)
