"""Random expressions of what layers are made of, of linear algebra and of rarer operators, by what they take."""

from __future__ import annotations

from .scope import Scope, all_finite, has_equals, is_floating, is_small, put

ANY = """
F.binary_cross_entropy(x.sigmoid(),Y.sigmoid().detach()) F.binary_cross_entropy_with_logits(x,Y.sigmoid())
F.binary_cross_entropy_with_logits(x,Y.sigmoid(),weight=Y.detach(),pos_weight=Y.detach().abs(),reduction='sum')
F.poisson_nll_loss(x,Y.abs()) F.poisson_nll_loss(x,Y.abs()+2,full=True) F.soft_margin_loss(x,Y.detach().sign())
F.hinge_embedding_loss(x,Y.detach().sign()) F.margin_ranking_loss(x,Y,Y.detach().sign(),margin=0.2)
F.gaussian_nll_loss(x,Y,x*x+1) F.smooth_l1_loss(x,Y,beta=0.4) F.huber_loss(x,Y,delta=0.6,reduction='none')
F.smooth_l1_loss(x,Y,beta=0.0,reduction='none') F.l1_loss(x,Y,reduction='none') F.kl_div(x,Y.sigmoid())
F.kl_div(x,Y,log_target=True,reduction='sum') F.prelu(x,x.flatten()[0]) F.rrelu(x) F.softplus(x,2.0,0.5) F.elu(x,0.7)
F.gelu(x,approximate='tanh') F.hardtanh(x,-0.3,0.4) F.logsigmoid(x) F.threshold(x,0.1,2.0) F.softmin(x,-1)
torch.special.erfcx(x) torch.special.log_ndtr(x) torch.special.ndtr(x) torch.special.ndtri(x.sigmoid())
torch.special.i1(x) torch.special.i0e(x) torch.special.i1e(x) x.erfc() torch.sinc(x) x.mvlgamma(1)
torch.polygamma(1,x*x+1) torch.special.multigammaln(x*x+2,2) torch.frexp(x)[0] torch.logaddexp2(x,Y) torch.rad2deg(x)
torch.special.entr(x*x) torch.special.psi(x*x+1) torch.logit(x.sigmoid()) x.acosh() (x*x+1).acosh() x.signbit()
x.isfinite() x.isnan() torch.real(x) torch.heaviside(x.detach(),Y.detach()) torch.gradient(x,dim=-1)[0] x.nanmean()
x.nan_to_num(0.5) torch.clamp(x,min=Y) torch.clamp(x,max=Y) x.clip(-0.5,0.5) torch.igamma(Y.detach().abs()+1,x.abs())
x.var() x.std() torch.where(Y>0,x,0.5) torch.where(Y>0,1,x) torch.addcmul(x,Y,Y) torch.addcdiv(x,Y,Y*Y+1)
x.sub(Y,alpha=3) torch.rsub(x,2) torch.fmax(x,Y) torch.ldexp(x,(Y*2).int().abs()) x.div(Y,rounding_mode='trunc')
x.floor_divide(2) x.pow(Y.abs()) 2**x torch.pow(0.5,x) x.abs()**x x.float_power(2) x.bfloat16().sin() x.half()*2
x.to(torch.bfloat16)+x x.sum(dtype=torch.float32) torch.std_mean(x,correction=0)[0] torch.quantile(x.flatten(),0.3)
torch.nanquantile(x.flatten(),0.7) x.median() torch.trapezoid(x) torch.cumulative_trapezoid(x) x.fmod(Y*Y+1)
x.remainder(Y*Y+1) x.quantile(0.6) x.msort() torch.broadcast_tensors(x,Y)[1] torch.block_diag(x,Y)
torch.cartesian_prod(x.flatten(),Y.flatten()) torch.vstack([x,Y]) torch.hstack([x,Y]) torch.dstack([x,Y])
torch.column_stack([x,Y]) torch.atleast_2d(x) torch.atleast_3d(x)
torch.meshgrid(x.flatten(),Y.flatten(),indexing='ij')[0] torch.combinations(x.flatten(),2) x.flatten().vander(3)
torch.renorm(x,2,0,1.0) torch.bucketize(x,Y.detach().flatten().sort()[0])
torch.searchsorted(Y.detach().flatten().sort()[0],x) x.histc(3,-1,1) x.nonzero() x.unique() torch.polar(x.abs(),Y)
torch.complex(x,Y) torch.view_as_real(torch.complex(x,Y)) x.logdet() x.flatten().cov() x.to_dense()
x.masked_select(x>0) x.masked_scatter(x>0,Y) x.put(torch.tensor([0]),x.flatten()[-1:])
x.index_put((torch.tensor([0]),),x.flatten()[0]) x.index_put((torch.tensor([0,0]),),x.flatten()[0],accumulate=True)
x.flatten().take(torch.tensor([0,-1])) torch.argwhere(x>0) x.flatten().outer(Y.flatten()) x.diff()
x.flatten().diag_embed() torch.tensordot(x,Y,x.dim()) torch.dist(x,Y+1,1) x.norm() x.norm(1) x.norm(float('inf'))
x.norm(3,-1) x.norm(0) x.renorm(1,-1,0.5) torch.nn.Softmax(-1)(x) torch.nn.Tanh()(x) torch.func.vmap(torch.sin)(x)
x.sum(0).expand_as(x) x.sum_to_size(x.shape) torch.nn.utils.parameters_to_vector([x,Y]) F.hardswish(x)
F.alpha_dropout(x,0.0,True) F.dropout(x,0.5,False) x.cfloat().imag torch.fft.fft(x).real torch.fft.rfft(x).abs()
torch.fft.ifft(x).abs() torch.fft.fftshift(x) torch.fft.irfft(torch.fft.rfft(x)) torch.fft.fft2(x).real
torch.fft.hfft(torch.complex(x,Y))
""".split()

