"""Each call of a compiled function: which program is for it, what it runs on, and what becomes of what it gives."""
