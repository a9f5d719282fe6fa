"""Statements about the state of autograd: hooks of all kinds, modes with something in them, gradients, failures."""

from __future__ import annotations

import warnings

from .operators import elementwise, expression, of_two, product, reduction, view
from .run import names_of
from .scope import Scope, all_finite, has_own_elements, is_differentiable, is_floating, is_small, may_have_hooks, put
from .writes import change, may_be_written

HOOKS = """
lambda_g:None lambda_g:g lambda_g:g.detach() lambda_g:g.clone() lambda_g:torch.zeros_like(g) lambda_g:g[None]
lambda_g:1 lambda_g:1/0 lambda_g:g.to(torch.float32) lambda_g:g*g lambda_g:-g lambda_g:g.sum().expand_as(g)
lambda_g:log.append((n,torch.is_grad_enabled(),g.requires_grad)) lambda_g:g*X.detach() lambda_g:(g,)
lambda_g:X.register_hook(lambda_h:log.append((n,h))) lambda_g:g.conj() lambda_g:g.contiguous().view(-1)
""".split()

NODE_HOOKS = """
register_hook(lambda_gi,go:None) register_hook(lambda_gi,go:gi) register_hook(lambda_gi,go:gi[:1])
register_hook(lambda_gi,go:(None,)*len(gi)) register_hook(lambda_gi,go:1/0) register_hook(lambda_gi,go:1)
register_hook(lambda_gi,go:tuple(None_if_g_is_None_else_g[None]_for_g_in_gi)) register_prehook(lambda_go:None)
register_prehook(lambda_go:go) register_prehook(lambda_go:()) register_prehook(lambda_go:(None,)*len(go))
register_prehook(lambda_go:1/0)
register_prehook(lambda_go:tuple(None_if_g_is_None_else_torch.ones_like(g)_for_g_in_go))
""".split()

PACKINGS = """
lambda_t:t|lambda_t:t*2_if_t.is_floating_point()_else_t lambda_t:t.detach()|lambda_t:t
lambda_t:(log.append((n,t.detach().clone())),t)|lambda_p:p[1] lambda_t:t|lambda_t:1/0 lambda_t:t|lambda_t:1
lambda_t:t|lambda_t:None lambda_t:(t.detach().tolist(),t.dtype)|lambda_p:torch.tensor(p[0],dtype=p[1])
lambda_t:t|lambda_t:t.detach() lambda_t:t.detach()[None]|lambda_t:t[0] lambda_t:[t.clone()]|lambda_p:p.pop()
""".split()

MODES = """
torch.no_grad() torch.inference_mode() torch.enable_grad() torch.set_grad_enabled(False) torch.inference_mode(False)
torch.autograd.set_detect_anomaly(True) torch.autograd.graph.disable_saved_tensors_hooks('no')
torch.autograd.graph.allow_mutation_on_saved_tensors() torch.autograd.forward_ad.dual_level()
torch.autograd.set_grad_enabled(True) torch.autograd.graph.save_on_cpu(True) torch.autograd.inference_mode(True)
""".split()

