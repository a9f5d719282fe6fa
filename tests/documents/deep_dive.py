"""The graph, backward, accumulation, no_grad, detach, requires_grad_, higher-order gradients."""
# ruff: noqa: F821

print("--- Part 1: The Dynamic Computation Graph ---")
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b * 2
e = c * d
print(f"Tensor a: value={a.item()}, requires_grad={a.requires_grad}, is_leaf={a.is_leaf}")
print(f"Tensor b: value={b.item()}, requires_grad={b.requires_grad}, is_leaf={b.is_leaf}")
print(f"Tensor c: value={c.item()}, grad_fn=<{c.grad_fn.__class__.__name__}>, is_leaf={c.is_leaf}")
print(f"Tensor d: value={d.item()}, grad_fn=<{d.grad_fn.__class__.__name__}>, is_leaf={d.is_leaf}")
print(f"Tensor e: value={e.item()}, grad_fn=<{e.grad_fn.__class__.__name__}>, is_leaf={e.is_leaf}")

e.backward()
print("\n--- Part 2: The Backward Pass ---")
print(f"Gradient of e with respect to a (de/da): {a.grad}")
print(f"Gradient of e with respect to b (de/db): {b.grad}")
print(f"Gradient of c: {c.grad}")

v = torch.tensor([[1.0, 2.0]], requires_grad=True)
(v * v).backward(gradient=torch.tensor([[1.0, 10.0]]))
print(v.grad)
try:
    (v * v).backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(1, 3)
print(model)
print([(name, list(p.shape), p.requires_grad, p.is_leaf) for name, p in model.named_parameters()])

optimizer.zero_grad()
output1 = model(x)
print(type(output1.grad_fn).__name__, list(output1.shape))
output1.backward()
print("\n--- Gradient Accumulation Demo ---")
print(f"Bias gradient after first pass:\n{model.bias.grad.clone()}")
print(torch.equal(model.weight.grad, x))

output2 = model(x)
output2.backward()
print(f"Bias gradient after second pass (WITHOUT zero_grad):\n{model.bias.grad}")
print(torch.equal(model.weight.grad, x * 2))

optimizer.zero_grad()
print(model.bias.grad)
output3 = model(x)
output3.backward()
print(f"Bias gradient after third pass (WITH zero_grad):\n{model.bias.grad}")
before = model.bias.detach().clone()
optimizer.step()
print(torch.allclose(before - model.bias.detach(), torch.tensor([0.01]), atol=1e-6))

print("\n--- Part 3: Controlling Gradients ---")
x = torch.randn(2, 2, requires_grad=True)
print(f"x.requires_grad before no_grad block: {x.requires_grad}")
with torch.no_grad():
    y = x * 2
    print(f"  - y.requires_grad: {y.requires_grad}")
    print(f"  - y.grad_fn: {y.grad_fn}")
print(f"x.requires_grad after no_grad block: {x.requires_grad}")

x = torch.randn(3, requires_grad=True)
y = x * 2
z = y.detach()
print("\n--- .detach() Demo ---")
print(f"y.requires_grad: {y.requires_grad}")
print(f"z.requires_grad: {z.requires_grad}")
z.add_(1)
print(torch.equal(y, z), torch.allclose(y, x * 2 + 1))

a = torch.randn(2, 2)
print("\n--- requires_grad_() Demo ---")
print(f"a.requires_grad initially: {a.requires_grad}")
a.requires_grad_(True)
print(f"a.requires_grad after in-place change: {a.requires_grad}")

autograd = torch.autograd
print("\n--- Part 4: Higher-Order Gradients ---")
x = torch.tensor(3.0, requires_grad=True)
y = x**3
first_grad = autograd.grad(y, x, create_graph=True)
print(f"First derivative (dy/dx) at x=3: {first_grad[0]}")
second_grad = autograd.grad(first_grad[0], x)
print(f"Second derivative (d^2y/dx^2) at x=3: {second_grad[0]}")
print(torch.tensor(5.0).grad_fn)
