"""Numbers beyond all memory, or beyond what an argument holds: they are refused at once, or computed with."""

from __future__ import annotations

from .observe import case, error, plain

LONG, LARGE = 2**70, 2**62


def first_words(torch, call):
    """The class of an error and how its sentence begins; what comes after speaks of places in files and of memory."""
    told = error(call)
    return [told["raises"], told["message"].split(": you tried")[0].replace(":127] err == 0.", "] .")[:100]]


@case
def integers_that_no_argument_holds(torch):
    x = torch.arange(4.0).reshape(2, 2) + 9
    image = torch.ones(1, 1, 4, 4)
    calls = [
        lambda: torch.mvlgamma(x, LONG), lambda: x.clone().mvlgamma_(LONG), lambda: torch.polygamma(LONG, x),
        lambda: x.polygamma(-LONG), lambda: torch.matrix_power(x, LONG), lambda: torch.linalg.matrix_power(x, -LONG),
        lambda: torch.rot90(x, LONG), lambda: torch.diff(x, LONG), lambda: torch.cov(x, correction=LONG),
        lambda: torch.fft.fftfreq(LONG), lambda: torch.fft.rfftfreq(LONG),
        lambda: torch.slice_scatter(x, x, 0, 0, LONG), lambda: torch.unravel_index(torch.tensor([1]), LONG),
        lambda: torch.unravel_index(torch.tensor([1]), (2, LONG)), lambda: torch.Tensor(2, LONG),
        lambda: torch.FloatTensor(LONG), lambda: torch.UntypedStorage(LONG),
        lambda: torch.frombuffer(bytearray(4), dtype=torch.uint8, count=LONG),
        lambda: torch.frombuffer(bytearray(4), dtype=torch.uint8, offset=LONG),
        lambda: torch.nn.functional.adaptive_avg_pool2d(image, LONG), lambda: torch.tensor_split(x, LONG),
    ]  # fmt: skip
    return [first_words(torch, call) for call in calls]


@case
def sizes_beyond_all_memory(torch):
    x = torch.arange(4.0).reshape(2, 2) + 9
    line, F = torch.ones(1, 1, 4), torch.nn.functional
    calls = [
        lambda: torch.mvlgamma(x, LARGE), lambda: torch.special.multigammaln(x, LARGE),
        lambda: torch.fft.fftfreq(LARGE), lambda: torch.fft.rfftfreq(LARGE),
        lambda: F.pad(x, (LARGE, 0)), lambda: F.pad(x, (LARGE, LARGE)),
        lambda: F.pad(line, (LARGE, 0), "replicate"), lambda: F.local_response_norm(line, LARGE),
        lambda: torch.nn.ZeroPad2d(LARGE)(line), lambda: torch.Tensor(LARGE), lambda: torch.FloatTensor(2, LARGE),
        lambda: torch.UntypedStorage(LARGE), lambda: torch.diagonal_scatter(x, torch.ones(2), LARGE),
    ]  # fmt: skip
    return [first_words(torch, call) for call in calls] + [list(x.diagonal(o).shape) for o in (LARGE, -LARGE)]


@case
def polynomials_of_any_degree(torch):
    x = torch.tensor([1.0, -1.0, 2.0, 0.3], dtype=torch.float64)
    degrees = (7, 100, 101, 2**40, float("inf"), float("nan"), -2.5, 2.9)
    found, none = {}, (float("inf"), float("nan"))
    for letter in "tuvw":
        of = getattr(torch.special, f"chebyshev_polynomial_{letter}")
        found[letter] = [[round(v, 9) for v in of(x, n)[:3 if n == 2**40 else 4].tolist()] for n in degrees]
    for name in ("hermite_polynomial_h", "hermite_polynomial_he"):
        found[name] = [getattr(torch.special, name)(x, n).tolist() for n in (7, 2000, 2**40, *none)]
    for name in ("laguerre_polynomial_l", "legendre_polynomial_p"):
        found[name] = [getattr(torch.special, name)(x, n).tolist() for n in (3, *none, -1)]
    return plain(found)


