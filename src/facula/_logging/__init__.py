"""``torch._logging``: which messages compiling gives."""

from __future__ import annotations

import functools
import logging
from typing import Any

from facula._compile import logs

__all__ = ["getArtifactLogger", "set_logs", "warning_once"]


def set_logs(*, modules: dict[str, Any] | None = None, **kinds: Any) -> None:
    """Switch messages on, and all others off: ``set_logs(recompiles=True, graph_breaks=True)``.

    The names are PyTorch's. Of whole parts (``dynamo=logging.DEBUG``) the level is given; they have no messages here.
    """
    for name in kinds:
        if name not in logs.ARTIFACTS and name not in logs.MODULES:
            raise TypeError(f"set_logs() got an unexpected keyword argument '{name}'")
    for name, value in {**kinds, **(modules or {})}.items():
        if name in logs.ARTIFACTS and not isinstance(value, bool):
            raise ValueError(f"Expected bool to enable artifact {name}, received {value}")
        if name not in logs.ARTIFACTS and not isinstance(value, int):
            raise ValueError(f"Unrecognized log level for log {name}: {value}")
    logs.choose({name for name, value in kinds.items() if value})


def getArtifactLogger(module_qname: str, artifact_name: str) -> logging.Logger:
    """The logger of a kind of messages."""
    if artifact_name not in logs.ARTIFACTS:
        raise ValueError(
            f"Artifact name: {artifact_name!r} not registered,please call register_artifact({artifact_name!r}) in "
            "torch._logging.registrations."
        )
    return logging.getLogger(f"{module_qname}.__{artifact_name}")


@functools.cache
def warning_once(logger_obj: logging.Logger, *args: Any, **kwargs: Any) -> None:
    """A warning that is given once."""
    logger_obj.warning(*args, **kwargs)
