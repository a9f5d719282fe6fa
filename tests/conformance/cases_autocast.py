"""Autocast on the CPU: which operators compute in half precision, which in float32; and scaled losses."""

from __future__ import annotations

import warnings

from .observe import case, error, see, warned


def numbers(torch, *shape, dtype=None):
    count = 1
    for n in shape:
        count *= n
    values = torch.arange(count, dtype=torch.float64).mul(0.37).sin().reshape(shape)
    return values.to(dtype or torch.float32)


def dtypes(found):
    if isinstance(found, (tuple, list)):
        return [dtypes(f) for f in found]
    return str(found.dtype)


def operators(torch):
    """Calls by name, each with tensors of the dtype that it is given."""
    F, linalg = torch.nn.functional, torch.linalg

    def x(d, *shape):
        return numbers(torch, *shape, dtype=d)

    def definite(d):
        a = numbers(torch, 3, 3)
        return (a @ a.T + torch.eye(3)).to(d)

    return {
        "matmul": lambda d: x(d, 2, 3) @ x(d, 3, 2), "mm": lambda d: torch.mm(x(d, 2, 3), x(d, 3, 2)),
        "mv": lambda d: torch.mv(x(d, 2, 3), x(d, 3)), "dot": lambda d: torch.dot(x(d, 3), x(d, 3)),
        "bmm": lambda d: torch.bmm(x(d, 2, 2, 3), x(d, 2, 3, 2)),
        "batched": lambda d: torch.matmul(x(d, 2, 1, 2, 3), x(d, 3, 2)),
        "addmm": lambda d: torch.addmm(x(d, 2), x(d, 2, 3), x(d, 3, 2)),
        "baddbmm": lambda d: torch.baddbmm(x(d, 2, 2, 2), x(d, 2, 2, 3), x(d, 2, 3, 2)),
        "addbmm": lambda d: torch.addbmm(x(d, 2, 2), x(d, 2, 2, 3), x(d, 2, 3, 2)),
        "einsum": lambda d: torch.einsum("ij,kj->ik", x(d, 2, 3), x(d, 2, 3)),
        "tensordot": lambda d: torch.tensordot(x(d, 2, 3), x(d, 3, 2), 1),
        "linear": lambda d: F.linear(x(d, 2, 3), x(d, 4, 3), x(d, 4)),
        "linear of batches": lambda d: F.linear(x(d, 2, 2, 3), x(d, 4, 3)),
        "conv1d": lambda d: F.conv1d(x(d, 1, 2, 5), x(d, 3, 2, 2), x(d, 3)),
        "conv2d": lambda d: F.conv2d(x(d, 1, 2, 5, 5), x(d, 3, 2, 2, 2)),
        "conv_transpose2d": lambda d: F.conv_transpose2d(x(d, 1, 2, 3, 3), x(d, 2, 3, 2, 2)),
        "prelu": lambda d: F.prelu(x(d, 2, 3), x(d, 1)),
        "attention": lambda d: F.scaled_dot_product_attention(x(d, 1, 2, 3, 4), x(d, 1, 2, 3, 4), x(d, 1, 2, 3, 4)),
        "vecdot": lambda d: linalg.vecdot(x(d, 2, 3), x(d, 2, 3)),
        "matrix_power": lambda d: linalg.matrix_power(x(d, 3, 3), 2),
        "relu": lambda d: F.relu(x(d, 3)), "exp": lambda d: torch.exp(x(d, 3)), "sum": lambda d: x(d, 3).sum(),
        "softmax": lambda d: torch.softmax(x(d, 3), 0), "layer_norm": lambda d: F.layer_norm(x(d, 2, 3), (3,)),
        "add": lambda d: x(d, 3) + x(d, 3), "mixed": lambda d: x(d, 3) * numbers(torch, 3),
        "cat": lambda d: torch.cat([x(d, 3), numbers(torch, 3)]),
        "stack": lambda d: torch.stack([x(d, 3), numbers(torch, 3)]),
        "prod": lambda d: x(d, 3).prod(), "trace": lambda d: x(d, 2, 2).trace(),
        "quantile": lambda d: torch.quantile(x(d, 5), 0.5), "cdist": lambda d: torch.cdist(x(d, 2, 3), x(d, 2, 3)),
        "cross_entropy": lambda d: F.cross_entropy(x(d, 2, 3), torch.tensor([0, 2])),
        "nll_loss": lambda d: F.nll_loss(x(d, 2, 3), torch.tensor([0, 2])),
        "mse_loss": lambda d: F.mse_loss(x(d, 3), x(d, 3) * 2), "l1_loss": lambda d: F.l1_loss(x(d, 3), x(d, 3) * 2),
        "smooth_l1_loss": lambda d: F.smooth_l1_loss(x(d, 3), x(d, 3) * 2),
        "huber_loss": lambda d: F.huber_loss(x(d, 3), x(d, 3) * 2),
        "kl_div": lambda d: F.kl_div(x(d, 3), x(d, 3).abs(), reduction="sum"),
        "bce": lambda d: F.binary_cross_entropy(x(d, 3).sigmoid(), x(d, 3).abs()),
        "bce_with_logits": lambda d: F.binary_cross_entropy_with_logits(x(d, 3), x(d, 3).abs()),
        "soft_margin_loss": lambda d: F.soft_margin_loss(x(d, 3), x(d, 3).sign()),
        "margin_ranking_loss": lambda d: F.margin_ranking_loss(x(d, 3), x(d, 3) * 2, x(d, 3).sign()),
        "triplet_margin_loss": lambda d: F.triplet_margin_loss(x(d, 2, 3), x(d, 2, 3) * 2, x(d, 2, 3) * 3),
        "cosine_embedding_loss": lambda d: F.cosine_embedding_loss(x(d, 2, 3), x(d, 2, 3) * 2, x(d, 2).sign()),
        "hinge_embedding_loss": lambda d: F.hinge_embedding_loss(x(d, 3), x(d, 3).sign()),
        "poisson_nll_loss": lambda d: F.poisson_nll_loss(x(d, 3), x(d, 3).abs()),
        "avg_pool3d": lambda d: F.avg_pool3d(x(d, 1, 1, 2, 2, 2), 2),
        "avg_pool2d": lambda d: F.avg_pool2d(x(d, 1, 1, 2, 2), 2),
        "grid_sample": lambda d: F.grid_sample(x(d, 1, 1, 2, 2), x(d, 1, 2, 2, 2), align_corners=False),
        "cholesky": lambda d: linalg.cholesky(definite(d)), "inv": lambda d: linalg.inv(definite(d)),
        "solve": lambda d: linalg.solve(definite(d), x(d, 3)), "eigvalsh": lambda d: linalg.eigvalsh(definite(d)),
        "qr": lambda d: linalg.qr(definite(d)), "svdvals": lambda d: linalg.svdvals(definite(d)),
        "fft": lambda d: torch.fft.fft(x(d, 4)), "rfft": lambda d: torch.fft.rfft(x(d, 4)),
    }  # fmt: skip


