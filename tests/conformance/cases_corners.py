"""Corners of the interface that programs lean on without saying so."""

from __future__ import annotations

import functools
from unittest import mock

from .observe import case

# ---- modes and settings


@case
def a_partial_application_is_decorated_like_its_function(torch):
    x = torch.ones(2, requires_grad=True)

    def steps(factor, t):
        yield (t * factor).requires_grad
        yield torch.is_grad_enabled()

    def step(factor, t):
        return (t * factor).requires_grad

    generator, function = functools.partial(steps, 2), functools.partial(functools.partial(step), 3)
    return list(torch.no_grad()(generator)(x)), torch.no_grad()(function)(x), torch.is_grad_enabled()


@case
def settings_of_compiling_are_patched_by_mock(torch):
    import importlib

    config = importlib.import_module(f"{torch.__name__}._dynamo.config")
    with mock.patch.object(config, "suppress_errors", True):
        within = config.suppress_errors
    return within, config.suppress_errors


@case
def layouts_have_names(torch):
    return [str(getattr(torch, name)) for name in ("sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")]
