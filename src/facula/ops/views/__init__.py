"""Other shapes and parts over the same memory."""