GRADIENTS = """
X.grad=None X.grad=torch.ones_like(X) X.grad=X.detach().clone() X.grad.zero_() X.grad.mul_(2) X.grad.detach_()
X.grad=X.detach()[None] X.grad=X.detach().to(torch.float32) X.grad=1 X.grad=X X.grad.requires_grad_() del_X.grad
X.grad=torch.zeros_like(X,requires_grad=True) X.grad=X*2 X.grad+=X.grad X.data=X.data*2 X.grad=X.grad.clone()
X.requires_grad=True X.requires_grad=False log.append(X.grad)
log.append((X.is_leaf,X.requires_grad,X.retains_grad,X.output_nr,X._version)) X.detach_() X.retain_grad()
X.grad_fn;X.retain_grad();X.mul_(2) X.grad_fn;X.mul_(2);X.retain_grad() log.append(X.grad_fn.next_functions[0][1])
log.append(X.grad_fn.name()) X.resize_(0) X.resize_(X.shape) X.grad_fn;X.register_hook(lambda_g:g*2);X.mul_(3)
X.grad_fn;X.register_hook(lambda_g:log.append((n,g)));X.sin_() X.numpy()[...]=2 X.detach().numpy()[...]+=1
log.append(X.tolist()) log.append(X.item()) log.append(bool(X)) X.data.zero_() X.data[...]=0.5 X.detach().mul_(2)
X.detach().zero_() X.swapaxes_(0,-1) torch.nn.init.constant_(X,0.3) torch.nn.utils.clip_grad_norm_([X],0.5)
torch.nn.utils.clip_grad_value_([X],0.5) torch.optim.SGD([X],lr=0.1).step() torch.optim.SGD([X],lr=0.1).zero_grad()
torch.optim.Adam([X],lr=0.1).step() X.backward() X.sum().backward();X.sum().backward() log.append(float(X))
log.append(len(X)) log.append(int(X)) log.append([v_for_v_in_X][0]) X.untyped_storage().fill_(0)
""".split()

CHAINS = """
X.unbind(0)[0].mul_(2) X.split(1)[0].add_(1) X.chunk(2)[0].zero_() X.view(-1)[::2].mul_(2) X.t()[0].fill_(0.5)
X.diagonal().fill_(0.3) X.diagonal().mul_(X.diagonal()) X.real.mul_(2) X.imag.neg_()
torch.view_as_real(X)[...,0].add_(1) X.expand(2,*X.shape)[0].mul_(2) X.mT.add_(1) X.unfold(0,1,1).mul_(2)
X.conj().mul_(2) X.mH.zero_() X.conj().copy_(X.clone()) X.view(torch.int64).add_(1) X.view(torch.int32).zero_()
X.flatten().mul_(2) X.reshape(-1).add_(1) X.narrow(0,0,1).select(0,0).sin_() X[None].squeeze(0).mul_(2)
X.unsqueeze(-1).transpose(0,-1).add_(1) X[0][0].mul_(2) X[...,0][0].add_(1) X.movedim(0,-1)[...,:1].mul_(3)
X[0:1].expand_as(X[0:1]).mul_(2) X.as_strided((1,),(1,),0).add_(1) X.as_strided(X.shape,X.stride()).mul_(2)
X.view_as(X).mul_(2) X.detach()[0].mul_(2) X.tensor_split(2)[0].mul_(2) X.hsplit(1)[0].mul_(2) X.swapdims(0,-1).t_()
X.squeeze().unsqueeze_(0) X.view(-1).resize_(1) X[X>0].mul_(2) X[[0]].add_(1) X.select(0,0).requires_grad_()
X[0].detach_() X[:1].copy_(X[-1:].clone()) X[0],X[-1]=X[-1].clone(),X[0].clone() X[0]+=X[-1].clone() X[...]=X.flip(0)
X[::-1] X[0:1:-1] X[1.5] X['a'] X[[0,0]]=X[[0,0]]*2 X[[0,0]]+=1 X[True]=2 X[False]=2 X[None,0]*=2 X[torch.tensor(0)]=1
X[torch.tensor([],dtype=torch.int64)]=1 X[:0]=5 X[0,...]=X[0].clone() X[X!=X]=0
X.index_put_((torch.tensor([0,0]),),X[0].clone(),accumulate=True) X.masked_fill_(torch.tensor(True),0.5)
X.unsafe_split(1)[0].mul_(2) X.real.imag X.T.T.mul_(2) X.transpose(0,-1).contiguous().mul_(2)
X.unflatten(0,(-1,1)).mul_(2) torch.movedim(X,0,-1).zero_() X.ravel()[0].add_(1) X.broadcast_to(X.shape).mul_(2)
X.adjoint().mul_(2) X.lerp_(X.clone(),0.5) X.view(X.shape).exp_()
""".split()

