"""facula beside PyTorch: the same workloads, in one run, as ratios. ``python -m benchmarks --help``."""