@case
def dtypes_of_results(torch):
    found = {}
    for name, call in operators(torch).items():
        for given in (torch.float32, torch.bfloat16, torch.float64):
            for half in (torch.bfloat16, torch.float16):
                try:
                    with torch.autocast("cpu", dtype=half):
                        found[f"{name} {given} {half}"] = dtypes(call(given))
                except (RuntimeError, NotImplementedError) as e:
                    found[f"{name} {given} {half}"] = type(e).__name__
    return {"all": found}


@case
def losses_by_their_other_names(torch):
    x, y = numbers(torch, 2, 3, dtype=torch.bfloat16), numbers(torch, 2, 3, dtype=torch.bfloat16)
    sign, places = torch.ones(2, 3), torch.ones(2, 2, dtype=torch.long)
    with torch.autocast("cpu"):
        found = [
            torch.poisson_nll_loss(x, y, True, False, 1e-8, 1), torch.cosine_embedding_loss(x, y, torch.ones(2)),
            torch.hinge_embedding_loss(x, sign), torch.margin_ranking_loss(x, y, sign), torch.kl_div(x, y),
            torch.triplet_margin_loss(x, y, y * 2), torch.binary_cross_entropy_with_logits(x, y),
            torch.ctc_loss(numbers(torch, 5, 2, 4, dtype=torch.bfloat16).log_softmax(2), places, (5, 5), (2, 2)),
        ]  # fmt: skip
    return dtypes(found)


