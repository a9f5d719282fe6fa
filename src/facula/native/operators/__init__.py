"""Native kernels as operators call them: each takes what the NumPy kernel takes, and returns the same or None.

The record of an operator names its function here (``native=("rows:softmax", 64)``); see ``ops/machine/native.py``.
"""
