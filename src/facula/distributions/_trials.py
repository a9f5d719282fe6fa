"""Distributions of trials that succeed or fail: whether, how often, after how many; and of events at a rate."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from ._formulas import answer, at_value, drawn, drawn_without_gradient, formula, listed, quantity
from .distribution import Distribution, distribution
from .exp_family import ExponentialFamily
from .utils import (
    broadcast_all,
    clamp_probs,
    lazy_property,
    log_odds,
    logits_to_probs,
    probs_to_logits,
    the_one_given,
    uniform,
)


def the_chance(probs: Any, logits: Any) -> dict[str, Any]:
    """The probability or the log-odds of success, whichever is given, by its name."""
    refusal = ValueError("Either `probs` or `logits` must be specified, but not both.")
    return dict([the_one_given(refusal, probs=probs, logits=logits)])


class _Chances(Distribution):
    """A distribution with ``probs`` and ``logits``, of which one is given and the other follows."""

    total_count: Any
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    _is_binary = True

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits, self._is_binary)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, self._is_binary)

    @property
    def _param(self) -> Any:
        return vars(self)["probs" if "probs" in vars(self) else "logits"]

    param_shape = quantity(lambda _param: _param.size())

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    def _hold_count(self, validate_args: bool | None, total_count: Any, probs: Any, logits: Any) -> None:
        """Be a distribution of a number of trials, in the dtype of their chance."""
        ((name, chance),) = the_chance(probs, logits).items()
        count, chance = broadcast_all(total_count, chance)
        self._hold(validate_args, total_count=count.type_as(chance), **{name: chance})


def _surprise(logits: Any, outcome: Any) -> Any:
    """-log p of an outcome, or its mean if that is a probability."""
    return facula.nn.functional.binary_cross_entropy_with_logits(logits, outcome, reduction="none")


def _numbers_up_to(last: int, like: Any) -> Any:
    return facula.arange(last + 1, dtype=like.dtype, device=like.device)


# ---- one trial


@distribution("bernoulli")
class Bernoulli(_Chances, ExponentialFamily):
    """1 with probability ``probs``, else 0."""

    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._hold(validate_args, **the_chance(probs, logits))

    mean = quantity(lambda probs: probs)
    mode = quantity(lambda probs: (probs > 0.5).to(probs.dtype).where(probs != 0.5, math.nan))
    variance = quantity(lambda probs: probs * (1 - probs))
    sample = drawn_without_gradient(lambda shape, probs: facula.bernoulli(probs.expand(shape)))
    log_prob = at_value(lambda value, logits: -_surprise(*broadcast_all(logits, value)))
    entropy = answer(lambda logits, probs: _surprise(logits, probs))
    enumerate_support = listed(lambda _param: _numbers_up_to(1, _param))

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda probs: (probs.logit(),))
    _log_normalizer = formula(lambda x: x.exp().log1p())


def _noise_in_log_odds(shape: Any, temperature: Any, probs: Any) -> Any:
    """The log-odds and logistic noise, cooled down."""
    noise = log_odds(clamp_probs(uniform(shape, probs)))
    return (log_odds(clamp_probs(probs)) + noise) / temperature


def _logistic_log_density(value: Any, temperature: Any, logits: Any) -> Any:
    z = logits - value * temperature
    return temperature.log() + z - 2 * z.exp().log1p()


@distribution("relaxed_bernoulli", kept="temperature")
class LogitRelaxedBernoulli(_Chances):
    """The log-odds of a relaxed Bernoulli value."""

    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._hold(validate_args, **the_chance(probs, logits))

    rsample = drawn(_noise_in_log_odds)
    log_prob = at_value(_logistic_log_density)


# ---- an outcome between failure and success


@distribution("continuous_bernoulli", kept="_lims")
class ContinuousBernoulli(_Chances, ExponentialFamily):
    """Uniform on [0, 1], but tilted: the density is proportional to p^x (1 - p)^(1 - x), that is, to exp(tilt x).

    All of it follows from the tilt, the log-odds of p, but is 0/0 at tilt 0. For p within ``lims``, which are around
    1/2, the first terms of Taylor series take the place of the formulas.
    """

    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: bool | None = None
    ) -> None:
        ((name, chance),) = the_chance(probs, logits).items()
        (chance,) = broadcast_all(chance)
        if name == "probs":
            if validate_args is not None and not self.arg_constraints["probs"].check(chance).all():
                raise ValueError("The parameter probs has invalid values")
            chance = clamp_probs(chance)
        self._lims = lims
        self._hold(validate_args, **{name: chance})

    @lazy_property
    def probs(self) -> Any:
        return clamp_probs(self.logits.sigmoid())

    _tilt = quantity(lambda probs: log_odds(probs))
    _is_flat = quantity(lambda probs, _lims: (probs > _lims[0]) & (probs <= _lims[1]))
    _slope = quantity(lambda _tilt, _is_flat: _tilt.where(~_is_flat, 1))
    """The tilt, where it can be divided by."""

    def _log_mass(self, tilt: Any, is_flat: Any) -> Any:
        """log((exp(tilt) - 1) / tilt), by which exp(tilt x) is divided."""
        slope = tilt.where(~is_flat, 1)
        steep = slope.abs()
        exact = slope.clamp(min=0) + (-(-steep).expm1()).log() - steep.log()
        square = tilt.square()
        return facula.where(is_flat, tilt / 2 + square / 24 - square.square() / 2880, exact)

    def _cont_bern_log_norm(self) -> Any:
        """What the Bernoulli probabilities of x and 1 - x are to be multiplied by, as a logarithm."""
        return -(-self.probs).log1p() - self._log_mass(self._tilt, self._is_flat)

    mean = quantity(lambda _tilt, _slope, _is_flat: facula.where(
        _is_flat, 0.5 + _tilt / 12 - _tilt**3 / 720, -1 / (-_slope).expm1() - 1 / _slope
    ))  # fmt: skip
    variance = quantity(lambda _tilt, _slope, _is_flat: facula.where(
        _is_flat, 1 / 12 - _tilt**2 / 240 + _tilt**4 / 6048, 1 / _slope**2 - 1 / (2 * (_slope / 2).sinh()) ** 2
    ))  # fmt: skip
    log_prob = at_value(
        lambda value, logits, _cont_bern_log_norm: _cont_bern_log_norm() - _surprise(*broadcast_all(logits, value))
    )
    cdf = at_value(lambda value, _slope, _is_flat: (
        facula.where(_is_flat, value, (_slope * value).expm1() / _slope.expm1()).where(value > 0, 0).where(value < 1, 1)
    ))  # fmt: skip
    icdf = formula(
        lambda value, _slope, _is_flat: facula.where(_is_flat, value, (value * _slope.expm1()).log1p() / _slope)
    )
    rsample = drawn(lambda shape, probs, icdf: icdf(uniform(shape, probs)))
    entropy = answer(lambda mean, _tilt, _is_flat, _log_mass: _log_mass(_tilt, _is_flat) - _tilt * mean)

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda logits: (logits,))
    _log_normalizer = formula(
        lambda x, _lims, _log_mass: _log_mass(x, (x > _lims[0] - 0.5) & (x <= _lims[1] - 0.5))
    )


# ---- many trials


def _common_count(counts: Any, method: str) -> int:
    most = counts.max()
    if counts.min() != most:
        raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
    return int(most)


def _log_chance_of_count(value: Any, total_count: Any, logits: Any) -> Any:
    """By log(1 + exp(x)) = max(0, x) + log(1 + exp(-|x|)), where at 0 the first term has half a slope."""
    positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
    log_norm = total_count * positive + total_count * (-logits.abs()).exp().log1p() - (total_count + 1).lgamma()
    return value * logits - (value + 1).lgamma() - (total_count - value + 1).lgamma() - log_norm


@distribution("binomial")
class Binomial(_Chances):
    """The number of successes in ``total_count`` trials of probability ``probs``."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **_Chances.arg_constraints}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._hold_count(validate_args, total_count, probs, logits)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    mean = quantity(lambda total_count, probs: total_count * probs)
    mode = quantity(lambda total_count, probs: ((total_count + 1) * probs).floor().clamp(max=total_count))
    variance = quantity(lambda mean, probs: mean * (1 - probs))
    sample = drawn_without_gradient(
        lambda shape, total_count, probs: facula.binomial(total_count.expand(shape), probs.expand(shape))
    )
    log_prob = at_value(_log_chance_of_count)
    enumerate_support = listed(
        lambda total_count: _numbers_up_to(_common_count(total_count, "enumerate_support"), total_count)
    )

    def entropy(self) -> Any:
        _common_count(self.total_count, "entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)


def _log_chance_of_waiting(value: Any, probs: Any) -> Any:
    """Success for sure, and no failure before it: there 0 times an infinite logarithm is nothing."""
    value, chance = broadcast_all(value, probs)
    chance = chance.clone(memory_format=facula.contiguous_format)
    chance[(chance == 1) & (value == 0)] = 0
    return value * (-chance).log1p() + probs.log()


@distribution("geometric")
class Geometric(_Chances):
    """The number of failures before the first success of probability ``probs``."""

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._hold(validate_args, **the_chance(probs, logits))
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            chances = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(chances).__name__} of shape {tuple(chances.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{chances[~(chances > 0)]}"
            )

    mean = quantity(lambda probs: 1 / probs - 1)
    mode = quantity(lambda probs: facula.zeros_like(probs))
    variance = quantity(lambda mean, probs: mean / probs)
    entropy = answer(lambda logits, probs: _surprise(logits, probs) / probs)
    sample = drawn_without_gradient(lambda shape, probs: (
        (probs.new_empty(shape).uniform_(facula.finfo(probs.dtype).tiny, 1).log() / (-probs).log1p()).floor()
    ))  # fmt: skip
    """A waiting time, in whole periods."""
    log_prob = at_value(_log_chance_of_waiting)


def _log_chance_of_successes(value: Any, total_count: Any, logits: Any) -> Any:
    """With the orders in which trials may come out, of which there is one if there are no trials at all."""
    trials = total_count + value
    log_of = facula.nn.functional.logsigmoid
    one_over_orders = -trials.lgamma() + (1 + value).lgamma() + total_count.lgamma()
    return total_count * log_of(-logits) + value * log_of(logits) - one_over_orders.masked_fill(trials == 0, 0)


@distribution("negative_binomial")
class NegativeBinomial(_Chances):
    """The number of successes of probability ``probs`` before ``total_count`` failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._hold_count(validate_args, total_count, probs, logits)

    mean = quantity(lambda total_count, logits: total_count * logits.exp())
    mode = quantity(lambda total_count, logits: ((total_count - 1) * logits.exp()).floor().clamp(min=0))
    variance = quantity(lambda mean, logits: mean / (-logits).sigmoid())
    log_prob = at_value(_log_chance_of_successes)
    sample = drawn_without_gradient(lambda shape, total_count, logits: (
        facula.poisson(facula._standard_gamma(total_count.expand(shape)) * logits.exp())
    ))  # fmt: skip
    """Events at a rate that follows a gamma distribution."""


# ---- events at a rate


@distribution("poisson")
class Poisson(ExponentialFamily):
    """The number of events that happen at a rate."""

    rate: Any
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, rate=rate)

    mean = quantity(lambda rate: rate)
    mode = quantity(lambda rate: rate.floor())
    variance = quantity(lambda rate: rate)
    sample = drawn_without_gradient(lambda shape, rate: facula.poisson(rate.expand(shape)))
    log_prob = at_value(lambda value, rate: facula.xlogy(value, rate) - rate - (value + 1).lgamma())

    _natural_params = quantity(lambda rate: (rate.log(),))
    _log_normalizer = formula(lambda x: x.exp())
