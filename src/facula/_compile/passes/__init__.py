"""Passes: from a captured graph to a plan of steps. Each is a module that can be tested alone."""
