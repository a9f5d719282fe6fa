"""Operators with what they take, for calls whose arguments are given in random forms.

A line is ``name forms parameters``: forms are ``t`` (a function of ``torch``, or of the module that the name begins
with), ``m`` (a method), ``i`` (in place) and ``o`` (``out=``); parameters are ``name:kind``, with ``!`` for those that
are always given, ``*`` for those that are given by name alone and ``^`` by position alone. ``arguments.py`` has the
kinds. A line that ends with a backslash goes on in the next one.
"""

from __future__ import annotations

_UNARY = """
abs absolute acos arccos acosh asin asinh atan atanh bitwise_not ceil conj_physical cos cosh deg2rad digamma erf erfc
erfinv exp exp2 expm1 floor frac i0 lgamma log log10 log1p log2 logical_not neg negative rad2deg reciprocal round rsqrt
sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc fix
""".split()

_PLAIN = """
angle isfinite isinf isnan isneginf isposinf isreal positive signbit real imag conj resolve_conj nonzero argwhere
numel is_nonzero is_floating_point is_complex is_signed ravel t adjoint fliplr flipud trace logdet det inverse
matrix_exp atleast_1d atleast_2d atleast_3d count_nonzero view_as_real
""".split()

_SPECIAL = """
digamma psi entr erf erfc erfcx erfinv exp2 expit expm1 gammaln i0 i0e i1 i1e log1p log_ndtr ndtr ndtri round sinc
""".split()

_OF_TWO = """
true_divide divide multiply maximum minimum fmax fmin hypot logaddexp logaddexp2 copysign nextafter heaviside ldexp
logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm
eq ne lt le gt ge greater less greater_equal less_equal not_equal atan2 arctan2 fmod remainder floor_divide mul igamma
igammac
""".split()

POINTWISE = [
    *[f"{name} tmio" for name in _UNARY],
    *[f"{name} tm" for name in _PLAIN],
    *[f"special.{name} to" for name in _SPECIAL],
    *[f"{name} tmio other:any!" for name in _OF_TWO],
    *"""
add tmio other:any! alpha:factor*
sub tmio other:any! alpha:factor*
subtract tmio other:any! alpha:factor*
rsub t other:any! alpha:factor*
div tmio other:any! rounding_mode:rounding*
pow tmio exponent:any!
float_power tmio exponent:any!
special.xlogy to other:any!
special.xlog1py to other:any!
special.zeta to other:any!
special.logit to eps:number
special.polygamma t
special.multigammaln to p:count!
xlogy tmio other:any!
logit tmio eps:number
mvlgamma tmi p:count!
polygamma t
clamp tmio min:number max:number
clamp tmio min:partner max:partner
clip tmio min:any max:any
clamp_min tmio min:number!
clamp_max tmio max:number!
nan_to_num tmio nan:number posinf:number neginf:number
round tmio decimals:place*
lerp tmio end:like! weight:any!
addcmul tmio tensor1:partner! tensor2:partner! value:factor*
addcdiv tmio tensor1:partner! tensor2:partner! value:factor*
where m condition:mask! other:any!
masked_fill mi mask:mask! value:number!
isclose tm other:like! rtol:small atol:small equal_nan:bool
allclose tm other:like! rtol:small atol:small equal_nan:bool
equal tm other:like!
isin t elements:partner! assume_unique:bool* invert:bool*
dist tm other:partner! p:order
bucketize to boundaries:sorted! out_int32:bool* right:bool*
searchsorted t boundaries:sorted! out_int32:bool* right:bool* side:side*
to m dtype:dtype!
to m dtype:dtype! non_blocking:bool copy:bool
type m dtype:dtype!
type_as m other:like!
view m dtype:dtype!
fill_ m value:any!
copy_ m other:partner!
zero_ m
clone tm memory_format:memory*
contiguous m memory_format:memory*
zeros_like t dtype:dtype* memory_format:memory* requires_grad:bool*
ones_like t dtype:dtype* memory_format:memory* requires_grad:bool*
full_like t fill_value:number! dtype:dtype* memory_format:memory* requires_grad:bool*
new_zeros m size:size! dtype:dtype* requires_grad:bool*
new_ones m size:size! dtype:dtype* requires_grad:bool*
new_full m size:size! fill_value:number! dtype:dtype* requires_grad:bool*
new_tensor m data:number! dtype:dtype* requires_grad:bool*
as_tensor t dtype:dtype*
tensor t dtype:dtype* requires_grad:bool*
asarray t dtype:dtype* copy:bool*
result_type t other:any!
heaviside tmio values:like!
float_power t exponent:number!
bernoulli m p:zero!
frexp tm
gradient t spacing:positive* dim:dims* edge_order:edge*
""".strip().split("\n"),
]