@case
def padding(torch):
    found = {}
    with torch.autocast("cpu"):
        for mode in ("reflect", "replicate", "circular", "constant"):
            for n in (1, 2, 3):
                x = numbers(torch, 1, 2, *[3] * n, dtype=torch.bfloat16)
                found[f"{mode}{n}"] = dtypes(torch.nn.functional.pad(x, (1, 1) * n, mode))
    return found


@case
def what_joins_tensors(torch):
    kinds = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64)
    at, found = torch.tensor([0]), {}
    joins = {
        "cat": lambda a, b: torch.cat([a, b]), "stack": lambda a, b: torch.stack([a, b]),
        "index_copy": lambda a, b: torch.index_copy(a, 0, at, b[:1]),
    }  # fmt: skip
    for half in (torch.bfloat16, torch.float16):
        for name, join in joins.items():
            for first in kinds:
                for second in kinds:
                    with torch.autocast("cpu", dtype=half):
                        try:
                            told = dtypes(join(torch.ones(2).to(first), torch.ones(2).to(second)))
                        except RuntimeError as e:
                            told = str(e)
                    found[f"{name} {half} {first} {second}"] = told
    return found


@case
def recurrent_layers(torch):
    nn, rnn = torch.nn, torch.nn.utils.rnn
    layers = {
        "lstm": (nn.LSTM, {}), "two ways": (nn.LSTM, {"num_layers": 2, "bidirectional": True, "batch_first": True}),
        "projected": (nn.LSTM, {"proj_size": 2}), "gru": (nn.GRU, {"num_layers": 2}), "tanh": (nn.RNN, {}),
        "relu": (nn.RNN, {"nonlinearity": "relu"}),
    }  # fmt: skip
    found = {}
    for name, (kind, options) in layers.items():
        for given in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            layer = kind(3, 4, **options)
            for p in layer.parameters():
                torch.nn.init.constant_(p, 0.1)
            layer = layer.double() if given is torch.float64 else layer
            x = numbers(torch, 2, 3, 3, dtype=given)
            packed = rnn.pack_sequence([x[0], x[1, :2]])
            with torch.autocast("cpu"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                out, state = layer(x)
                from_packed, _ = layer(packed)
            out.sum().backward()
            gradients = dtypes([p.grad for p in layer.parameters()])
            precise = layer.double()(x.double())[0]
            found[f"{name} {given}"] = [
                dtypes([out, state, from_packed.data]), gradients,
                bool(torch.allclose(out.double(), precise, atol=0.02)),
            ]  # fmt: skip
    return found


@case
def older_names(torch):
    """``torch.cpu.amp`` and its parts, which warn."""
    told = []
    for modules in ((torch.cpu.amp, torch.cpu.amp), (torch.cpu.amp.autocast_mode, torch.cpu.amp.grad_scaler)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with modules[0].autocast():
                y = numbers(torch, 2, 2) @ numbers(torch, 2, 2)
            scaler = modules[1].GradScaler(init_scale=4.0)
            scaled = scaler.scale(torch.ones(1))
        told.append([dtypes(y), see(torch, scaled), [[w.category.__name__, str(w.message)] for w in seen]])
    return told


@case
def values_and_gradients(torch):
    F = torch.nn.functional
    weight, bias, table = (numbers(torch, *s).requires_grad_() for s in ((4, 3), (4,), (2, 4)))
    with torch.autocast("cpu"):
        hidden = F.layer_norm(F.relu(F.linear(numbers(torch, 5, 3), weight, bias)), (4,))
        scores = hidden @ table.T
        again = F.linear(numbers(torch, 5, 3), weight)
        loss = F.cross_entropy(scores, torch.tensor([0, 1, 0, 1, 1])) + again.float().square().mean()
    loss.backward()
    return {
        "hidden": see(torch, hidden), "scores": see(torch, scores), "loss": see(torch, loss),
        "grads": [see(torch, t.grad) for t in (weight, bias, table)],
    }  # fmt: skip


@case
def nesting_and_switches(torch):
    x = numbers(torch, 2, 2)
    seen = []

    def look():
        seen.append([torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled(), str((x @ x).dtype),
                     str(torch.get_autocast_dtype("cpu")), torch.is_autocast_cache_enabled()])  # fmt: skip

    look()
    with torch.autocast("cpu"):
        look()
        with torch.autocast("cpu", enabled=False):
            look()
        with torch.autocast("cpu", dtype=torch.float16, cache_enabled=False):
            look()
        look()
    look()

    @torch.autocast(device_type="cpu", dtype=torch.float16)
    def decorated():
        look()
        return x @ x

    seen.append(str(decorated().dtype))
    look()
    return {"seen": seen, "available": [torch.amp.is_autocast_available(d) for d in ("cpu", "cuda")]}


@case
def weights_are_cast_once(torch):
    weight = numbers(torch, 2, 2).requires_grad_()
    x = numbers(torch, 2, 2)

    def count(cache_enabled):
        with torch.autocast("cpu", cache_enabled=cache_enabled):
            a, b = x @ weight, x @ weight
        return a.grad_fn.next_functions[1][0] is b.grad_fn.next_functions[1][0]

    return {"kept": count(True), "not kept": count(False)}


@case
def warnings_and_errors(torch):
    told = []

    def attempt(make):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                made = make()
                warned = [f"{w.category.__name__}: {w.message}" for w in caught]
                told.append([str(getattr(made, "_enabled", None)), warned])
            except Exception as e:
                told.append(f"{type(e).__name__}: {e}")

    for make in (
        lambda: torch.autocast("cuda"), lambda: torch.autocast("cpu", dtype=torch.float32),
        lambda: torch.autocast("foo"), lambda: torch.autocast(3), lambda: torch.cuda.amp.autocast(),
        lambda: torch.cuda.amp.GradScaler(),
        lambda: torch.amp.GradScaler(), lambda: torch.amp.GradScaler("cpu", growth_factor=1.0),
        lambda: torch.amp.GradScaler("cpu", backoff_factor=1.0), lambda: torch.amp.GradScaler("cpu").update(),
        lambda: torch.get_autocast_dtype("foo"), lambda: torch.autocast("cuda", enabled=False),
    ):  # fmt: skip
        attempt(make)
    return {"told": told}


@case
def scaled_losses(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    steps = [scaler.state_dict()]
    for factor in (1.0, float("inf"), 1.0, 1.0, float("nan"), 1.0):
        optimizer.zero_grad()
        scaler.scale((weight**2).sum() * factor).backward()
        scaled = weight.grad.clone()
        scaler.unscale_(optimizer)
        try:
            scaler.unscale_(optimizer)
        except RuntimeError as e:
            steps.append(str(e))
        scaler.step(optimizer)
        try:
            scaler.step(optimizer)
        except RuntimeError as e:
            steps.append(str(e))
        scaler.update()
        steps.append([see(torch, scaled), see(torch, weight.detach().clone()), scaler.state_dict()])
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    scaler.update(8.0)
    off = torch.amp.GradScaler("cpu", enabled=False)
    return {
        "steps": steps, "loaded": other.get_scale(), "set": scaler.get_scale(),
        "off": [off.get_scale(), off.state_dict(), off.scale(weight) is weight, off.is_enabled()],
    }  # fmt: skip


@case
def custom_functions(torch):
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, a, b):
            seen.append([str(a.dtype), torch.is_autocast_enabled("cpu")])
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append([str(g.dtype), torch.is_autocast_enabled("cpu")])
            return g @ b.T, a.T @ g

    a = numbers(torch, 2, 2).requires_grad_()
    with torch.autocast("cpu"):
        out = Product.apply(a.bfloat16(), a)
    out.sum().backward()
    return {"out": see(torch, out), "grad": see(torch, a.grad), "seen": seen}


@case
def gradients_are_unscaled_and_scales_updated(torch):
    unscale, update = torch._amp_foreach_non_finite_check_and_unscale_, torch._amp_update_scale_
    zero, half = torch.tensor(0.0), torch.tensor(0.5)
    told = []
    for grads in (
        [torch.tensor([1.0, 2.0]), torch.tensor([3.0], dtype=torch.float64)], [torch.tensor([float("inf"), 4.0])],
        [torch.tensor([4.0, float("nan")], dtype=torch.float16)], [], [torch.tensor([1])], [torch.tensor([1j])],
    ):  # fmt: skip
        found = zero.clone()
        told.append([error(lambda grads=grads, found=found: unscale(grads, found, half)), see(torch, [grads, found])])
    wrong = ((torch.zeros(2), half), (zero, torch.ones(2)), (zero.double(), half), (zero, half.double()))
    told.append([error(lambda a=a, b=b: unscale([torch.ones(2)], a, b)) for a, b in wrong])
    for scale, tracker, found in (
        (4.0, 0, 0.0), (4.0, 1, 0.0), (4.0, 1, 1.0), (3e38, 1, 0.0), (4.0, 0, float("nan")), (4.0, 0, 0.5),
    ):  # fmt: skip
        tensors = torch.tensor(scale), torch.tensor(tracker, dtype=torch.int32), torch.tensor(found)
        told.append([see(torch, update(*tensors, 2.0, 0.25, 2)), see(torch, tensors[1])])
    int32 = torch.int32
    for tensors in (
        (torch.ones(2), torch.tensor(0, dtype=int32), zero), (half, torch.ones(2, dtype=int32), zero),
        (half, torch.tensor(0, dtype=int32), torch.zeros(2)), (half, torch.tensor(0), zero),
        (half.double(), torch.tensor(0, dtype=int32), zero), (half, torch.tensor(0, dtype=int32), zero.double()),
    ):  # fmt: skip
        told.append(error(lambda tensors=tensors: update(*tensors, 2.0, 0.25, 2)))
    return told


@case
def optimizers_that_scale_themselves(torch):
    seen = []

    class Told(torch.optim.SGD):
        _step_supports_amp_scaling = True

        def step(self, closure=None):
            seen.append(see(torch, [getattr(self, "grad_scale", None), getattr(self, "found_inf", None)]))

    class Handed(torch.optim.SGD):
        _step_supports_amp_scaling = True

        def step(self, closure=None, *, grad_scaler=None):
            seen.append([type(grad_scaler).__name__, hasattr(self, "grad_scale")])

    p = torch.nn.Parameter(torch.ones(2))
    told, handed = Told([p], lr=0.1), Handed([p], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    for loss in (p.sum(), p.sum() * float("inf")):
        scaler.scale(loss).backward()
        scaler.step(told)
        seen.append([warned(lambda: scaler.step(handed)), hasattr(told, "grad_scale"), see(torch, p.grad)])
        scaler.update()
    p.grad = torch.ones(2)
    scaler.unscale_(told)
    scaler.step(told)
    seen.append([scaler.get_scale(), see(torch, p.grad), len(scaler._found_inf_per_device(told))])
    return seen


@case
def scalers_refuse(torch):
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([p], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    told = [error(lambda: scaler._check_inf_per_device(optimizer))]
    loss = scaler.scale(p.sum())
    told += [error(lambda: scaler.step(optimizer)), error(scaler.update)]
    loss.backward()
    for scale in (torch.ones(2), torch.ones(1, requires_grad=True), torch.ones(1, device="meta"), torch.tensor(3.0)):
        told.append([error(lambda scale=scale: scaler.update(scale)), scaler.get_scale()])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = torch.cpu.amp.GradScaler(init_scale=2.0)
        with torch.cpu.amp.autocast():
            told.append([made.is_enabled(), str(torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype)])
    return [*told, [f"{w.category.__name__}: {w.message}" for w in seen]]


@case
def products_with_their_activation(torch):
    x, a, b = numbers(torch, 4), numbers(torch, 3, 2), numbers(torch, 2, 4)
    made = [
        torch._addmm_activation(x, a, b), torch._addmm_activation(x, a, b, beta=2, alpha=-1, use_gelu=True),
        x._addmm_activation(a, b, alpha=-2), torch._addmm_activation(x, a, b, out=torch.empty(3, 4)),
    ]  # fmt: skip
    with torch.autocast("cpu"):
        made.append(torch._addmm_activation(x, a, b))
    return see(torch, made), error(lambda: torch._addmm_activation(x, a, a))