ALSO = """
X.view(torch.int64) X.view(torch.int32)+1 X.conj() X.conj().imag X.mH X.conj()[0] X.resolve_conj() X.conj_physical()
X._neg_view() X.conj().conj() X.unbind(0)[-1] X.split(1)[0] X.detach().requires_grad_() X.clone().detach_()
X[None,...,None] X[X.long()] X.new_tensor(2.0) X.new_zeros(0,2)
torch.empty(0,3,dtype=X.dtype,requires_grad=X.is_floating_point()) torch.zeros(1,1,dtype=X.dtype) X[:0] X[:0].sum()
X[:0].mean(0) X[:0].prod() X.sum((),keepdim=True) X.mean(0,keepdim=True)+X X[0]*X X[...,:1]-X
X.unsqueeze(0)*X.unsqueeze(1) X.expand(2,*X.shape).sum(0) torch.where(X.isnan(),0.0,X) torch.where(X==X,X,X.detach())
X.repeat(2,*[1]*X.dim()) X.repeat(*[0]*X.dim()) X.tile(0) X+X.half() X*X.int() X-X.bool() X*True X+1j X**True
X.to(torch.bfloat16)*X X.half().sum() X.bool()*X X.int()+X.half() X.unsqueeze(-1)@X.unsqueeze(-2) X.add(X,alpha=-1)
X.sub(1,alpha=2) torch.cat([X,X[:0]]) torch.cat([X,X.half()]) torch.cat([X,X.int()],-1) torch.stack([X,X.float()])
torch.cat([X[None],torch.empty(0)]) torch.nn.Parameter(X) torch.nn.Parameter(X.detach()).sin() torch.as_tensor(X)
torch.asarray(X) torch.tensor(X) X.contiguous().view(-1).sort()[0] X.masked_scatter(X>0,X.clone()) X.pow(0)
X.pow(X.int()) 0**X X.clamp(0.1,-0.1) X.clamp(None,X) X.nanmean(0) X.sum(0).sum(0) X.flip(0).cumsum(0).flip(0)
X.roll(1).narrow(0,0,1) X.amax()-X.amin() X.std(0) X.var(0,correction=2) X.norm(dim=0) X.argmax(0)*X
X.max(0).values*X.min(0).indices X.kthvalue(1,0)[0] X.all() X.prod(0) X.prod(0,True) X.cumprod(0) X.cummin(0)[0]
X.dist(X) X.diff(n=2) X.diff(prepend=X[:1],dim=0) X.outer(X) X.inner(X) X.vdot(X) X.addmv(X,X) X.ger(X) X.mv(X)
X.mm(X) X.bmm(X) X.softmax(0,torch.float32) X.select(0,0) torch.einsum('...->...',X) torch.einsum('i...->...',X)
torch.einsum('...i,...j->...ij',X,X) torch.tensordot(X,X,0) X.view(0,-1)
""".split()

PASSES = """
torch.autograd.grad(L,X)[0] torch.autograd.grad(L,[X,X])[1]
torch.autograd.grad(L,[X],allow_unused=True,materialize_grads=True)[0]
torch.autograd.grad(torch.autograd.grad(L,X,create_graph=True)[0].pow(2).sum(),X)[0]
torch.autograd.grad(Y,X,torch.ones_like(Y))[0]
torch.autograd.grad(torch.autograd.grad(L,X,create_graph=True)[0].sin().sum(),X,allow_unused=True,create_graph=True)[0]
torch.autograd.grad([L,Y],[X],[None,torch.ones_like(Y)])[0] torch.autograd.grad(Y,X,Y,create_graph=True)[0]
torch.autograd.grad(Y,X)[0] torch.autograd.grad(L,Z)[0] torch.autograd.grad(Y,X,torch.ones(7))[0]
torch.autograd.grad([Y,Y],X,[Y,Y.detach()],create_graph=True)[0] torch.autograd.grad(L,[X,Y],retain_graph=True)[1]
torch.autograd.grad(L,torch.autograd.graph.get_gradient_edge(X))[0] torch.autograd.grad((L,L*2),X)[0]
torch.autograd.grad(L,X,torch.tensor(2.0))[0]
torch.autograd.grad(torch.autograd.graph.get_gradient_edge(Y),X,torch.ones_like(Y))[0]
torch.autograd.grad(L,X,torch.ones(1))[0]
torch.autograd.grad(torch.autograd.grad(torch.autograd.grad(L,X,create_graph=True)[0].sum(),X,create_graph=True)[0].sum(),X)[0]
torch.autograd.grad(L,X,is_grads_batched=True)[0] torch.autograd.grad(L,[])[0] torch.autograd.grad([],X)[0]
torch.autograd.grad(L,X,create_graph=True) torch.autograd.grad(Y,X,torch.ones_like(Y).float())[0]
torch.autograd.grad(Y,X,torch.eye(Y.numel(),dtype=Y.dtype).view(-1,*Y.shape),is_grads_batched=True)[0]
""".split()

