"""The first call of a function, run and written down."""
