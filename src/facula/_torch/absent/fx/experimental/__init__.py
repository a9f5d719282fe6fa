"""``torch.fx.experimental``: see ``torch.fx``."""
