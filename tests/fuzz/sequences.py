"""Several lines that belong together: training steps, duals that are written to, modules in transforms, gradients that
are added to others of another layout, hooks that write, checkpoints with options.

``X`` and ``Y`` are tensors of one shape and dtype, ``N`` is the new name.
"""

from __future__ import annotations

import re

from .scope import NothingFits, Scope, all_finite, has_dimensions, has_own_elements, is_small, may_have_hooks, put
from .writes import may_be_written

FORMS = [form.strip() for form in """
N = X * 2
N.register_hook(lambda g: g.mul_(3) is None or None)
(N * Y).sum().backward()

N = X.sin() * Y
N.retain_grad()
N.register_hook(lambda g: g.zero_() is None or None)
N.sum().backward(retain_graph=True)
(N * N).sum().backward()

N = (X * Y).exp()
N.grad_fn.register_prehook(lambda g: g[0].add_(1) is None or None)
torch.autograd.grad((N * N).sum(), X, allow_unused=True)

N = X * Y + X
N.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g.mul(2) for g in gi))
N.sum().backward(create_graph=True)

N = X.clone()
N_v = N[:1]
N_v.register_hook(lambda g: g * 2)
N_v.mul_(Y[:1])
N_v.register_hook(lambda g: g * 3)
(N * X).sum().backward()

N = X.clone()
N.retain_grad()
N_a, N_b = N.split([1, len(N) - 1]) if len(N) > 1 else (N, N)
(N_a.sum() * N_b.sin().sum()).backward()

N = X * 1
N_v = N.view(-1)
N.mul_(2)
N_v.add_(Y.reshape(-1))
N_w = N_v.view(N.shape).t() if N.dim() == 2 else N_v
N_w.sin_()
(N * N_w.sum()).sum().backward()

N_l = X.detach().clone().requires_grad_()
N_l.grad = torch.ones_like(N_l).transpose(0, -1).contiguous().transpose(0, -1)
(N_l * Y.detach()).sum().backward()
N = N_l.grad * 1

N_l = X.detach().transpose(0, -1).contiguous().transpose(0, -1).requires_grad_()
(N_l * Y.detach()).sum().backward()
(N_l * N_l).sum().backward()
N = N_l.grad * 1

N_l = X.detach().clone().requires_grad_()
N_g = torch.zeros_like(N_l)
N_l.grad = N_g
(N_l * 3).sum().backward()
N_l.grad.mul_(2)
N_l.grad = None
(N_l * N_l).sum().backward(create_graph=True)
N_l.grad.sum().backward()
N = N_l.grad.detach() + N_g

N_l = X.detach().clone().requires_grad_()
N_o = torch.optim.SGD([N_l], lr=0.1, momentum=0.9, nesterov=True)
for _ in range(3):
    N_o.zero_grad()
    (N_l * Y.detach() + N_l.sin()).pow(2).sum().backward()
    N_o.step()
N = N_l.detach()

N_l = X.detach().clone().requires_grad_()
N_o = torch.optim.AdamW([N_l], lr=0.05)
for _ in range(3):
    N_o.zero_grad(set_to_none=False)
    (N_l * Y.detach()).tanh().sum().backward()
    N_o.step()
N = N_l.detach()

N_l = X.detach().clone().requires_grad_()
N_o = torch.optim.RMSprop([N_l], lr=0.05, centered=True)
def N_c():
    N_o.zero_grad()
    loss = ((N_l - Y.detach()) ** 2).mean()
    loss.backward()
    return loss
N = torch.stack([N_o.step(N_c).detach() for _ in range(3)])

torch.manual_seed(1)
N_m = torch.nn.Sequential(torch.nn.Linear(X.shape[-1], 3), torch.nn.LayerNorm(3), torch.nn.GELU())
N_m.to(X.dtype)
N_o = torch.optim.Adam(N_m.parameters(), lr=0.1)
for _ in range(2):
    N_o.zero_grad()
    N_m(X.detach()).square().mean().backward()
    torch.nn.utils.clip_grad_norm_(N_m.parameters(), 0.5)
    N_o.step()
N = N_m(X)

torch.manual_seed(2)
N_m = torch.nn.Linear(X.shape[-1], 2).to(X.dtype)
N_p = dict(N_m.named_parameters())
N = torch.func.functional_call(N_m, {k: v * 2 for k, v in N_p.items()}, (X,))
N_g = torch.func.grad(lambda p: torch.func.functional_call(N_m, p, (X.detach(),)).sin().sum())(N_p)
log.append([N_g[k].detach() for k in sorted(N_g)])

torch.manual_seed(3)
N_ms = [torch.nn.Linear(X.shape[-1], 2).to(X.dtype) for _ in range(2)]
N_p, N_b = torch.func.stack_module_state(N_ms)
N_f = torch.func.vmap(lambda p, b, x: torch.func.functional_call(N_ms[0], (p, b), (x,)), in_dims=(0, 0, None))
N = N_f(N_p, N_b, X.detach()).detach()

torch.manual_seed(4)
N_m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(X.shape[-1], 2).to(X.dtype))
N = N_m(X)
N.sum().backward()
log.append([p.grad for p in N_m.parameters()])

with torch.autograd.forward_ad.dual_level():
    N_d = torch.autograd.forward_ad.make_dual(X.detach().clone(), Y.detach())
    N_d.mul_(2)
    N_v = N_d[:1]
    N_v.sin_()
    N = torch.autograd.forward_ad.unpack_dual(N_d * N_v).tangent.clone()

with torch.autograd.forward_ad.dual_level():
    N_d = torch.autograd.forward_ad.make_dual(X, Y.detach())
    N = torch.autograd.forward_ad.unpack_dual((N_d * N_d).sum() * Sine.apply(N_d, 2.0)).tangent * 1
N.sum().backward()

with torch.autograd.forward_ad.dual_level():
    N_z = torch.zeros_like(X.detach())
    N_z[:1].copy_(torch.autograd.forward_ad.make_dual(X.detach(), Y.detach())[:1])
    N = torch.autograd.forward_ad.unpack_dual(N_z.cumsum(0)).tangent.clone()

N, N_s = torch.func.grad(lambda p: ((p * Y.detach()).sin().sum(), p.cos()), has_aux=True)(X.detach())
log.append(N_s)

N_o, N_f = torch.func.vjp(lambda p, q: (p * q, (p.sin(), q.exp())), X.detach(), Y.detach())
N = sum(N_f((X.detach(), (Y.detach(), N_o[0].cos()))))

N_p, N_q = (t.detach().reshape(-1)[:3] for t in (X, Y))
N = torch.func.jacrev(lambda p, q: (p * q).sin(), argnums=(0, 1))(N_p, N_q)[1]

N = torch.func.jacrev(lambda p: p.sin() * p.flip(0), chunk_size=2)(X.detach().reshape(-1)[:4])

N_d = {'a': X.detach(), 'b': Y.detach()}
N = torch.func.vmap(lambda d: d['a'] * d['b'].sum(), in_dims=({'a': 0, 'b': None},))(N_d)

N_f = torch.func.vmap(lambda p, q: (p * q, p.sum()), in_dims=(0, -1), out_dims=(-1, 0))
N, N_s = N_f(X.detach(), Y.detach().movedim(0, -1))

N = torch.func.vmap(lambda p: torch.func.vmap(lambda q: p.sum() * q)(Y.detach()))(X.detach())

N = torch.func.vmap(torch.func.grad(lambda p, q: (p.sin() * q).sum()), in_dims=(0, None))(X.detach(), Y.detach()[0])

torch.manual_seed(5)
N = torch.func.vmap(lambda p: p + torch.rand(2, dtype=p.dtype).sum(), randomness='same')(X.detach())

N = torch.func.hessian(lambda p: (p.prod() + p.pow(3).sum()))(X.detach().reshape(-1)[:3])

N_p, N_q = X.detach(), Y.detach()
N, N_t = torch.func.jvp(lambda p, q: (p @ q.mT).sin() if p.dim() > 1 else p * q, (N_p, N_q), (N_q, N_p))
N = N + N_t

N = torch.autograd.functional.jvp(lambda p, q: (p * q).sin(), (X.detach(), Y.detach()), (Y.detach(), X.detach()))[1]

N = torch.autograd.functional.jacobian(lambda p, q: (p * q).sum(0), (X.detach(), Y.detach()), vectorize=True)[1]

N = torch.autograd.functional.hessian(lambda p, q: (p * p * q).sum(), (X.detach()[:1], Y.detach()[:1]))[0][1]

N = checkpoint(lambda p, q: (p.sin() * q).cumsum(0), X, Y, use_reentrant=False, determinism_check='none')
(N * N).sum().backward()

with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    N = checkpoint(lambda p: (p * 2).tanh().exp(), X, use_reentrant=False)
N.sum().backward()

N_m = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Sigmoid(), torch.nn.ELU())
N = torch.utils.checkpoint.checkpoint_sequential(N_m, 2, X, use_reentrant=False)
N.sum().backward()

with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    N = X * Y
    N_v = N[:1]
    N = N.sin()
    N_v.mul_(2)
    N = N * N_v
N.sum().backward()

N = Halves.apply(X * 1)
log.append(torch.autograd.grad(N[0].sum() + N[1].sin().sum(), X, allow_unused=True))
N = N[0]

N = Unsaved.apply(X * 2)[1]
N.sum().backward()

N = SwapInPlace.apply(X, Y.clone())[0]
(N * N).sum().backward()

N = torch.func.vmap(lambda p: Product.apply(p, p.sin()))(X.detach())

N = torch.func.grad(lambda p: torch.func.grad(lambda q: Product.apply(q, q).sum())(p).sin().sum())(X.detach())

N = torch.func.jvp(lambda p: Sine.apply(p, 3.0), (X.detach(),), (Y.detach(),))[1]

N = torch.func.jacrev(torch.func.vmap(lambda p: Sine.apply(p, 3.0)))(X.detach()[:1])

N = torch.autograd.grad(Once.apply(X).sum(), X, create_graph=True, allow_unused=True)[0] * 1

N_e = torch.autograd.graph.get_gradient_edge(X * Y)
N = torch.autograd.grad(N_e, X, torch.ones_like(X), allow_unused=True)[0] * 1

N = X.sin()
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    N = X.sin() * Y
    N_c = N * N
    N.mul_(0)
    N_c.sum().backward()

N = X * 2
N_v = N.detach()
with torch.autograd._unsafe_preserve_version_counter(N):
    N.mul_(2)
log.append((N._version, N_v._version))
N.sum().backward()

N = X.exp()
torch.autograd.graph.increment_version(N)
N.sum().backward()

N = torch.nn.Parameter(X.detach().clone())
with torch.no_grad():
    N.add_(1)
    N[:1].mul_(3)
(N * Y.detach()).sum().backward()
N = N.grad * 1

N = X.to(torch.complex128) * torch.view_as_complex(torch.stack([Y, X], -1).to(torch.float64))
N_r = torch.view_as_real(N)
(N.abs() + N.real * N.imag).sum().backward()

N = torch.fft.ifft(torch.fft.fft(X.to(torch.complex128)) * Y).conj()
N.angle().sum().backward()

N_l = X.detach().to(torch.complex128).requires_grad_()
(N_l * N_l.conj()).sum().backward(torch.tensor(1 + 2j, dtype=torch.complex128))
N = N_l.grad * 1

N = torch.zeros(2, *X.shape, dtype=X.dtype)
N[0] = X
N[1, :1] = Y[:1] * 2
N[0].mul_(N[1].clone())
N.sum(0).sin().sum().backward()

N = X.new_zeros(len(X) + 1, *X.shape[1:])
N.index_add_(0, torch.arange(len(X)), X * Y)
N.index_copy_(0, torch.tensor([0]), Y[:1])
N.masked_fill_(N > 1, 0.5)
N.pow(2).sum().backward()

N = [t * (i + 1) for i, t in enumerate(X.unbind(0))]
N = torch.stack(N[::-1]).cumsum(0)
N.sum().backward()

N = X.view(torch.uint8).to(torch.int64).sum()

N_a = X.numpy(force=True)
N = torch.from_numpy(N_a.copy()) * 2
N.requires_grad_()
(N ** 2).sum().backward()
N = N.grad * 1

N = torch.where(X > Y, X, Y.sqrt())
N.sum().backward()

N_l = [X.sum(), (X * Y).sum()]
N = torch.autograd.grad(N_l, [X, Y], allow_unused=True, materialize_grads=True, retain_graph=True)[1]

N_y = (X * Y).sum(0)
N_g = torch.stack([torch.ones_like(N_y), N_y.detach()])
N = torch.autograd.grad(N_y, X, N_g, is_grads_batched=True, allow_unused=True)[0]

N = torch.empty_like(X.detach()).copy_(X * Y)
N.add_(X, alpha=2)
N.addcmul_(X, Y, value=0.5)
N.clamp_(-1, 1)
N.backward(torch.ones_like(N))
""".split("\n\n")]  # fmt: skip


def sequence(s: Scope, new: str) -> str:
    """Lines that give ``new`` a value."""
    x = s.real(
        is_small, has_dimensions, has_own_elements, may_be_written, may_have_hooks, lambda t: t.numel() > 0,
        lambda t: 0 not in t.stride(), lambda t: t.dtype in (s.torch.float64, s.torch.float32),
    )  # fmt: skip
    t = s.tensors[x]
    y = s.tensor(lambda o: o.shape == t.shape and o.dtype == t.dtype, may_be_written, may_have_hooks)
    lines = s.rng.choice(FORMS)
    if "torch.uint8" in lines and not all_finite(t):
        raise NothingFits  # NaN may have either sign
    return put(re.sub(r"\bN(?=\b|_)", new, lines), X=x, Y=y)
