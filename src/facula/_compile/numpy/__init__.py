"""The back end that writes Python over NumPy."""
