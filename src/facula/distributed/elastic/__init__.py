"""``torch.distributed.elastic``: only what programs wrap their main function in."""
