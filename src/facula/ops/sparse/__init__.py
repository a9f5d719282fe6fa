"""Sparse tensors (COO): elements at places that are listed, zeros everywhere else."""
