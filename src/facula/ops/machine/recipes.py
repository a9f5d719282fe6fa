"""Recipes of calls: which steps of ``call`` make an operator of some kind, in which order.

A hot call ends in ``_any_state`` wherever something is unusual. Names of the text's own begin with an underscore.
"""

from __future__ import annotations

import numpy as np

from .call import Call


def unary(call: Call) -> None:
    """One elementwise tensor. ``_any_spelling`` takes calls with keywords, subclasses, mistakes."""
    (x,) = call.tensors
    call.say(0, f"def _call({x}=_MISSING, *_rest, **_more):",
                "    global _node_class, _known_code")  # fmt: skip
    call.guard([x], f"_any_spelling(_op, ({x},), _rest, _more, _form)", "_rest", "_more")
    call.promote(f"_any_state(_op, ({x},))")
    call.state(f"_any_state(_op, ({x},))", x)
    call.kernel(1, f"_a_{x}", f"_a_{x}")
    call.lay_out(x)
    call.wrap(1)
    if call.edges(1, [x], [x]):
        call.node(1)
        call.save(1)
        call.place(1, "1")


def binary(call: Call) -> None:
    """Two elementwise tensors, or one and a number. ``_depth``: how many frames up the caller is."""
    x, y = call.tensors
    spelled = f"_any_spelling(_op, ({x}, {y}), (), {{}}, _form)"
    otherwise = f"_any_state(_op, ({x}, {y}), _is_operator)"
    call.say(0, f"def _call({x}, {y}, _depth=1):",
                "    global _node_class, _known_code")  # fmt: skip
    call.guard([x], spelled)
    call.promote(otherwise)
    call.state(otherwise, f"{x}, {y}, _depth + 1")
    call.say(1, f"if _type({y}) is _Tensor or _type({y}) in _PLAIN:",
                f"    _a_{y} = {y}._array",
                f"    if _a_{y}.dtype is not _dt:",
                f"        return {otherwise}",
                "    try:")  # fmt: skip
    call.kernel(3, f"_a_{x}, _a_{y}", f"_a_{x}")
    call.say(2, "except ValueError:",
                f"    raise _shapes_error(_op, {x}, {y}) from None")  # fmt: skip
    if not call.op.lays_out:
        call.say(2, f"if (_n := _result.ndim) > 1 and (not _a_{x}.flags.c_contiguous or _a_{x}.ndim != _n "
                    f"or _n > 2 and _a_{x}.size != _result.size or _a_{x}.base is not None "
                    f"and (_a_{y}.ndim != _n or _a_{y}.size != _result.size or not _a_{y}.flags.c_contiguous)):",
                    f"    _result = _laid_out(_result, _a_{x}, _a_{y})")  # fmt: skip
    call.wrap(2)
    if call.edges(2, [x, y], [x, y]):
        call.node(2, f"None if _a_{x}.shape == _a_{y}.shape else _op._adaptations(_t, ({x}, {y}))")
        call.save(2)
        call.place(2, "_depth")
    if not call.op.numbers:
        call.say(1, f"return {spelled}")
        return
    call.say(1, f"if _type({y}) is not float and _type({y}) is not int:",
                f"    return {spelled}",
                f"_a_{y} = _scalar({y}, _dt)")  # fmt: skip
    call.kernel(1, f"_a_{x}, _a_{y}", f"_a_{x}")
    call.lay_out(x, beside_number=True)
    call.wrap(1)
    if call.edges(1, [x], [x]):
        call.node(1, edges=f"_e_{x}, None")
        call.save(1, {y: f"_a_{y}"})
        call.place(1, "_depth")


def attributed(call: Call) -> None:
    """One elementwise tensor, and attributes, which public functions have put in order."""
    (x,) = call.tensors
    given = ", ".join(call.attributes)
    otherwise = f"_any_state(_op, ({x},), attributes=({given},))"
    call.signature()
    call.guard([x], otherwise)
    call.promote(otherwise)
    call.state(otherwise, f"{x}, {given}")
    call.say(1, "try:")
    call.kernel(2, f"_a_{x}, {given}", f"_a_{x}")
    call.say(1, "except TypeError:",  # a complex number beside a real tensor
                f"    return {otherwise}",
                "if _result.dtype is not _dt:",
                f"    return {otherwise}")  # fmt: skip
    call.lay_out(x)
    call.wrap(1)
    if call.edges(1, [x], [x]):
        call.node(1)
        call.save(1)
        call.place(1)


