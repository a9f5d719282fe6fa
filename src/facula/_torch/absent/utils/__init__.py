"""``torch.utils`` of what is not here; ``facula.utils`` finds these modules."""