REDUCTIONS = """
sum tmo dim:dims keepdim:bool dtype:dtype*
nansum tmo dim:dims keepdim:bool dtype:dtype*
mean tmo dim:dims keepdim:bool dtype:dtype*
nanmean tmo dim:dims keepdim:bool dtype:dtype*
prod tmo dim:dim keepdim:bool dtype:dtype*
amax tmo dim:dims keepdim:bool
amin tmo dim:dims keepdim:bool
aminmax tmo dim:dim* keepdim:bool*
max tmo dim:dim keepdim:bool
min tmo dim:dim keepdim:bool
median tmo dim:dim keepdim:bool
nanmedian tmo dim:dim keepdim:bool
mode tmo dim:dim keepdim:bool
argmax tmo dim:dim keepdim:bool
argmin tmo dim:dim keepdim:bool
all tmo dim:dim keepdim:bool
any tmo dim:dim keepdim:bool
all tm dim:dims keepdim:bool
any tm dim:dims keepdim:bool
std tmo dim:some_dims unbiased:bool keepdim:bool
var tmo dim:some_dims unbiased:bool keepdim:bool
std tm dim:some_dims correction:number* keepdim:bool*
var tm dim:some_dims correction:number* keepdim:bool*
std_mean t dim:some_dims correction:count* keepdim:bool*
var_mean t dim:some_dims unbiased:bool keepdim:bool
logsumexp tmo dim:some_dims! keepdim:bool
norm tm p:order dim:dims keepdim:bool dtype:dtype
count_nonzero tm dim:dims
quantile tmo q:portion! dim:dim keepdim:bool interpolation:interpolation*
nanquantile tmo q:portion! dim:dim keepdim:bool interpolation:interpolation*
kthvalue tmo k:count! dim:dim keepdim:bool
topk tmo k:count! dim:dim largest:bool sorted:true
sort tmo dim:dim descending:bool
sort tm stable:bool* dim:dim* descending:bool*
argsort tm dim:dim descending:bool
argsort tm stable:true* dim:dim* descending:bool*
msort tmo
cumsum tmio dim:dim! dtype:dtype*
cumprod tmio dim:dim! dtype:dtype*
cummax tmo dim:dim!
cummin tmo dim:dim!
logcumsumexp tmo dim:dim!
diff tmo n:count dim:dim prepend:like append:like
trapezoid t x:like dim:dim*
trapezoid t dx:positive* dim:dim*
cumulative_trapezoid t dx:positive* dim:dim*
softmax tm dim:dim! dtype:dtype
log_softmax tm dim:dim! dtype:dtype
special.logsumexp to dim:some_dims! keepdim:bool
special.softmax t dim:dim! dtype:dtype
renorm tmio p:order! dim:dim! maxnorm:positive!
unique tm sorted:true return_inverse:bool return_counts:bool
unique tm sorted:true return_inverse:bool return_counts:bool dim:dim
unique_consecutive tm return_inverse:bool return_counts:bool dim:dim
histc tmo bins:count min:number max:number
bincount tm weights:like minlength:count
linalg.vector_norm to ord:order dim:dims keepdim:bool dtype:dtype*
linalg.norm to ord:order dim:dims keepdim:bool dtype:dtype*
linalg.vecdot to y:like! dim:dim*
cov tm correction:count* fweights:nothing* aweights:nothing*
F.normalize to p:order dim:dim eps:small
F.softmax t dim:dim dtype:dtype*
F.log_softmax t dim:dim dtype:dtype*
F.softmin t dim:dim dtype:dtype*
F.cosine_similarity t x2:like! dim:dim eps:small
F.glu t dim:dim
F.gumbel_softmax t tau:nothing
""".strip().split("\n")

