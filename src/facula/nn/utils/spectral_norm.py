"""Spectral normalization (Miyato et al. 2018) by a hook. Newer: ``parametrizations.spectral_norm``."""

from __future__ import annotations

from typing import Any, TypeVar

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..modules.module import Module
from ..parameter import Parameter, is_lazy
from ._tensor_hooks import hooks_for, power_iteration_, take_away, unit_vector

T_module = TypeVar("T_module", bound=Module)


class SpectralNorm:
    """Divides the weight by its largest singular value, which power iteration follows, before each call."""

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The dimension ``dim`` against all others."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            power_iteration_([(matrix.t(), u, v), (matrix, v, u)], self.n_power_iterations, self.eps)
            # the buffers change at the next call, but backward needs them as they are now
            u, v = u.detach().clone(), v.detach().clone()
        normed: Tensor = weight / u.dot(matrix.mv(v))
        return normed

    @no_grad()
    def remove(self, module: Module) -> None:
        """Make the weight a parameter of its own again."""
        whole = Parameter(self.compute_weight(module, do_power_iteration=False).detach())
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, whole)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat: Tensor, u: Tensor, target_sigma: Tensor) -> Tensor:
        """The v for which u · W · v is the given singular value, for states saved without v."""
        rows = weight_mat.t()
        least_squares: Tensor = (rows.mm(weight_mat).pinverse() @ rows).mv(u)
        return least_squares * (target_sigma / u.dot(weight_mat.mv(least_squares)))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        if hooks_for(module, SpectralNorm, name):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        setattr(module, name, weight.data)  # not a parameter: it is computed at each call
        for end, size in zip(("_u", "_v"), hook.reshape_weight_to_matrix(weight.detach()).shape):
            module.register_buffer(name + end, unit_vector(weight.detach(), size, eps))
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Brings states of older versions up to date."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        fn = self.fn
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + fn.name
        if version is None and all(key + end in state_dict for end in ("_orig", "_u", "_v")) and key not in state_dict:
            return
        absent = False
        for end in ("_orig", "", "_u"):
            if key + end not in state_dict:
                absent = True
                if strict:
                    missing_keys.append(key + end)
        if absent:
            return
        with no_grad():
            original, weight, u = (state_dict[key + end] for end in ("_orig", "", "_u"))
            del state_dict[key]
            sigma = (original / weight).mean()
            state_dict[key + "_v"] = fn._solve_v_and_rescale(fn.reshape_weight_to_matrix(original), u, sigma)


class SpectralNormStateDictHook:
    """Notes the version in the state."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: T_module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> T_module:
    """Keep the largest singular value of a parameter at 1."""
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


def default_dim(module: Module) -> int:
    """The dimension of output channels."""
    from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d  # loaded when first used

    return int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))


def remove_spectral_norm(module: T_module, name: str = "weight") -> T_module:
    """Undo ``spectral_norm``."""
    take_away(module, SpectralNorm, name, f"spectral_norm of '{name}' not found in {module}")
    for hooks, kind in (
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        for key, hook in list(hooks.items()):
            if isinstance(hook, kind) and hook.fn.name == name:
                del hooks[key]
    return module
