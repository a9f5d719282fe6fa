"""Arrays as images: windows that slide over them, convolutions, weights of neighbours."""
