"""Reading and writing at places given by tensors."""
