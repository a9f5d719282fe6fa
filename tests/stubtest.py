"""mypy's stubtest over the stubs that ``tests.stubs`` writes: what they say, and what is there when facula runs.

``python -m tests.stubtest`` prints what differs without being allowed, and the allowances that nothing needs.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

LEGACY = r"facula\.(?:\w*Storage|\w+Tensor)"

ALLOWED = {
    r'.* does not have parameter "out"': "what wraps a function takes out=, which its own signature does not show",
    r'.* stub parameter "self" differs from runtime .*': "a method is the function, which calls the tensor input",
    r'.*\.(?:min|max) is .* "(?:keepdim|other)".*': "overloads: a dimension, or another tensor",
    r".* has a default value of type facula\._core\.missing\.Missing.*": "nothing given: no value that users write",
    r'.*\.__(?:add|radd|sub)__ .* "alpha"': "operators are the functions, but Python gives them two operands",
    rf"{LEGACY} is inconsistent, metaclass differs": "isinstance() with the old classes goes by dtype",
    rf"{LEGACY}\.__init__ .*": "the old classes take sizes, sequences or tensors, and make tensors of the new one",
    rf"{LEGACY}\.from_buffer .*": "a static method of the old classes, a class method of their base",
}
"""What may differ, and why."""


def differences() -> Iterator[str]:
    """What stubtest says, a line for each."""
    from mypy import nodes, stubtest
    from mypy.options import Options

    from .stubs import MODULES, SOURCE

    options = Options()
    options.incremental = False
    options.ignore_errors = options.ignore_missing_imports = True
    options.follow_imports = "silent"
    options.mypy_path = [str(SOURCE)]
    stubtest.build_stubs([*MODULES, "facula._tensor"], options)
    tensor: Any = stubtest.get_stub("facula._tensor")
    cls: nodes.TypeInfo = tensor.names["Tensor"].node

    import facula

    found = [error for module in MODULES for error in stubtest.test_module(module)]
    for error in [*found, *stubtest.verify(cls, facula.Tensor, ["facula", "Tensor"])]:
        if not error.is_missing_stub():
            yield error.get_description(concise=True).strip()


def verdict() -> list[str]:
    """What is wrong with the stubs, or with the allowances."""
    found = list(differences())
    wrong = [line for line in found if not any(re.fullmatch(allowed, line) for allowed in ALLOWED)]
    unused = [allowed for allowed in ALLOWED if not any(re.fullmatch(allowed, line) for line in found)]
    return [*wrong, *[f"allowed, but nothing differs so: {allowed}" for allowed in unused]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    said = verdict()
    print(*said, sep="\n", end="\n" if said else "")
    sys.exit(bool(said))