BACKWARDS = """
torch.autograd.backward([L,Y],[None,torch.ones_like(Y)]) torch.autograd.backward(L,inputs=[X])
torch.autograd.backward(L,inputs=[X,Z]) L.backward(inputs=X) torch.autograd.backward([L,L*2])
torch.autograd.backward(Y) torch.autograd.backward((L,),retain_graph=True);L.backward() L.backward(torch.tensor(3.0))
Y.backward(Y.detach()*1) Y.backward(torch.ones(5)) L.backward(create_graph=True) L.backward(inputs=[])
L.backward();L.backward() Y.backward(Y.detach()*1,inputs=[X])
Y.backward(torch.ones_like(Y),retain_graph=True);L.backward(retain_graph=True) (L*L).backward(inputs=[Y])
torch.autograd.backward(Y,Y,inputs=[X],create_graph=True) torch.autograd.backward([Y],[torch.ones_like(Y),None])
torch.autograd.backward(L,torch.tensor(1)) L.backward(gradient=None,retain_graph=None)
""".split()


FUNCTIONS = """
Some.apply(X,Y)[0] Some.apply(X,Y,3)[2] Some.apply(X,Y,0.5,None)[3] Some.apply(X,Y)[1] Wrong.apply(X,K)
Wrong.apply(X,K) Dirty.apply(X,Y)[0] Dirty.apply(X,Y)[1] Dirty.apply(X,Y)[2] Dirty.apply(X,X)[0]
Dirty.apply(X,Y.clone())[0] Dirty.apply(X,Y[...])[2] Forgotten.apply(X) Forgotten.apply(X*1)
Viewed.apply(X)[0] Viewed.apply(X)[1] Viewed.apply(X)[2] Viewed.apply(X*2)[0] Exp.apply(X)[0] Exp.apply(X)[1]
sum(Exp.apply(X)) Whole.apply(X)[0] Whole.apply(X)[1] Straight.apply(X,Y)[0] Straight.apply(X,Y)[1]
Straight.apply(X,2)[0] Cube.apply(X,Y) Cube.apply() Cube.apply(X.detach()) Once.apply(X*2) Same.apply(X)*2
Same.apply(X[:1]) DoubleInPlace.apply(X[:1]) DoubleInPlace.apply(X*1) DoubleInPlace.apply(X.clone()).sin()
Part.apply(X).mul_(2)
""".split()

