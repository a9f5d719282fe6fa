"""The operators, a file a family."""