ROWS = """
F.layer_norm(x,(n,)) F.layer_norm(x,(n,),Y.flatten()[:n],x.flatten()[:n]) F.rms_norm(x,(n,))
F.rms_norm(x,(n,),Y.flatten()[:n]) F.linear(x,torch.ones(2,n,dtype=x.dtype)*0.5) F.linear(x,Y.flatten()[:n])
F.softmax(x,-1)*Y F.log_softmax(x,0) F.glu(x,-1) F.cosine_similarity(x,Y,dim=-1) F.pairwise_distance(x,Y)
F.normalize(x,p=1,dim=0) F.pad(x,(1,2),value=0.5) torch.linalg.vecdot(x,Y) torch.inner(x,Y)
torch.linalg.vector_norm(x,0.5) torch.cross(x,Y,dim=-1) x.cumprod(-1) x.cummax(-1)[0]
F.kl_div(x.log_softmax(-1),Y.softmax(-1),reduction='batchmean') F.one_hot(x.detach().abs().long(),5)
x.logcumsumexp(-1) x.unfold(-1,2,1) x.diagonal_scatter(Y.diagonal()) x.narrow_copy(0,0,1)
x.index_reduce(0,torch.tensor([0]),Y[:1],'amax') x.index_reduce(0,torch.tensor([0]),Y[:1],'prod')
x.index_reduce(0,torch.tensor([0]),Y[:1],'mean') x.tensor_split(2,-1)[1] x.scatter_reduce(-1,x.argsort(-1),Y,'amax')
x.scatter_reduce(-1,x.argsort(-1),Y,'prod') x.scatter_reduce(0,torch.zeros_like(x,dtype=torch.int64),Y,'mean')
x.scatter_reduce(0,torch.zeros_like(x,dtype=torch.int64),Y,'amin',include_self=False) x.swapaxes(0,-1)
x.sort(-1,True)[0] x.scatter_reduce(0,torch.zeros_like(x,dtype=torch.int64),Y,'sum')
torch.segment_reduce(x,'max',lengths=torch.tensor([x.shape[0]])) x.argsort(-1) x.sort(dim=0,stable=True)[1]
torch.take_along_dim(x,x.argsort(-1),-1) x.gather(-1,x.argmax(-1,True)) x.fliplr() x.flipud() x.hsplit(1)[0]
x.amax(-1,True) x.aminmax(dim=-1)[0] torch.logsumexp(x,(0,-1))
torch.kron(x.contiguous(),Y.contiguous()) x.logsumexp(0) x.unsafe_chunk(2)[0]
torch.einsum('...i,...i->...',x,Y) torch.einsum('...i,...i',x,x) x.var(-1) x.std(0) x.mode(-1)[0] x.cov() x.corrcoef()
layer('Linear',x,n,log) layer('LayerNorm',x,n,log) layer('Sequence',x,n,log) layer('Hooked',x,n,log)
layer('Shared',x,n,log)
""".split()

