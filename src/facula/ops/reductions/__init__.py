"""Sums and their kin, running ones, sorting and counting."""