SHAPES = """
reshape tm shape:shape!
view m shape:shape!
expand m size:wider!
broadcast_to tm size:wider!
permute tm dims:order_of_dims!
transpose tmi dim0:dim! dim1:dim!
swapaxes tmi axis0:dim! axis1:dim!
swapdims tm dim0:dim! dim1:dim!
movedim tm source:dim! destination:dim!
movedim tm source:two! destination:two!
moveaxis tm source:dim! destination:dim!
squeeze tmi dim:dims
unsqueeze tmi dim:new_dim!
flatten tm start_dim:dim end_dim:dim
unflatten tm dim:dim! sizes:minus!
narrow tm dim:dim! start:start! length:length!
narrow_copy tmo dim:dim! start:start! length:length!
select tm dim:dim! index:place!
split tm split_size:count! dim:dim
split tm split_size_or_sections:sections!^ dim:dim
chunk tm chunks:count! dim:dim
tensor_split tm indices_or_sections:count!^ dim:dim
tensor_split tm indices:places! dim:dim
unbind tm dim:dim
unsafe_chunk tm chunks:count! dim:dim
flip tm dims:dims!
rot90 tm k:place dims:two
roll tm shifts:place! dims:dim
roll tm shifts:two! dims:two!
tile tm dims:repeats!
repeat m repeats:repeats!
repeat_interleave tm repeats:count! dim:dim
repeat_interleave tm repeats:count! dim:dim output_size:nothing*
diag tmo diagonal:place
diagonal tm offset:place dim1:dim dim2:dim
diag_embed tm offset:place dim1:dim dim2:dim
diagflat tm offset:place
tril tmio diagonal:place
triu tmio diagonal:place
unfold m dimension:dim! size:count! step:count!
stack to dim:new_dim
cat to dim:dim
concat to axis:dim
hstack to
vstack to
dstack to
column_stack to
block_diag t
broadcast_tensors t
meshgrid t indexing:indexing*
cartesian_prod t
combinations t r:count with_replacement:bool
vander t N:count increasing:bool
sum_to_size m size:size!
view_as m other:like!
expand_as m other:partner!
reshape_as m other:like!
as_strided tm size:fits! stride:fits! storage_offset:zero
resolve_neg tm
F.pad t pad:pads! mode:pad_mode value:number
F.one_hot t num_classes:classes
fill_diagonal_ m fill_value:number! wrap:bool
""".strip().split("\n")

INDEXING = """
gather tmo dim:dim! index:picks! sparse_grad:false*
scatter tmio dim:dim! index:picks! src:same!
scatter tmio dim:dim! index:picks! value:number!
scatter tmi dim:dim! index:picks! src:same! reduce:old_reduce*
scatter_add tmio dim:dim! index:picks! src:same!
scatter_reduce tmio dim:dim! index:picks! src:same! reduce:reduce! include_self:true*
index_select tmo dim:dim! index:places!
index_add tmio dim:dim! index:all_places! source:same! alpha:factor*
index_copy tmio dim:dim! index:all_places! source:same!
index_fill tmi dim:dim! index:places! value:number!
index_reduce tmio dim:dim! index:all_places! source:same! reduce:index_reduce! include_self:true*
masked_fill tmi mask:mask! value:any!
masked_select tmo mask:mask!
masked_scatter tmi mask:mask! source:same!
take tmo index:places!
put tmi index:zeros! source:same! accumulate:bool
take_along_dim tmo indices:picks! dim:dim
select_scatter tm src:selected! dim:zero! index:zero!
slice_scatter tmo src:like! dim:dim start:start end:nothing step:one
diagonal_scatter tm src:diagonal! offset:zero
index_put tmi indices:tuple_of_places! values:number_tensor! accumulate:bool
nonzero tm as_tuple:bool*
where t condition:partner! input:partner! other:partner!
""".strip().split("\n")