MATRICES = """
F.cross_entropy(x,torch.zeros(len(x),dtype=torch.int64),label_smoothing=0.1) F.cross_entropy(x,Y.softmax(-1))
F.cross_entropy(x,torch.zeros(len(x),dtype=torch.int64),weight=Y[0].detach().abs(),reduction='none')
F.cross_entropy(x,torch.zeros(len(x),dtype=torch.int64),ignore_index=0)
F.nll_loss(x,torch.zeros(len(x),dtype=torch.int64))
F.nll_loss(x,torch.zeros(len(x),dtype=torch.int64),weight=Y[0].detach().abs(),reduction='sum')
F.batch_norm(x,None,None,training=True) F.multi_margin_loss(x,torch.zeros(len(x),dtype=torch.int64))
F.multilabel_soft_margin_loss(x,Y.detach().sigmoid()) F.multilabel_margin_loss(x,torch.zeros_like(x,dtype=torch.int64))
F.triplet_margin_loss(x,Y,x*Y) F.cosine_embedding_loss(x,Y,torch.ones(len(x))) F.embedding(torch.tensor([0,0]),x)
F.embedding(torch.tensor([[0],[-1+len(x)]]),x,padding_idx=0)
F.embedding_bag(torch.tensor([0,0]),x,torch.tensor([0,1])) F.embedding_bag(torch.tensor([[0,0]]),x,mode='sum')
F.bilinear(x,Y,torch.ones(2,n,n,dtype=x.dtype)) F.group_norm(x,1) F.instance_norm(x[None]) F.pdist(x) torch.cdist(x,Y)
torch.cdist(x,Y,p=1) x.mm(Y.t()) x.addmm(x,x.t()@x) torch.addmv(x[:,0],x,Y[0]) torch.addr(x,x[:,0],Y[0])
torch.chain_matmul(x,Y.t(),x) x.triu(-1) x.tril(1) x.diag() x.diagonal(1) x.t().contiguous() x.mH@Y
torch.trace(x@Y.t()) torch.linalg.inv(x@x.mH+3*torch.eye(len(x),dtype=x.dtype)) torch.linalg.pinv(x)
torch.linalg.svdvals(x) x.mT.inner(Y.mT) torch.linalg.eigvalsh(x@x.mH)
torch.linalg.slogdet(x@x.mH+torch.eye(len(x),dtype=x.dtype))[1] torch.linalg.qr(x)[1].abs()
torch.linalg.matrix_power(x@x.mH,2) torch.linalg.matrix_norm(x,'nuc') torch.linalg.matrix_norm(x,1)
torch.linalg.norm(x) torch.linalg.lstsq(x.mT@x+torch.eye(n,dtype=x.dtype),x.mT).solution
torch.linalg.cond(x@x.mH+torch.eye(len(x),dtype=x.dtype))
torch.linalg.solve_triangular(x@x.mH+torch.eye(len(x),dtype=x.dtype),x,upper=True) torch.linalg.matrix_norm(x,2)
x.rot90(2) torch.linalg.matrix_exp(x@x.mH*0.1) torch.linalg.householder_product(x,Y[0]) torch.linalg.eigh(x@x.mH)[0]
torch.linalg.lu(x)[2] torch.baddbmm(x[None],x[None],(x.t()@x)[None]) x.expand(2,-1,-1).bmm(Y.t().expand(2,-1,-1))
F.softmax(x@Y.t(),-1)@Y F.scaled_dot_product_attention(x,Y,x) F.scaled_dot_product_attention(x,Y,Y,is_causal=True)
F.conv1d(x,Y[None]) F.conv1d(x[None],Y[None,:,:1],padding=1) F.conv_transpose1d(x,Y[:,None])
F.avg_pool1d(x,2,1) torch.cov(x) x.corrcoef() torch.tensordot(x,Y,([1],[1])) torch.einsum('ij,kj->ki',x,Y)
torch.einsum('ii->i',x@x.t()) torch.einsum('ij,ij->',x,Y) torch.einsum('ij->j',x)
torch.einsum('ij,jk,kl->il',x,x.t(),x) F.fold(x,(2,2),1)
""".split()

