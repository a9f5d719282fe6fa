"""``torch._subclasses``: fake tensors, which facula does without (the meta device does their work)."""
