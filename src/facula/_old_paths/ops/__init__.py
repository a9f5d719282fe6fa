"""Old modules of ``facula.ops``: see ``facula._old_paths``."""