CUBES = """
F.conv1d(x,Y[...,:1]) F.conv1d(x,Y[...,:2],padding=1) F.conv1d(x,Y[...,:1],bias=Y[:,0,0],stride=2)
F.conv_transpose1d(x,Y.transpose(0,1)[...,:2]) F.conv1d(x,Y,padding='same') F.conv1d(x,Y[...,:2],padding=2,dilation=2)
F.max_pool1d(x,2,1) F.avg_pool1d(x,2,1,1) F.lp_pool1d(x,2,2,1) F.adaptive_avg_pool1d(x,2) F.adaptive_max_pool1d(x,2)
F.interpolate(x,scale_factor=2.0) F.interpolate(x,size=3,mode='linear') F.batch_norm(x,None,None,training=True)
F.batch_norm(x,Y.detach().mean((0,2)),Y.detach().var((0,2),correction=0),eps=0.1)
F.batch_norm(x,None,None,Y[0,:,0],x[0,:,0],training=True) F.instance_norm(x) F.group_norm(x,1)
F.group_norm(x,x.shape[1],Y[0,:,0]) F.pad(x,(1,1),mode='replicate') F.pad(x,(1,0),mode='circular')
F.pad(x,(1,1),mode='reflect') F.pad(x,(1,0,0,1)) F.local_response_norm(x,2) F.scaled_dot_product_attention(x,Y,x)
F.nll_loss(x,torch.zeros(len(x),x.shape[2],dtype=torch.int64)) x.bmm(Y.mT) torch.baddbmm(x@Y.mT,x,Y.mT,alpha=0.5)
F.cross_entropy(x,torch.zeros(len(x),x.shape[2],dtype=torch.int64)) F.max_pool2d(x,2,1,1) F.avg_pool2d(x,2,1,1)
F.unfold(x,1) torch.cdist(x,Y) F.max_pool1d(x,2,return_indices=True)[0] x.bmm(Y.mT).diagonal(dim1=-2,dim2=-1)
x.transpose(0,1).flatten(1) torch.einsum('bij,bkj->bik',x,Y) torch.einsum('bij,bij->b',x,Y)
F.layer_norm(x,x.shape[1:]) x.rot90(1,(0,2)) x.mT.tril() F.conv2d(x,Y[None]) x.movedim(0,-1).sum(0)
x.flatten(0,1).unflatten(0,(-1,1)) x.permute(2,0,1)@x.permute(2,1,0)
""".split()

