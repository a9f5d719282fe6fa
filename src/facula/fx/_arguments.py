"""Programs whose arguments are nested containers: what is inside becomes the placeholders."""

from __future__ import annotations

from typing import Any

from ..utils._pytree import TreeSpec, tree_flatten, tree_unflatten
from ._codegen import CodeGen


class PHBase:
    """Stands, in a nested argument, for what is not known while tracing."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PyTreeCodeGen(CodeGen):
    """Code that takes arguments apart first, and puts the result together at the end."""

    def __init__(self, names: list[str], in_spec: TreeSpec) -> None:
        super().__init__()
        self.names = names
        self.in_spec = in_spec
        self.out_spec: TreeSpec | None = None

    def process_inputs(self, *args: Any) -> Any:
        return tree_flatten(list(args))[0]

    def process_outputs(self, outputs: Any) -> Any:
        return outputs if self.out_spec is None else tree_unflatten(list(outputs), self.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        leaves = [name.split(":")[0].split("=")[0].strip() for name in free_vars]
        head = super().gen_fn_def(list(self.names), maybe_return_annotation, expanded_def=expanded_def)
        if not leaves:
            return head
        taken_apart = f"fx_pytree.tree_flatten_spec([{', '.join(self.names)}], self._in_spec)"
        return f"{head}\n    {', '.join(leaves)}, = {taken_apart}"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Any = None) -> str:
        shown = (repr_fn or repr)(output_args)
        return f"return pytree.tree_unflatten({shown}, self._out_spec)" if self.out_spec else f"return {shown}"
