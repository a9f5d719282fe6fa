"""requires_grad, a loss, backward, and the gradient."""
# ruff: noqa: F821

p = torch.tensor([0.5], requires_grad=True)
print(f"Learnable Pixel Value 'p': {p}")

target_brightness = 0.8
brightness_penalty = (p - target_brightness) ** 2
print(f"Brightness Penalty: {brightness_penalty}")
print(brightness_penalty.requires_grad, brightness_penalty.grad_fn)
print(brightness_penalty.grad_fn.next_functions[0][0].next_functions)

print("\nCalculating gradients with penalty.backward()...")
brightness_penalty.backward()
p_gradient = p.grad
print(f"Gradient of penalty w.r.t. p (dp/d_penalty) at p=0.5: {p_gradient}")

with torch.no_grad():
    p -= 0.5 * p.grad
print(p, p.is_leaf, (p - target_brightness).abs().item() < 1e-6)
