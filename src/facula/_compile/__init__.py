"""``compile()``: capture, derive, fuse, emit, run."""
