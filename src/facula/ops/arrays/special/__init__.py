"""Functions that NumPy lacks, or computes slowly."""
