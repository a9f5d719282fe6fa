"""Operators whose kernels are in the native library."""
