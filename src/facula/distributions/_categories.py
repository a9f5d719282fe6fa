"""Distributions of categories: which one, as a number or as a vector, sharp or relaxed; and how often each."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from ._formulas import answer, at_value, done_by, drawn, listed, quantity, same_as
from ._trials import Binomial, _Chances, the_chance
from .distribution import Distribution, distribution
from .utils import broadcast_all, clamp_probs, uniform

_OF_VECTORS = {"probs": constraints.simplex, "logits": constraints.real_vector}

_NORMALIZED = {
    "probs": lambda p: p / p.sum(-1, keepdim=True),
    "logits": lambda p: p - p.logsumexp(-1, keepdim=True),
}


def _at_category(value: Any, logits: Any) -> Any:
    """The log-probabilities of numbered categories."""
    place, logits = facula.broadcast_tensors(value.long().unsqueeze(-1), logits)
    return logits.gather(-1, place[..., :1]).squeeze(-1)


def _one_hot(categories: Any, like: Any) -> Any:
    return facula.nn.functional.one_hot(categories, like.shape[-1]).to(like.dtype)


@distribution("categorical")
class Categorical(_Chances):
    """One of the numbers 0 ... K - 1, with probabilities along the last dimension."""

    arg_constraints = _OF_VECTORS
    has_enumerate_support = True
    _is_binary = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        ((name, weights),) = the_chance(probs, logits).items()
        if weights.dim() == 0:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        self._hold(validate_args, **{name: _NORMALIZED[name](weights)})

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    _num_events = quantity(lambda _param: _param.shape[-1])
    mean = quantity(lambda probs, _everywhere: _everywhere(math.nan, probs))
    variance = quantity(lambda probs, _everywhere: _everywhere(math.nan, probs))
    mode = quantity(lambda probs: probs.argmax(-1))
    log_prob = at_value(_at_category)
    entropy = answer(
        lambda probs, logits: -(logits.clamp(min=facula.finfo(logits.dtype).min) * probs).sum(-1)
    )
    enumerate_support = listed(lambda _num_events, _param: facula.arange(_num_events, device=_param.device))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        count = math.prod(sample_shape)
        with facula.no_grad():
            drawn = facula.multinomial(self.probs.reshape(-1, self._num_events), count, replacement=True)
        return drawn.mT.reshape(shape)


class _ByCategorical(Distribution):
    """A distribution of vectors with a number for each category."""

    arg_constraints = _OF_VECTORS

    def _hold_categories(self, validate_args: bool | None, probs: Any, logits: Any) -> None:
        self._categorical = Categorical(probs, logits)
        Distribution.__init__(self, self._categorical.batch_shape, self.param_shape[-1:], validate_args)

    probs, logits, param_shape, _param = same_as("_categorical", "probs", "logits", "param_shape", "_param")
    _new = done_by("_categorical", "_new")


# ---- vectors with a single one


@distribution("one_hot_categorical", parts="_categorical")
class OneHotCategorical(_ByCategorical):
    """A vector with a 1 at one of K places and else zeros."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._hold_categories(validate_args, probs, logits)

    mean = quantity(lambda probs: probs)
    mode = quantity(lambda probs: _one_hot(probs.argmax(-1), probs))
    variance = quantity(lambda probs: probs * (1 - probs))
    log_prob = at_value(lambda value, _categorical: _categorical.log_prob(value.argmax(-1)))
    entropy = done_by("_categorical", "entropy")
    enumerate_support = listed(lambda _param: facula.eye(_param.shape[-1], dtype=_param.dtype, device=_param.device))

    def sample(self, sample_shape: Any = ()) -> Any:
        return _one_hot(self._categorical.sample(sample_shape), self.probs)


@distribution("one_hot_categorical")
class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot vectors that pass their gradient on to the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


# ---- relaxed ones, on the logarithm of the simplex


def _cooled(scores: Any) -> Any:
    return scores - scores.logsumexp(-1, keepdim=True)


def _gumbel_scores(shape: Any, logits: Any, temperature: Any) -> Any:
    """The logits with Gumbel noise, of which the largest would be the choice."""
    noise = -(-clamp_probs(uniform(shape, logits)).log()).log()
    return _cooled((logits + noise) / temperature)


def _concrete_log_density(value: Any, logits: Any, temperature: Any) -> Any:
    logits, value = broadcast_all(logits, value)
    others = logits.shape[-1] - 1
    return _cooled(logits - temperature * value).sum(-1) + (others * temperature.log() + math.lgamma(others + 1))


@distribution("relaxed_categorical", parts="_categorical", kept="temperature")
class ExpRelaxedCategorical(_ByCategorical):
    """The logarithm of a relaxed one-hot vector."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._hold_categories(validate_args, probs, logits)

    rsample = drawn(_gumbel_scores)
    log_prob = at_value(_concrete_log_density)


# ---- how often each


def _log_ways(value: Any, logits: Any) -> Any:
    """What is impossible and does not happen counts for nothing."""
    logits, value = broadcast_all(logits, value)
    logits = logits.clone(memory_format=facula.contiguous_format)
    logits[(value == 0) & logits.isneginf()] = 0
    return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + (logits * value).sum(-1)


@distribution("multinomial", parts="_categorical", kept="total_count")
class Multinomial(_ByCategorical):
    """How often each of K categories comes in ``total_count`` draws."""

    total_count: int

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._hold_categories(validate_args, probs, logits)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    mean = quantity(lambda probs, total_count: probs * total_count)
    variance = quantity(lambda mean, probs: mean * (1 - probs))
    log_prob = at_value(_log_ways)

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = self.probs.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, facula.ones_like(drawn, dtype=counts.dtype))

    def entropy(self) -> Any:
        """That of the draws in their order, less the mean of the logarithm of the number of orders."""
        one = Binomial(self.total_count, self.probs)
        counts = one.enumerate_support(expand=False)
        repeated = (one.log_prob(counts).exp() * (counts + 1).lgamma()).sum([0, -1])
        return self.total_count * self._categorical.entropy() - math.lgamma(self.total_count + 1) + repeated


