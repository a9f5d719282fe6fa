"""``torch.ao``: quantized networks, which facula lacks but for the marks in networks that could be."""
