"""Random programs, run on facula and on PyTorch (or, without PyTorch, on facula in several ways): see README.md."""
