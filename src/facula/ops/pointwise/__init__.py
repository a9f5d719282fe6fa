"""Operators on one element at a time."""
