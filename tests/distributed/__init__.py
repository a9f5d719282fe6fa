"""Several processes, over MPI and, beside it, over PyTorch's gloo. Skipped where MPI is not installed."""