@case
def multivariate_gamma_functions_of_many_dimensions(torch):
    x = torch.tensor([2000.0, 3000.5], dtype=torch.float64, requires_grad=True)
    y = torch.mvlgamma(x, 2500)
    return [[round(v, 4) for v in y.tolist()], y.grad_fn.name()]


@case
def results_beyond_all_memory(torch):
    x = torch.ones(1).expand(2**42)
    leaf = torch.ones(1, requires_grad=True).expand(2**42)
    calls = [
        lambda: x + 1, lambda: x * x, lambda: leaf * leaf, lambda: x.exp(), lambda: -x, lambda: x == 1, lambda: 1 / x,
        lambda: x + x.expand(1, -1), lambda: x.pow(2), lambda: x.clamp(0, 1), lambda: x.double(), lambda: x.clone(),
        lambda: torch.ones(2**21, 1) + torch.ones(1, 2**21), lambda: torch.ones(2**21, 1) @ torch.ones(1, 2**21),
        lambda: torch.cat([x, x]), lambda: torch.zeros_like(x), lambda: torch.nn.functional.pad(x, (1, 1)),
    ]  # fmt: skip
    return [first_words(torch, call) for call in calls]


@case
def factors_that_a_dtype_does_not_hold(torch):
    told = []
    for dtype in (torch.int8, torch.uint8, torch.int64, torch.float32, torch.float16):
        y = torch.ones(2, 2, dtype=dtype)
        v, batch, rows = y[0], y[None], torch.tensor([0, 1])
        for factor in (300, -1, 1.5, 1j, complex(2, 0), 70000.0, float("inf")):
            given = {"alpha": factor}
            if not (dtype.is_floating_point and factor == float("inf")):
                told += [error(lambda y=y, g=given: y.addmm(y, y, **g).tolist()),
                         error(lambda v=v, y=y, g=given: v.addmv(y, v, **g).tolist()),
                         error(lambda b=batch, g=given: b.baddbmm(b, b, **g).tolist())]  # fmt: skip
                if not isinstance(factor, complex) or dtype.is_floating_point:
                    told.append(error(lambda y=y, v=v, g=given: y.addr(v, v, **g).tolist()))
            told.append(error(lambda y=y, r=rows, g=given: y.index_add(0, r, y, **g).tolist()))
    return told


@case
def numbers_for_tensors_by_name(torch):
    x = torch.ones(3)
    told = []
    for name in ("maximum", "logaddexp", "hypot", "igamma", "logical_or", "heaviside", "atan2"):
        key = "values" if name == "heaviside" else "other"
        told += [error(lambda n=name, k=key, v=v: getattr(torch, n)(x, **{k: v}).tolist()) for v in (2.0, None)]
        told += [error(lambda n=name, k=key: getattr(x, n)(**{k: 2})), error(lambda n=name: getattr(x, n)(2))]
        if hasattr(x, f"{name}_"):
            told.append(error(lambda n=name, k=key: getattr(x.clone(), f"{n}_")(**{k: 2.0})))
    return told


@case
def numbers_where_dimensions_are_asked_for(torch):
    F, s, whole = torch.nn.functional, torch.tensor(1.0), torch.tensor([0, 1])
    calls = [
        lambda: torch.linalg.cross(s, s), lambda: s.slice_scatter(s), lambda: torch.unique(s, dim=0),
        lambda: torch.unique_consecutive(s, dim=0), lambda: torch.linalg.solve(whole, whole),
        lambda: F.grid_sample(s, s, align_corners=False),
        lambda: s.median(keepdim=False), lambda: s.nanmedian(keepdim=False), lambda: F.hardshrink(s, 1j),
    ]  # fmt: skip
    return [error(call) for call in calls]
