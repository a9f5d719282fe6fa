"""Modules whose names stand in pickles that earlier versions wrote: they lead to where things are now.

``facula/__init__.py`` and ``facula/ops/__init__.py`` look here for modules that they have no file of. Pickles that are
written today name public modules (``facula.Size``) as PyTorch's do.
"""
