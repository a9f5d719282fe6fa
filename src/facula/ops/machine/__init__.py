"""The mechanism: how a kernel and its rules become an operator. It knows no family."""
