"""PyTorch's modules that have no work here: they answer "no", do nothing, or refuse.

``facula/__init__.py`` adds this folder to where its modules are looked for, so that ``facula.mps`` (``torch.mps`` under
``facula run``) is ``mps.py`` here; ``facula/backends/__init__.py`` does so with ``backends``. A module is known by
that name alone, never as ``facula._torch.absent.mps``, and imports what it needs of facula absolutely.

What one of them comes to do for real moves to its place under ``facula/``.
"""
