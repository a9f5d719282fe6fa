"""Decompositions and solutions of matrices."""
