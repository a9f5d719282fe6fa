"""A redirect for old pickles: see ``facula._old_paths``."""

from facula._core.devices import device

__all__ = ["device"]
