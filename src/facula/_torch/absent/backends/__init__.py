"""``torch.backends`` of what is not here; ``facula.backends`` finds these modules."""