IMAGES = """
F.conv2d(x,Y[...,:1,:1]) F.conv2d(x,Y[...,:2,:2],padding=1) F.conv2d(x,Y[...,:1,:1],stride=2)
F.conv_transpose2d(x,Y.transpose(0,1)[...,:2,:2]) F.max_pool2d(x,2,1,1) F.avg_pool2d(x,2,1,1)
F.adaptive_avg_pool2d(x,(1,2)) F.interpolate(x,scale_factor=2,mode='nearest')
F.interpolate(x,size=(3,2),mode='bilinear') F.batch_norm(x,None,None,training=True) F.group_norm(x,1)
F.pad(x,(1,1,0,1),mode='replicate') F.interpolate(x,size=(2,3),mode='bicubic',align_corners=True)
F.pixel_unshuffle(x,1) F.unfold(x,1) F.channel_shuffle(x,1) F.instance_norm(x)
x.contiguous(memory_format=torch.channels_last)*2 x.permute(0,2,3,1).contiguous().permute(0,3,1,2).sin()
F.scaled_dot_product_attention(x,Y,Y) x@Y.mT F.max_pool2d(x,1,2) F.lp_pool2d(x,2,1)
F.grid_sample(x,torch.zeros(len(x),2,2,2,dtype=x.dtype)+0.1) x.sum((0,2)) x.var((1,3)) x.amax((0,1))
x.mean((2,3),keepdim=True) F.dropout2d(x,0.5,False) F.nll_loss(x,torch.zeros(len(x),*x.shape[2:],dtype=torch.int64))
""".split()

INTEGERS = """
x&3 x|1 x^2 ~x x<<1 x>>1 x//2 x%3 x**2 -x x.abs() x.gcd(X) x.lcm(X) x.bitwise_and(X) x/2 x.float() x.sum() x.prod()
x.cumsum(0) x.sin() x.sqrt() x.mean() x.max() x.argmax() x.sort()[0] x.unique() x.remainder(3) x.fmod(3) x.clamp(0,2)
x.sign() x.square() x==X x*X x-X x/X x//X x.div(X,rounding_mode='trunc') x.bool() x.to(torch.uint8) x.to(torch.int8)*3
x.add(X,alpha=2) x.mul(2.5) x+0.5 x+True x*1j x.neg() x.exp() x.sigmoid() x.amax(0) x.double().requires_grad_()
x.logical_xor(X) x.bitwise_left_shift(1) 2**x.abs() x.float_power(2) x.count_nonzero() x.any() x.all(0)
x.diff() x.flip(0) x.roll(1) x.isin(X) x.median() x.mode()[0] x.floor() x.round() x.trunc() x.reciprocal() x.hypot(X)
x.maximum(X) x.where(X>0,X) x.T torch.where(x>0,1.5,x) x.cumprod(0) x.cummax(0)[1] x.logsumexp(0) x.softmax(0)
x.outer(X) x@X x.dot(X) x.matmul(X.t()) x.trace() x.tril() F.one_hot(x.abs()) x.topk(1)[0] x.int()<<2
x.to(torch.int16)+X x.to(torch.uint8)-5
""".split()

BOOLEANS = """
~x x&X x|X x^X x.sum() x.any() x.all() x.float() x*2 x+1 x+X x*X x.logical_not() x.logical_or(X) x==X x.nonzero()
x.cumsum(0) x.int() x.where(X,X) x.max() x.any(0) x.all(-1,True) x.argmax() x.prod() x-1 x/2 -x x-X x.sort()[0]
x.flip(0) x.to(torch.uint8) torch.where(x,1.0,2.0) torch.where(x,1,2) x.masked_fill(X,True) x.count_nonzero() x<X x>=X
x.bitwise_not() x**2 x//2 x.abs() x.double().requires_grad_() x.unique() x.T x.sigmoid()
""".split()

