"""Which tensors have a grad_fn, and what it leads to."""
# ruff: noqa: F821

p = torch.tensor([0.5], requires_grad=True)
print(f"\nPixel 'p': {p}")
print(f"p.requires_grad: {p.requires_grad}")
print(f"p.grad_fn: {p.grad_fn}")

bright_p = p + 0.2
print(f"\nbright_p = p + 0.2: {bright_p}")
print(f"bright_p.requires_grad: {bright_p.requires_grad}")
print(f"bright_p.grad_fn: {bright_p.grad_fn}")

squared_bright_p = bright_p * bright_p
print(f"\nsquared_bright_p = bright_p * bright_p: {squared_bright_p}")
print(f"squared_bright_p.requires_grad: {squared_bright_p.requires_grad}")
print(f"squared_bright_p.grad_fn: {squared_bright_p.grad_fn}")
print(f"(bright_p**2).grad_fn: {(bright_p**2).grad_fn}")

final_value = squared_bright_p.mean()
print(f"\nfinal_value = squared_bright_p.mean(): {final_value}")
print(f"final_value.requires_grad: {final_value.requires_grad}")
print(f"final_value.grad_fn: {final_value.grad_fn}")
print(f"final_value.grad_fn.next_functions: {final_value.grad_fn.next_functions}")
print(f"two steps on: {final_value.grad_fn.next_functions[0][0].next_functions}")

with torch.no_grad():
    chilled_p = p / 2.0
    print(f"\nInside no_grad: chilled_p = p / 2.0: {chilled_p}")
    print(f"Inside no_grad: chilled_p.requires_grad: {chilled_p.requires_grad}")
    print(f"Inside no_grad: chilled_p.grad_fn: {chilled_p.grad_fn}")
    made_inside = torch.tensor([1.0], requires_grad=True)
    print(f"A leaf made inside no_grad: {made_inside.requires_grad}, {made_inside.is_leaf}")
print(f"A computed tensor that needs no gradient is a leaf: {(torch.tensor([1.0]) * 2).is_leaf}")

final_value.backward()
print(f"p.grad: {p.grad}")
