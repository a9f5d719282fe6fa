"""Parts of ``torch.utils.benchmark``."""
