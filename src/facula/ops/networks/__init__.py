"""Layers as operators: norms, attention, recurrent layers."""