COMPLEX = """
x.conj()*2 x.abs() x.angle() x.real x.imag x*X x/X x+X x-X x@X x.mH*2 x.sum() x.prod() x.mean() x.cumsum(0) x.cumprod(0)
x.exp() x.log() x.sqrt() x.sin() x.cos() x.tan() x.sinh() x.cosh() x.asin() x.acos() x.atan() x.tanh() x.pow(2)
x.pow(X) x**0.5 x.square() x.reciprocal() x.rsqrt() x.sgn() x.abs().log() x.abs().square() x.norm() x.var() x.std()
x.isfinite() x==X x!=X x.dot(X) x.vdot(X) x.outer(X) x.expm1() x.log1p() x.log2() x.log10() x.exp2() x.sinc()
x.sigmoid() x.acosh() x.asinh() x.atanh() torch.view_as_real(x)*2 torch.fft.fft(x) torch.fft.ifft(x)
torch.where(X.real>0,x,X) torch.linalg.vector_norm(x) torch.addcmul(x,X,X) x.lerp(X,0.3) x.flip(0) x.diff()
x.real.isreal() x.t()@X x.positive() x.neg() x*2.5 x*1j 1/x x-1j x.to(torch.complex64) x.to(torch.complex128)
x.masked_fill(X.real>0,1j) x.index_select(0,torch.tensor([0])) x.matmul(x.mH)
torch.linalg.inv(x@x.mH+3*torch.eye(len(x),dtype=x.dtype)) torch.linalg.det(x@x.mH) torch.polar(x.abs(),x.angle())
x.softmax(0) x.logsumexp(0) x.logcumsumexp(0) x.nan_to_num() torch.einsum('i,i->',x,X) x.real*X.imag x.imag.sum()
x.real.square()+x.imag.square() (x*x.conj()).real x.gather(0,torch.zeros_like(x,dtype=torch.int64))
x.scatter_add(0,torch.zeros_like(x,dtype=torch.int64),X) x.roll(1,0) x.tril() x.diag()
torch.kron(x.contiguous(),X.contiguous()) x.cov()
torch.linalg.svdvals(x) torch.linalg.eigvalsh(x@x.mH)
""".split()


NOT_IN_TRANSFORMS = """
layer batch_norm instance_norm 'prod' cdist rrelu include_self=False logdet
""".split()
"""The log of a layer would keep tensors of a transform; of the others some derivative is wrong in PyTorch: second
forward ones of batch norm in ``vmap``, forward ones of scattered products, gradients of distances in
``vmap``, of extrema that are scattered without the input itself, of forward derivatives of determinants."""


UNLESS_EQUAL = ("segment_reduce", "quantile")


def of_networks(s: Scope) -> str:
    """Something that fits a floating-point tensor."""
    x = s.tensor(is_floating, is_small)
    t = s.tensors[x]
    tables = [ANY, *[ROWS] * (t.dim() > 0), *[{2: MATRICES, 3: CUBES, 4: IMAGES}.get(t.dim(), ROWS)] * (t.dim() > 1)]
    text = s.rng.choice(s.rng.choice(tables))
    if not s.eager and any(word in text for word in NOT_IN_TRANSFORMS):
        text = "x*Y"
    if any(word in text for word in UNLESS_EQUAL) and has_equals(t):
        text = "x+Y"  # which of equal elements is the one is not promised, and where minima are equal PyTorch errs
    if any(word in text for word in ("eigvalsh", "eigh", "linalg.lu", "mode(-1)")) and not all_finite(t):
        text = "x+Y"  # which pivots are taken, and whether it is told; where NaN goes
    if "scaled_dot_product" in text and not all(map(all_finite, s.tensors.values())):
        text = "x+Y"  # rows of NaN become zeros
    if t.dtype.itemsize == 2 and any(word in text for word in ("complex", "fft", "polar", "cfloat", "matrix_exp")):
        text = "x+Y"  # complex numbers of 32 bits; results that are not even near
    return put(text, x=x, Y=like(s, x), n=str(t.shape[-1] if t.dim() else 1))


def of_other_dtypes(s: Scope) -> str:
    """Something of integers, booleans or complex numbers."""
    x = s.tensor(lambda t: not is_floating(t), is_small)
    t = s.tensors[x]
    table = COMPLEX if t.dtype.is_complex else BOOLEANS if t.dtype == s.torch.bool else INTEGERS
    text = s.rng.choice(table)
    if "eigvalsh" in text and not all_finite(t):
        text = "x+X"
    return put(text, x=x, X=like(s, x))


def like(s: Scope, name: str) -> str:
    """A tensor of the same shape and dtype, often another one."""
    t = s.tensors[name]
    return s.tensor(lambda o: o.shape == t.shape and o.dtype == t.dtype)