MATRICES = """
matmul tmo other:like!
mm tmo mat2:transposed!
bmm tmo mat2:transposed!
mv tmo vec:row!
dot tmo tensor:like!
vdot tmo other:like!
inner tmo other:like!
outer tmo vec2:flat!
ger tmo vec2:flat!
addmm tmio mat1:square_of! mat2:like! beta:factor* alpha:factor*
baddbmm tmio batch1:square_of! batch2:like! beta:factor* alpha:factor*
addbmm tm batch1:nothing! batch2:like! beta:factor* alpha:factor*
addmv tmo mat:like! vec:row! beta:factor* alpha:factor*
addr tmio vec1:column! vec2:row! beta:factor* alpha:factor*
kron tmo other:like!
cross tmo other:like! dim:dim
linalg.cross to other:like! dim:dim*
tensordot t other:like! dims:count
einsum t
linalg.matrix_norm to ord:matrix_order dim:two keepdim:bool dtype:dtype*
linalg.matrix_power to n:place!
matrix_power tmo n:place!
linalg.det to
linalg.slogdet to
linalg.inv to
linalg.pinv to rtol:small* atol:small* hermitian:false*
linalg.matrix_rank to tol:small*
linalg.qr to mode:qr_mode
linalg.svdvals to
linalg.cholesky to upper:bool*
linalg.cholesky_ex to upper:bool* check_errors:bool*
linalg.solve to B:like! left:bool*
linalg.solve_triangular to B:like! upper:bool*! left:bool* unitriangular:bool*
linalg.inv_ex to check_errors:bool*
linalg.lu to pivot:true*
linalg.lu_factor to pivot:true*
linalg.lstsq t B:like! rcond:nothing
linalg.tensorinv t ind:count
linalg.cond to p:matrix_order
linalg.diagonal t offset:place* dim1:dim* dim2:dim*
linalg.vander t N:count*
linalg.multi_dot to
linalg.eigvalsh to UPLO:uplo
cholesky_solve t
cdist t x2:like! p:order compute_mode:nothing
triangular_solve t A:square_of! upper:bool transpose:bool
trapz t dx:positive* dim:dim*
fft.fft to n:count dim:dim norm:fft_norm
fft.ifft to n:count dim:dim norm:fft_norm
fft.rfft to n:count dim:dim norm:fft_norm
fft.irfft to n:count dim:dim norm:fft_norm
fft.hfft to n:count dim:dim norm:fft_norm
fft.ihfft to n:count dim:dim norm:fft_norm
fft.fft2 to s:nothing dim:two norm:fft_norm
fft.fftn to s:nothing dim:dims norm:fft_norm
fft.ifftn to s:nothing dim:dims norm:fft_norm
fft.rfftn to s:nothing dim:dims norm:fft_norm
fft.fftshift t dim:dims
fft.ifftshift t dim:dims
""".strip().split("\n")

