"""``torch.distributed.algorithms._checkpoint``: modules that compute again what their backward pass needs."""
