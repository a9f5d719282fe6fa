"""Tensors made from nothing, from data and from chance, and given back."""
