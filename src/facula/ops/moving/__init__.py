"""Copies with elements in other places: joined, padded, repeated, rearranged."""