CHECKPOINTS = """
checkpoint(lambda_p:p.mul(2).sin_(),X,O) checkpoint(lambda_p:(p.sin(),p.cos()),X,O)[1] checkpoint(lambda_p:p*Y,X,O)
checkpoint(lambda_p:p.mul_(2),X,O) checkpoint(lambda_p,q:p*q,X,2,O) checkpoint(lambda_p,q:p*2,X,None,O)
checkpoint(lambda_p:{'a':p.exp()},X,O)['a'] checkpoint(lambda_p:1/0,X,O)
checkpoint(lambda_p:checkpoint(lambda_q:q.sin().exp(),p*2,O).tanh(),X,O) checkpoint(lambda_p:p.detach()*2,X,O)
checkpoint(lambda_p:Cube.apply(p)*p,X,O)
checkpoint(lambda_p:checkpoint(lambda_q:q.sin()*Y,p,O)*checkpoint(lambda_q:q.cos(),p,O),X*1,O)
checkpoint(lambda_p:torch.autograd.grad((p*p).sum(),p,create_graph=True)[0],X,O)
checkpoint(lambda_p:p.sin()*p.cos(),X.detach(),O) checkpoint(lambda_p:p,X,O) checkpoint(lambda_p:p[:1],X,O)
checkpoint(lambda_p:p.exp().view(-1),X,O,preserve_rng_state=False)
torch.utils.checkpoint.checkpoint_sequential([torch.sin,torch.exp,torch.tanh],2,X,O) checkpoint(torch.exp,X,O).mul_(2)
checkpoint(lambda_p:p.exp()*(log.append((n,1))_or_p),X,O)
checkpoint(lambda_p:p.exp().sin()*(p.sin()_if_len(log)%2_else_p),X,O)
checkpoint(lambda_p:log.append((n,p.requires_grad,torch.is_grad_enabled()))_or_p.sin(),X,O)
checkpoint(lambda_p:Wrong.apply(p,K),X,O) checkpoint(lambda_p:p.register_hook(lambda_g:g*2)_and_p*1,X,O)
checkpoint(lambda_p:X*p,Y,O) checkpoint(lambda_p:p.sum(),X,O) checkpoint(lambda_p:Once.apply(p).exp(),X,O)
checkpoint(lambda_p:Exp.apply(p)[1]*p,X,O) checkpoint(lambda_p:DoubleInPlace.apply(p*1).sin(),X,O)
""".split()


def text(form: str, n: int, **names: str) -> str:
    """Spaces are written ``_`` after words of Python, so that forms can be split at spaces."""
    for word in ("lambda_", "None_if_", "_if_", "_is_", "_else_", "_for_", "_in_", "_or_", "_and_", "del_"):
        form = form.replace(word, word.replace("_", " "))
    return put(form.replace("(n,", f"({n},"), **names)


