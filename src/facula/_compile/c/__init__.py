"""The back end that writes C."""
