"""Standing in for PyTorch: ``import torch``, ``facula run``, and the names that PyTorch has."""
