"""More of what random programs (``tests/fuzz``, and others) found to differ: a case for each cause."""

from __future__ import annotations

from .observe import case, error


@case
def one_line_that_goes_back_through_a_graph_twice(torch):
    weight, bias = (torch.ones(2, 2, requires_grad=flag) for flag in (True, False))
    inputs = [torch.ones(3, 2, requires_grad=flag) for flag in (True, False)]
    found = []
    pairs = [(inputs[0], weight), (inputs[0], weight.detach()), (inputs[1], weight)]
    for y in [torch.addmm(bias[0], x, w) for x, w in pairs]:
        found += [error(lambda y=y: y.sum().backward()).get("message", "")[:60] for _ in range(2)]
    return found


@case
def the_dtype_of_out_is_computed_in(torch):
    x = torch.tensor([[1.8, 2.3], [1.2, 0.7]], dtype=torch.float64)
    found = []
    for dtype in (torch.int8, torch.int64, torch.bool, torch.float32, torch.complex64):
        for input in (x, x > 1, x.to(torch.int32)):
            for name in ("sum", "prod", "cumsum", "cumprod", "argmax", "norm"):
                out = torch.zeros((2, 2) if "cum" in name else 2, dtype=dtype)
                args = (input, 2, 0) if name == "norm" else (input, 0)
                found.append(error(lambda name=name, args=args, out=out: getattr(torch, name)(*args, out=out).tolist()))
    for name in ("cumsum", "cumprod", "nansum"):
        for dtype in (torch.bool, torch.complex64):
            found.append(error(lambda name=name, dtype=dtype: getattr(torch, name)(x, 0, dtype=dtype).tolist()))
    return found
