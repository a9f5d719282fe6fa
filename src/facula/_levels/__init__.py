"""Tensors that stand for others, one level per transform: duals of forward mode, batches of ``vmap``."""
