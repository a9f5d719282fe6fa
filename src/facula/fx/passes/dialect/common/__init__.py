"""Passes for any dialect of operators."""
