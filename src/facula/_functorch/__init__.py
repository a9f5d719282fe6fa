"""``torch._functorch``: where PyTorch keeps its transforms, for programs that reach into it."""
