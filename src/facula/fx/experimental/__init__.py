"""What PyTorch calls experimental: fusing layers, tracing with values."""
