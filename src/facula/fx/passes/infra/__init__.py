"""Passes as objects, and what runs them in order."""
