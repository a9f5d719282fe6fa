"""PyTorch's own test files, which the user supplies, run on PyTorch and on facula. See README.md."""
