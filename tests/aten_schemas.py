"""Write ``src/facula/ops/aten_schemas.txt``: ``python -m tests.aten_schemas``, where PyTorch is installed.

It has the signatures of PyTorch's operators that facula has under the same name: what graphs of exported programs say.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "src" / "facula" / "ops" / "aten_schemas.txt"
LEFT_OUT = re.compile(
    r"\.\.\.|prim_|hacked_twin|Dimname|\(\w!\) (?!self)|^_(?!conj\(|neg_view)|Stream|__torch__|"
    r"Generator\? generator,|->.*\bt\b"
)


def schemas(torch: Any) -> list[str]:
    """The signatures, sorted."""
    from facula.ops import aten

    found = []
    for schema in torch._C._jit_get_all_schemas():
        text = str(schema).removeprefix("aten::").replace("(a -> *)", "(a)")
        name = text.partition("(")[0].partition(".")[0]
        if schema.name.startswith("aten::") and "Tensor" in text and not LEFT_OUT.search(text):
            try:
                getattr(aten, name)
            except AttributeError:
                continue
            found.append(text)
    return sorted(set(found), key=lambda text: text.partition("(")[0])


if __name__ == "__main__":
    import torch

    FILE.write_text("\n".join(schemas(torch)) + "\n")