def plain(call: Call) -> None:
    """Any number of tensors and attributes; one output, or several of which the first is differentiable."""
    op, given = call.op, ", ".join([*call.tensors, *call.attributes])
    call.optional = len(call.tensors) > 1 and all(slot.is_tensor or slot.attribute >= 0 for slot in op.slots)
    call.signature()
    call.guard(call.tensors, f"_any_state({given})", *[f"_unusual_in({name})" for name in op.lists])
    call.arrays(call.tensors, f"_any_state({given})")
    call.state(f"_any_state({given})", given)
    call.kernel(1, ", ".join([*[f"_a_{x}" for x in call.tensors], *call.attributes]))
    several = op.outputs != 1
    if several:
        call.say(1, "_outs = []",
                    "for _result in _result:")  # fmt: skip
    call.wrap(1 + several)
    if several:
        call.say(2, "_t._node = _t._meta = None",
                    "_outs.append(_t)")  # fmt: skip
        call.say(1, "_t = _outs[0]")
    done = "_outs" if several else "_t"
    if call.edges(1, call.differentiable, call.tensors, done, "_t._array.dtype.kind in 'fcV'"):
        half = "" if op.kind == "elementwise" else " if _t._array.dtype.itemsize == 2 else None"
        call.node(1, f"_op._adaptations(_t, ({', '.join(call.tensors)},)){half}")
        call.save(1, outs="_outs" if several else "(_t,)")
        if several:
            call.say(1, "for _x in _outs:",
                        "    if _x._array.dtype.kind == 'i':",
                        f"        _x._meta = _cut_of(({', '.join(call.tensors)},), _op)")  # fmt: skip
        call.place(1, done=done)


def view(call: Call) -> None:
    """One tensor whose result, or each of whose results, shows the same memory."""
    op, given = call.op, ", ".join(["input", *call.attributes])
    several = op.outputs != 1
    call.signature()
    call.guard(["input"], f"_any_state({given})")
    call.arrays(["input"], f"_any_state({given})")
    call.state(f"_any_state({given})", given)
    call.say(1, f"_result = _kernel({', '.join(['_a_input', *call.attributes])})",
                "_above = input._meta",
                "_counter = input._counter",
                "if _counter is None:",
                "    _counter = input._counter = input._new_counter()",
                "_node = _cut = None",
                "if not _recording:",
                "    _cut = _cut_of((input,), _op)",
                "else:",
                "    if _above is None:",
                "        _e_input = input._node",
                "    else:",
                "        _e_input = input._edge()",
                "        _cut = _above.cut",
                "    if _e_input is not None:")  # fmt: skip
    call.node(3)
    call.save(3)
    if several:
        call.say(3, "_node.count = len(_result)")
    call.place(3, done="")
    depth = 1 + several
    if several:
        call.say(1, "_outs = []",
                    "for _result in _result:")  # fmt: skip
    call.say(depth, "_t = _new(_Tensor)",
                    "_t._array = _result",
                    "_t._node = _node",
                    "_t._counter = _counter",
                    "_t._meta = _meta = _AutogradMeta()",
                    "if _above is None:",
                    "    _meta.base = input",
                    "elif _above.inference or _above.replay is not None:",
                    f"    _mark_view(_t, input, multi={several})",
                    "elif _above.base is None:",
                    "    _meta.base = input",
                    "else:",
                    "    _meta.base = _above.base",
                    "    if _above.creation:",
                    "        _meta.creation = _above.creation",
                    "if _counter[0]:",
                    "    _meta.attr_version = _counter[0]",
                    "if _cut is not None:",
                    "    _meta.cut = _cut",
                    "if not _recording:",
                    "    if _meta.creation != _INFERENCE:",
                    "        _meta.creation = _NO_GRAD")  # fmt: skip
    if not several:
        call.say(1, "return _t")
        return
    call.say(2, "elif _meta.creation != _INFERENCE:",
                "    _meta.creation = _MULTI_OUTPUT",
                "if _outs and _node is not None:",
                "    _meta.output_nr = len(_outs)",
                "_outs.append(_t)")  # fmt: skip
    call.say(1, "return _outs")


def joined(call: Call) -> None:
    """A list of tensors, and attributes."""
    given = ", ".join(["tensors", *call.attributes])
    call.signature()
    call.state(f"_any_state({given})", given)
    call.say(1, "_arrays = []",
                "_edges = []",
                "_live = _bare = False",
                "for _x in tensors:",
                "    if _type(_x) not in _PLAIN or _type(_x._array) is not _ndarray:",
                f"        return _any_state({given})",
                "    _arrays.append(_x._array)",
                "    _e_x = _x._node",
                "    if _x._meta is not None:",
                "        _bare = True",
                "        if _recording:",
                "            _e_x = _x._edge()",
                "    _edges.append(_e_x)",
                "    if _e_x is not None:",
                "        _live = True")  # fmt: skip
    call.kernel(1, ", ".join(["_arrays", *call.attributes]))
    call.wrap(1)
    call.say(1, "if not _recording or not _live or _t._array.dtype.kind not in 'fcV':",
                "    _t._node = None",
                "    _t._meta = _cut_of(tensors, _op) if _live or _bare else None",
                "    return _t",
                "_t._meta = None")  # fmt: skip
    call.node(1, "None", "*_edges")
    call.save(1, outs="(_t,)")
    call.place(1)


