"""Distributions made of distributions: of independent ones, of transformed ones, of mixed ones."""

from __future__ import annotations

import math
from typing import Any

import facula

from .._core.size import Size
from . import constraints
from ._formulas import answer, done_by, formula, quantity, same_as
from ._transform import ComposeTransform, Transform, log_stretches, way_back, way_of, widened
from .distribution import Distribution, distribution
from .utils import _sum_rightmost, broadcastable


@distribution("independent", parts="base_dist", kept="reinterpreted_batch_ndims")
class Independent(Distribution):
    """A distribution whose last ``reinterpreted_batch_ndims`` batch dimensions make up one event."""

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch_dims = len(base_distribution.batch_shape)
        if batch_dims < reinterpreted_batch_ndims:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {batch_dims}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        shape, kept = base_distribution._extended_shape(), batch_dims - reinterpreted_batch_ndims
        super().__init__(shape[:kept], shape[kept:], validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        base, more = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(base, more) if more else base

    has_rsample, mean, mode, variance = same_as("base_dist", "has_rsample", "mean", "mode", "variance")
    sample, rsample = done_by("base_dist", "sample", "rsample")
    has_enumerate_support = quantity(lambda base_dist, reinterpreted_batch_ndims: (
        reinterpreted_batch_ndims == 0 and base_dist.has_enumerate_support
    ))  # fmt: skip
    log_prob = formula(lambda value, base_dist, reinterpreted_batch_ndims: (
        _sum_rightmost(base_dist.log_prob(value), reinterpreted_batch_ndims)
    ))  # fmt: skip
    entropy = answer(lambda base_dist, reinterpreted_batch_ndims: (
        _sum_rightmost(base_dist.entropy(), reinterpreted_batch_ndims)
    ))  # fmt: skip

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims == 0:
            return self.base_dist.enumerate_support(expand)
        raise NotImplementedError("Enumeration over cartesian product is not implemented")

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


# ---- transformed ones


def _listed(transforms: Any) -> list[Any]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if any(not isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


def _fitted(base: Any, whole: ComposeTransform) -> Any:
    """A distribution of values that a transform can take: with a batch and an event of its sizes."""
    shape, dims = base._extended_shape(), len(base.event_shape)
    needed = whole.domain.event_dim
    if len(shape) < needed:
        raise ValueError(f"base_distribution needs to have shape with size at least {needed}, but got {shape}.")
    broadcast = whole.inverse_shape(whole.forward_shape(shape))
    if broadcast != shape:
        base = base.expand(broadcast[: len(broadcast) - dims])
    return Independent(base, needed - dims) if needed > dims else base


@distribution("transformed_distribution", parts="base_dist", kept="transforms")
class TransformedDistribution(Distribution):
    """The distribution of ``transforms`` applied to values of ``base_distribution``."""

    arg_constraints: Any = {}
    base_dist: Any

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _listed(transforms)
        whole = ComposeTransform(self.transforms)
        self.base_dist = _fitted(base_distribution, whole)
        shape, kept = whole.forward_shape(self.base_dist._extended_shape()), len(self.base_dist.batch_shape)
        super().__init__(shape[:kept], shape[kept:], validate_args)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        return widened(self.transforms[-1].codomain, len(self.event_shape))

    has_rsample = same_as("base_dist", "has_rsample")

    def sample(self, sample_shape: Any = ()) -> Any:
        with facula.no_grad():
            return way_of(self.transforms, self.base_dist.sample(sample_shape))[-1]

    def rsample(self, sample_shape: Any = ()) -> Any:
        return way_of(self.transforms, self.base_dist.rsample(sample_shape))[-1]

    def log_prob(self, value: Any) -> Any:
        """The base's density at what the value comes from, less the stretching on the way."""
        if self._validate_args:
            self._validate_sample(value)
        path = way_back(self.transforms, value)
        density: Any = 0.0
        for stretch in reversed(log_stretches(self.transforms, path, len(self.base_dist.event_shape))):
            density = density - stretch
        return density + self.base_dist.log_prob(path[0])

    def _turned(self, probability: Any) -> Any:
        """A decreasing map turns probabilities below into probabilities above."""
        sign: Any = math.prod((t.sign for t in self.transforms), start=1)
        return probability if isinstance(sign, int) and sign == 1 else 0.5 + sign * (probability - 0.5)

    def cdf(self, value: Any) -> Any:
        origin = way_back(self.transforms, value)[0]
        if self._validate_args:
            self.base_dist._validate_sample(origin)
        return self._turned(self.base_dist.cdf(origin))

    def icdf(self, value: Any) -> Any:
        return way_of(self.transforms, self.base_dist.icdf(self._turned(value)))[-1]


# ---- mixtures


def _demand_components(mixture: Any, component: Any) -> None:
    from ._categories import Categorical  # it imports this module

    if not isinstance(mixture, Categorical):
        raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
    if not isinstance(component, Distribution):
        raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
    mixed, batch = mixture.batch_shape, component.batch_shape[:-1]
    if not broadcastable(mixed, batch):
        raise ValueError(
            f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
            f"`component_distribution.batch_shape`({batch})"
        )
    weights, components = mixture.logits.shape[-1], component.batch_shape[-1]
    if weights != components:
        raise ValueError(
            f"`mixture_distribution component` ({weights}) does not equal "
            f"`component_distribution.batch_shape[-1]` ({components})"
        )


@distribution("mixture_same_family", parts="_mixture_distribution _component_distribution")
class MixtureSameFamily(Distribution):
    """One of the distributions along the last batch dimension, chosen by a categorical distribution."""

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        _demand_components(mixture_distribution, component_distribution)
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        super().__init__(
            component_distribution.batch_shape[:-1], component_distribution.event_shape, validate_args
        )

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = quantity(lambda _mixture_distribution: _mixture_distribution)
    component_distribution = quantity(lambda _component_distribution: _component_distribution)
    _among = quantity(lambda event_shape: -1 - len(event_shape))
    """The dimension of the components, among those of their samples."""

    def _weighted(self, of_components: Any) -> Any:
        """The mean over the components."""
        weights = self.mixture_distribution.probs
        weights = weights.reshape(weights.shape + Size([1] * len(self.event_shape)))
        return (weights * of_components).sum(self._among)

    @property
    def mean(self) -> Any:
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Any:
        """The mean of the components' variances, and the variance of their means."""
        components = self.component_distribution
        distance = components.mean - self.mean.unsqueeze(self._among)
        return self._weighted(components.variance) + self._weighted(distance.square())

    def cdf(self, x: Any) -> Any:
        components = self.component_distribution.cdf(x.unsqueeze(self._among))
        return (components * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Any) -> Any:
        if self._validate_args:
            self._validate_sample(x)
        each = self.component_distribution.log_prob(x.unsqueeze(self._among))
        return (each + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with facula.no_grad():
            chosen = self.mixture_distribution.expand(self.batch_shape).sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            dim = samples.dim() + self._among
            chosen = chosen.reshape((*chosen.shape, *[1] * (samples.dim() - chosen.dim())))
            return samples.take_along_dim(chosen, dim).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
