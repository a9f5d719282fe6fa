"""``torch._dynamo.backends.registry``."""

from facula._dynamo import list_backends, lookup_backend, register_backend

__all__ = ["list_backends", "lookup_backend", "register_backend"]