def write(call: Call) -> None:
    """Write the result into the first tensor, as optimizers do: dense float tensors, and nothing to record."""
    op, (x, *others) = call.op, call.tensors
    rest = [*others, *call.attributes]
    otherwise = f"_any_state({x}, *_args)"
    call.say(0, f"def _call({x}, *_args, **_more):")
    call.guard([x], f"_any_state({x}, *_args, **_more)", "_more", f"len(_args) != {len(rest)}")
    call.promote(otherwise)
    call.state(otherwise, f"{x}, *_args")
    call.say(1, *[f"{', '.join(rest)}, = _args"] * bool(rest),
                f"if not _a_{x}.flags.c_contiguous or {call.to_record(x)}:",
                f"    return {otherwise}")  # fmt: skip
    for other in others:
        number = f"_type({other}) is float or _type({other}) is int" if op.numbers else "False"
        call.say(1, f"if {number}:",
                    f"    _a_{other} = _scalar({other}, _dt)",
                    f"elif _type({other}) in _PLAIN:",
                    f"    _a_{other} = {other}._array",
                    f"    if _a_{other}.dtype is not _dt or {call.to_record(other)} or (",
                    f"        _a_{other}.ndim and (_a_{other}.shape != _a_{x}.shape or not (",
                    f"        _a_{x}.base is None and _a_{other}.base is None or _is_apart(_a_{x}, _a_{other})))):",
                    f"        return {otherwise}",
                    "else:",
                    f"    return {otherwise}")  # fmt: skip
    given = ", ".join([*[f"_a_{name}" for name in call.tensors], *call.attributes])
    call.say(1, "try:")
    if isinstance(op.kernel, np.ufunc):
        depth = call.natively(2, given.split(", "))
        call.numpy_kernel(depth, f"{given}, _a_{x}", in_place=True)
        if depth > 2:
            call.say(2, "else:",
                        f"    _a_{x}[...] = _result")  # fmt: skip
    elif op.write is not None:
        call.say(2, f"_op.write({given})")
    else:
        call.kernel(2, given)
        call.say(2, f"if _result.dtype is not _dt or _result.shape != _a_{x}.shape:",
                    f"    return {otherwise}",
                    f"_a_{x}[...] = _result")  # fmt: skip
    call.say(1, "except (ValueError, TypeError):",  # shapes that do not fit, a complex number
                f"    return {otherwise}",
                f"{x}._bump_version()",
                f"return {x}")  # fmt: skip


def through(call: Call) -> None:
    """Several differentiable outputs, or as many arguments as one likes: always the general way."""
    call.say(0, "def _call(*_given):",
                "    return _any_state(*_given)")  # fmt: skip


def record(call: Call) -> None:
    """The node of a call, in whatever state.

    ``_outs`` is None if there is no output yet (NOTE [in-place order]); ``_like`` then has its shape and dtype.
    """
    op = call.op
    call.packed = "_SavedList({})"
    call.say(0, "def _call(_outs, tensors, _attributes, _edges, _like):",
                "    global _node_class, _known_code")  # fmt: skip
    if not op.variadic:
        call.say(1, f"{', '.join(call.tensors)}, = tensors",
                    f"{', '.join([f'_e_{x}' for x in call.differentiable])}, = _edges")  # fmt: skip
        for slot in op.slots:
            base, _, what = slot.name.rpartition("_")
            if what and base in call.tensors and slot.name not in call.attributes:
                call.say(1, f"_a_{base} = {base}._array if isinstance({base}, _Tensor) else _asarray({base})")
    if call.attributes:
        call.say(1, f"{', '.join(call.attributes)}, = _attributes")
    first = "(_outs[0] if _outs else None) if _like is None else _like"
    adapted = "_op._adaptations(_like, tensors)"
    if op.variadic:
        adapted = "None"
    elif op.kind == "elementwise":
        adapted = f"None if _like is None else {adapted}"
    else:
        adapted = f"{adapted} if _like is not None and _like._array.dtype.itemsize == 2 else None"
    call.say(1, f"_like = {first}")
    call.node(1, adapted, "*_edges")
    values = [call.kept(slot, {}, f"None if _outs is None else _outs[{slot.index}]") for slot in op.slots]
    if values:
        call.say(1, f"_node.saved, _node.versions = _pack([{', '.join(values)}], _op.slots, _node)")
    else:
        call.say(1, "_node.saved = _EMPTY",
                    "_node.versions = None")  # fmt: skip
    if op.multi:
        call.say(1, f"_node.count = {op.in_graph or 'len(_outs)'}")
    call.say(1, "_node.code, _node.instruction = _place(3)",
                "_node.seq = _number()",
                "if _state.anomaly:",
                "    _remember(_node)",
                "return _node")  # fmt: skip
