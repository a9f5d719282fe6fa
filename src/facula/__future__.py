"""PyTorch's ``torch.__future__``: how conversions of modules treat their parameters."""

_overwrites = False
_swaps = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Have conversions (``module.double()``) put new parameters in the place of the old ones."""
    global _overwrites
    _overwrites = value


def get_overwrite_module_params_on_conversion() -> bool:
    return _overwrites


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Have conversions and ``load_state_dict`` exchange what parameters hold, so that each stays the same object."""
    global _swaps
    _swaps = value


def get_swap_module_params_on_conversion() -> bool:
    return _swaps