NETWORKS = """
F.relu t inplace:bool
F.relu6 t inplace:bool
F.elu t alpha:number inplace:bool
F.selu t inplace:bool
F.celu t alpha:positive inplace:bool
F.leaky_relu t negative_slope:number inplace:bool
F.rrelu t lower:zero upper:zero training:false
F.hardtanh t min_val:number max_val:number inplace:bool
F.hardsigmoid t inplace:bool
F.hardswish t inplace:bool
F.silu t inplace:bool
F.mish t inplace:bool
F.gelu t approximate:gelu*
F.softplus t beta:number threshold:number
F.softshrink t lambd:positive
F.hardshrink t lambd:number
F.tanhshrink t
F.softsign t
F.logsigmoid t
F.threshold t threshold:number! value:number! inplace:bool
F.prelu t weight:one_number!
F.dropout t p:zero training:bool inplace:bool
F.alpha_dropout t p:zero training:bool inplace:bool
F.dropout1d t p:zero training:bool
F.dropout2d t p:zero training:bool
F.mse_loss t target:like! reduction:reduction* weight:like*
F.l1_loss t target:like! reduction:reduction* weight:like*
F.smooth_l1_loss t target:like! reduction:reduction* beta:factor*
F.huber_loss t target:like! reduction:reduction delta:number
F.binary_cross_entropy_with_logits t target:like! weight:like reduction:reduction* pos_weight:like*
F.binary_cross_entropy t target:like! weight:like reduction:reduction*
F.kl_div t target:like! reduction:kl_reduction* log_target:bool*
F.poisson_nll_loss t target:like! log_input:bool full:bool eps:small* reduction:reduction*
F.gaussian_nll_loss t target:like! var:like! full:bool eps:small reduction:reduction
F.hinge_embedding_loss t target:signs! margin:number reduction:reduction*
F.soft_margin_loss t target:signs! reduction:reduction*
F.margin_ranking_loss t input2:like! target:signs! margin:number reduction:reduction*
F.multilabel_soft_margin_loss t target:like! weight:nothing reduction:reduction*
F.multilabel_margin_loss t target:classes_like! reduction:reduction*
F.multi_margin_loss t target:labels! p:count margin:number reduction:reduction*
F.cross_entropy t target:labels! weight:class_weights ignore_index:place* reduction:reduction* \
label_smoothing:portion_number*
F.cross_entropy t target:like! weight:class_weights reduction:reduction* label_smoothing:portion_number*
F.nll_loss t target:labels! weight:class_weights ignore_index:place* reduction:reduction*
F.cosine_embedding_loss t input2:like! target:labels! margin:number reduction:reduction*
F.triplet_margin_loss t positive:like! negative:like! margin:number p:order eps:small swap:bool reduction:reduction
F.pairwise_distance t x2:like! p:order eps:small keepdim:bool
F.pdist t p:order
F.layer_norm t normalized_shape:tail! weight:like_tail bias:like_tail eps:small
F.rms_norm t normalized_shape:tail! weight:like_tail eps:small
F.group_norm t num_groups:count! weight:nothing bias:nothing eps:small
F.local_response_norm t size:count! alpha:positive beta:positive k:number
F.batch_norm t running_mean:nothing! running_var:nothing! weight:nothing bias:nothing training:true* eps:small*
F.instance_norm t use_input_stats:true* eps:small*
F.linear t weight:like! bias:nothing
F.bilinear t input2:like! weight:nothing
F.avg_pool1d t kernel_size:count! stride:count padding:zero_or_one ceil_mode:bool count_include_pad:bool
F.avg_pool2d t kernel_size:count! stride:count padding:zero_or_one ceil_mode:bool count_include_pad:bool \
divisor_override:count
F.max_pool1d t kernel_size:count! stride:count padding:zero_or_one dilation:one ceil_mode:bool return_indices:bool
F.max_pool2d t kernel_size:count! stride:count padding:zero_or_one dilation:one ceil_mode:bool return_indices:bool
F.lp_pool1d t norm_type:count! kernel_size:count! stride:count ceil_mode:bool
F.adaptive_avg_pool1d t output_size:count!
F.adaptive_avg_pool2d t output_size:count!
F.adaptive_max_pool1d t output_size:count! return_indices:bool
F.adaptive_max_pool2d t output_size:count! return_indices:bool
F.interpolate t size:count scale_factor:nothing mode:upsampling
F.interpolate t size:nothing scale_factor:positive mode:upsampling align_corners:bool
F.unfold t kernel_size:count! dilation:one padding:zero_or_one stride:count
F.pixel_shuffle t upscale_factor:one!
F.pixel_unshuffle t downscale_factor:count!
F.channel_shuffle t groups:count!
F.conv1d t weight:kernel! bias:nothing stride:count padding:padding dilation:one groups:one
F.conv2d t weight:kernel! bias:nothing stride:count padding:padding dilation:one groups:one
F.conv_transpose1d t weight:kernel! bias:nothing stride:count padding:zero_or_one output_padding:zero \
groups:one dilation:one
F.conv_transpose2d t weight:kernel! bias:nothing stride:count padding:zero_or_one
F.scaled_dot_product_attention t key:like! value:like! attn_mask:nothing dropout_p:zero is_causal:bool scale:positive*
F.embedding t weight:table! padding_idx:zero_or_one max_norm:nothing scale_grad_by_freq:bool*
F.embedding_bag t weight:table! offsets:nothing mode:bag_mode* scale_grad_by_freq:false* \
padding_idx:zero_or_one* include_last_offset:false*
""".strip().split("\n")

TABLES = {
    "pointwise": POINTWISE, "reductions": REDUCTIONS, "shapes": SHAPES, "indexing": INDEXING, "matrices": MATRICES,
    "networks": NETWORKS,
}  # fmt: skip

OF_SEVERAL = """
stack cat concat hstack vstack dstack column_stack block_diag broadcast_tensors cartesian_prod meshgrid
""".split()
"""Those that take several tensors: as a list (``of_list``) or one by one."""
