"""Kernels on arrays: NumPy alone, no Tensor and no primitive."""