def of_state(s: Scope, new: str, n: int) -> str:
    rng = s.rng
    kind = rng.random()
    if kind < 0.12:
        x = s.tensor(is_differentiable, may_have_hooks)
        return f"{x}.grad_fn; {x}.register_hook({text(rng.choice(HOOKS), n, X=x)})"
    if kind < 0.16:
        x = s.tensor(is_differentiable, may_have_hooks)
        return f"{x}.grad_fn.{text(rng.choice(NODE_HOOKS), n)}"
    if kind < 0.20:
        x = s.tensor(is_differentiable, may_have_hooks)
        y = s.tensor(is_differentiable, may_have_hooks)
        mode, kept = rng.choice([("any", "g.clone()"), ("all", "[None if h is None else h.clone() for h in g]")])
        given = f"[{x}, {y}], lambda g: log.append(({n}, {kept})), mode='{mode}'"
        hook = f"torch.autograd.graph.register_multi_grad_hook({given})"
        # and a pass from elsewhere: in PyTorch's count of what is to come the only root is missing
        return f"{x}.grad_fn; {y}.grad_fn\nwith {hook}:\n    ({x}.abs().sum() + {y}.abs().sum()).backward()"
    if kind < 0.23:
        x = s.tensor(is_differentiable, may_have_hooks)
        after = rng.choice(
            ["t.grad.zero_()", "setattr(t, 'grad', None)", "1 / 0", f"log.append(({n}, t.grad.clone()))"]
        )
        return f"{x}.register_post_accumulate_grad_hook(lambda t: {after})"
    if kind < 0.29:
        pack, unpack = text(rng.choice(PACKINGS).replace("|", " | "), n).split(" | ")
        body = rng.choice([elementwise, of_two, product, reduction])(s)
        if not works(s, body):
            body = f"{s.tensor(is_differentiable)} * 2"  # PyTorch saves inputs before it refuses them
        return f"with torch.autograd.graph.saved_tensors_hooks({pack}, {unpack}):\n    {new} = {body}"
    if kind < 0.41:
        return block(s, new)
    if kind < 0.52:
        x = s.tensor(is_small, may_be_written)
        return text(rng.choice(GRADIENTS), n, X=x)
    if kind < 0.66:
        x = s.tensor(is_small, has_own_elements, may_be_written)
        form = rng.choice(CHAINS)
        if "X[-1]" in form and not s.tensors[x].dim():
            form = "X[0]"  # of a number, PyTorch reads a size that is not there
        if "view(torch.int64).add_" in form and not all_finite(s.tensors[x]):
            form = "X.view(torch.int32).zero_()"
        return text(form, n, X=x)
    if kind < 0.78:
        x = s.tensor(is_small)
        form = rng.choice(ALSO)
        if "view(torch.int" in form and not (all_finite(s.tensors[x]) and s.tensors[x].numel()):
            form = "X[...]"  # NaN may have either sign; where nothing is, facula does not know from where on it lies
        if "_neg_view" in form and s.tensors[x].dtype == s.torch.bool:
            form = "X[...]"  # PyTorch negates booleans if they are cast at once
        return f"{new} = {text(form, n, X=x)}"
    if kind < 0.87:
        x = s.real(is_small, has_own_elements, may_be_written)
        t = s.tensors[x]
        y = s.tensor(lambda o: o.shape == t.shape and o.dtype == t.dtype)
        form = rng.choice(FUNCTIONS + CHECKPOINTS)
        if form.startswith("Dirty") and (t._is_view() or (t.is_leaf and t.requires_grad)):
            form = form.replace("(X", "(X*1")  # refused when Y has got a node that may end PyTorch's process
        if form.startswith("Dirty") and s.tensors[y].is_inference():
            form = form.replace(",Y)", ",Y*1)")  # which PyTorch writes to before it is refused
        kind_of = rng.choice(["use_reentrant=False", "use_reentrant=False", "use_reentrant=True"])
        return f"{new} = {text(form, n, X=x, Y=y, K=str(rng.randint(0, 13)), O=kind_of)}"
    y = s.tensor(lambda t: t.requires_grad and is_differentiable(t) and is_small(t))
    x, z = s.tensor(lambda t: t.requires_grad), s.tensor(is_differentiable)
    loss = f"{y}.{'sum()' if is_floating(s.tensors[y]) else 'abs().sum()'}"
    if rng.random() < 0.5:
        loss = f"({loss} * {loss})"
    if kind < 0.95:
        return f"{new} = {text(rng.choice(PASSES), n, X=x, Y=y, Z=z, L=loss)}"
    return text(rng.choice(BACKWARDS), n, X=x, Y=y, Z=z, L=loss)


def works(s: Scope, body: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(body, {**names_of(s.torch), **s.tensors})
    except Exception:
        return False
    return True


def block(s: Scope, new: str) -> str:
    """Some statements in a mode, perhaps in two."""
    modes = [s.rng.choice(MODES)]
    if s.rng.random() < 0.2 and "mutation" not in modes[0]:
        modes.append(s.rng.choice([m for m in MODES if "mutation" not in m]))
    lines = [f"{'    ' * i}with {mode}:" for i, mode in enumerate(modes)]
    deep = "    " * len(modes)
    lines.append(f"{deep}{new} = {s.rng.choice([expression, view])(s)}")
    overlap = "unfold" in lines[-1] or "as_strided" in lines[-1]
    if overlap or not all(has_own_elements(t) and may_be_written(t) for t in s.tensors.values()):
        return "\n".join(lines)  # what is written to elements that overlap, or before PyTorch refuses, is not defined
    for _ in range(s.rng.choice([0, 1, 1, 2])):
        lines.append(deep + s.rng.choice([
            f"{new}.mul_(2)", f"{new}[..., :1].add_(1)", change(s), f"{new}_v = {new}.view(-1)", f"{new}_w = {view(s)}",
            f"{new}_x = {expression(s)}", f"{new} = {new} * 2", f"{new}.detach_()", f"{new}.sum().backward()",
        ]))  # fmt: skip
    return "\n".join(lines)
