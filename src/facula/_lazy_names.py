"""Which module provides which names. Written by ``python -m tests.lazy_names``, for ``_lazy``."""

# fmt: off
from __future__ import annotations

FUNCTIONS = {
    "ops.activations.dropout": (
        "alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout "
        "feature_dropout_ native_dropout rrelu rrelu_"
    ),
    "ops.activations.elu": (
        "celu celu_ selu selu_"
    ),
    "ops.activations.masked_softmax": (
        "_masked_softmax"
    ),
    "ops.activations.piecewise": (
        "hardshrink"
    ),
    "ops.activations.relu": (
        "prelu relu relu_ threshold threshold_"
    ),
    "ops.activations.softmax": (
        "_log_softmax _log_softmax_backward_data _softmax _softmax_backward_data log_softmax softmax"
    ),
    "ops.creation.convert": (
        "can_cast detach detach_ get_default_device get_device is_complex is_conj is_floating_point is_inference "
        "is_neg is_nonzero is_same_size is_signed is_tensor numel result_type set_default_device "
        "set_default_tensor_type"
    ),
    "ops.creation.create": (
        "arange empty empty_like empty_permuted empty_strided eye full full_like linspace logspace ones ones_like "
        "range scalar_tensor zeros zeros_like"
    ),
    "ops.creation.exchange": (
        "from_dlpack to_dlpack"
    ),
    "ops.creation.from_data": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor "
        "ShortTensor as_tensor asarray from_numpy frombuffer tensor"
    ),
    "ops.creation.gamma": (
        "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad"
    ),
    "ops.creation.mapped": (
        "from_file"
    ),
    "ops.creation.random": (
        "Generator bernoulli binomial default_generator get_rng_state initial_seed manual_seed multinomial normal "
        "poisson rand rand_like randint randint_like randn randn_like randperm seed set_rng_state"
    ),
    "ops.images.adaptive_pool": (
        "adaptive_avg_pool1d adaptive_max_pool1d"
    ),
    "ops.images.conv_tbc": (
        "conv_tbc"
    ),
    "ops.images.convolution": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution"
    ),
    "ops.images.grid_sample": (
        "_grid_sampler_2d_cpu_fallback affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d"
    ),
    "ops.images.pool": (
        "avg_pool1d max_pool1d max_pool1d_with_indices max_pool2d max_pool3d"
    ),
    "ops.indexing.advanced": (
        "index_put index_put_"
    ),
    "ops.indexing.embedding_bag": (
        "embedding_bag"
    ),
    "ops.indexing.gather": (
        "gather scatter scatter_add take_along_dim"
    ),
    "ops.indexing.index_along": (
        "index_add index_copy index_fill index_select"
    ),
    "ops.indexing.masked": (
        "argwhere masked_fill masked_scatter masked_select nonzero nonzero_static put take unravel_index"
    ),
    "ops.indexing.scatter_reduce": (
        "index_reduce scatter_reduce"
    ),
    "ops.indexing.unsafe_indexing": (
        "_unsafe_index _unsafe_masked_index _unsafe_masked_index_put_accumulate"
    ),
    "ops.legacy": (
        "_is_all_true _is_any_true detach_copy embedding is_distributed"
    ),
    "ops.linalg.cholesky": (
        "cholesky cholesky_inverse cholesky_solve"
    ),
    "ops.linalg.distance": (
        "cdist corrcoef cov dist pdist renorm"
    ),
    "ops.linalg.inverse": (
        "det inverse logdet slogdet"
    ),
    "ops.linalg.lobpcg": (
        "lobpcg"
    ),
    "ops.linalg.lu": (
        "lu lu_solve lu_unpack"
    ),
    "ops.linalg.matrix_functions": (
        "matrix_exp"
    ),
    "ops.linalg.old_norms": (
        "eig frobenius_norm lstsq matrix_rank nuclear_norm solve symeig"
    ),
    "ops.linalg.qr": (
        "geqrf orgqr ormqr qr"
    ),
    "ops.linalg.singular": (
        "pca_lowrank pinverse svd svd_lowrank"
    ),
    "ops.linalg.solving": (
        "triangular_solve"
    ),
    "ops.losses.ctc": (
        "ctc_loss"
    ),
    "ops.losses.distance": (
        "cosine_embedding_loss cosine_similarity hinge_embedding_loss kl_div margin_ranking_loss pairwise_distance "
        "poisson_nll_loss triplet_margin_loss"
    ),
    "ops.losses.pairwise": (
        "binary_cross_entropy_with_logits"
    ),
    "ops.moving.chunk_cat": (
        "_chunk_cat"
    ),
    "ops.moving.copies": (
        "alias_copy as_strided_copy expand_copy narrow_copy permute_copy select_copy slice_copy split_copy "
        "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy "
        "view_as_complex_copy view_as_real_copy view_copy"
    ),
    "ops.moving.copy": (
        "clone"
    ),
    "ops.moving.diagonals": (
        "fill_diagonal_ vander"
    ),
    "ops.moving.fill": (
        "fill fill_ zero_"
    ),
    "ops.moving.joining": (
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cat "
        "column_stack combinations concat concatenate dstack hstack meshgrid row_stack stack vstack"
    ),
    "ops.moving.padding": (
        "constant_pad_nd"
    ),
    "ops.moving.pixel_shuffle": (
        "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle"
    ),
    "ops.moving.rearrange": (
        "diag diag_embed diagflat diagonal_copy flip fliplr flipud repeat_interleave roll rot90 tile tril "
        "tril_indices triu triu_indices"
    ),
    "ops.moving.scatter_slices": (
        "as_strided_scatter diagonal_scatter select_scatter slice_scatter"
    ),
    "ops.networks.batch_norm": (
        "_native_batch_norm_legit batch_norm batch_norm_update_stats instance_norm native_batch_norm"
    ),
    "ops.networks.group_norm": (
        "group_norm native_group_norm"
    ),
    "ops.networks.layer_norm": (
        "layer_norm native_layer_norm rms_norm"
    ),
    "ops.networks.packing": (
        "_pack_padded_sequence _pad_packed_sequence"
    ),
    "ops.networks.recurrent": (
        "gru lstm rnn_relu rnn_tanh"
    ),
    "ops.networks.recurrent_cells": (
        "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell"
    ),
    "ops.networks.weight_norm": (
        "_weight_norm norm_except_dim"
    ),
    "ops.pointwise.arithmetic": (
        "abs abs_ absolute add add_ div divide floor_divide fmod mul mul_ multiply multiply_ neg neg_ negative "
        "negative_ positive reciprocal reciprocal_ remainder rsub sgn sgn_ sign sign_ sub sub_ subtract subtract_ "
        "true_divide true_divide_"
    ),
    "ops.pointwise.comparison": (
        "allclose bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or "
        "bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ eq equal gcd gcd_ ge greater "
        "greater_equal gt isclose isfinite isinf isnan isneginf isposinf isreal lcm lcm_ le less less_equal "
        "logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ lt ne "
        "not_equal signbit"
    ),
    "ops.pointwise.complex": (
        "_conj _conj_physical _neg_view angle complex conj conj_physical conj_physical_ imag polar real resolve_conj "
        "resolve_neg view_as_complex view_as_real"
    ),
    "ops.pointwise.foreach": (
        "_foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_add _foreach_add_ _foreach_addcdiv "
        "_foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin _foreach_asin_ _foreach_atan "
        "_foreach_atan_ _foreach_ceil _foreach_ceil_ _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min "
        "_foreach_clamp_min_ _foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ "
        "_foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp "
        "_foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_ "
        "_foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_ "
        "_foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max _foreach_maximum "
        "_foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg "
        "_foreach_neg_ _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal "
        "_foreach_reciprocal_ _foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid "
        "_foreach_sigmoid_ _foreach_sign _foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ "
        "_foreach_sqrt _foreach_sqrt_ _foreach_sub _foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh "
        "_foreach_tanh_ _foreach_trunc _foreach_trunc_ _foreach_zero_"
    ),
    "ops.pointwise.frexp": (
        "frexp"
    ),
    "ops.pointwise.loss_scaling": (
        "_amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_"
    ),
    "ops.pointwise.mixtures": (
        "addcdiv addcmul lerp"
    ),
    "ops.pointwise.powers": (
        "float_power pow square square_"
    ),
    "ops.pointwise.rounding": (
        "ceil ceil_ deg2rad deg2rad_ fix fix_ floor floor_ frac frac_ rad2deg rad2deg_ round round_ trunc trunc_"
    ),
    "ops.pointwise.selection": (
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ copysign fmax fmin heaviside heaviside_ "
        "maximum minimum nan_to_num nan_to_num_ nextafter nextafter_ where"
    ),
    "ops.pointwise.special": (
        "digamma digamma_ erf erf_ erfc erfc_ erfinv erfinv_ i0 i0_ igamma igamma_ igammac igammac_ lgamma lgamma_ "
        "mvlgamma polygamma"
    ),
    "ops.pointwise.transcendental": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 "
        "arctan2_ arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ cos cos_ cosh "
        "cosh_ exp exp2 exp2_ exp_ expm1 expm1_ hypot hypot_ ldexp ldexp_ log log10 log10_ log1p log1p_ log2 log2_ "
        "log_ logaddexp logaddexp2 logit logit_ rsqrt rsqrt_ sigmoid sigmoid_ sin sin_ sinc sinc_ sinh sinh_ sqrt "
        "sqrt_ tan tan_ tanh tanh_ xlogy xlogy_"
    ),
    "ops.products.activated": (
        "_addmm_activation"
    ),
    "ops.products.addmm": (
        "addbmm addmm addmv addr baddbmm"
    ),
    "ops.products.einsum": (
        "einsum"
    ),
    "ops.products.integers": (
        "_int_mm"
    ),
    "ops.products.matmul": (
        "bilinear chain_matmul cross ger inner kron matmul matrix_power outer tensordot trace"
    ),
    "ops.products.matrix_products": (
        "bmm dot dsmm mm mv spmm vdot"
    ),
    "ops.reductions.counting": (
        "_unique _unique2 bincount bucketize histc isin searchsorted unique unique_consecutive"
    ),
    "ops.reductions.cumulative": (
        "cummax cummin cumprod cumsum cumulative_trapezoid diff logcumsumexp trapezoid trapz"
    ),
    "ops.reductions.extrema": (
        "amax amin aminmax argmax argmin max min"
    ),
    "ops.reductions.histograms": (
        "hash_tensor histogram histogramdd"
    ),
    "ops.reductions.norms": (
        "norm"
    ),
    "ops.reductions.segments": (
        "_segment_reduce segment_reduce"
    ),
    "ops.reductions.sorting": (
        "argsort kthvalue median mode msort nanmedian nanquantile quantile sort topk"
    ),
    "ops.reductions.sums": (
        "all any count_nonzero logsumexp mean nanmean nansum prod sum"
    ),
    "ops.reductions.variance": (
        "std std_mean var var_mean"
    ),
    "ops.signals.numerical_gradient": (
        "gradient"
    ),
    "ops.signals.stft": (
        "istft stft"
    ),
    "ops.signals.windows": (
        "bartlett_window blackman_window hamming_window hann_window kaiser_window"
    ),
    "ops.sparse.create": (
        "_sparse_coo_tensor_unsafe _spdiags _validate_sparse_coo_tensor_args sparse_coo_tensor"
    ),
    "ops.sparse.products": (
        "_sparse_addmm _sparse_mm hspmm smm sspaddmm"
    ),
    "ops.sparse.reductions": (
        "_sparse_log_softmax _sparse_softmax _sparse_sum"
    ),
    "ops.views.inplace_views": (
        "as_strided_ resize_as_"
    ),
    "ops.views.shape": (
        "broadcast_to flatten ravel reshape squeeze unflatten unsqueeze"
    ),
    "ops.views.slices": (
        "diagonal narrow select"
    ),
    "ops.views.splitting": (
        "chunk dsplit hsplit split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split "
        "unsafe_split_with_sizes vsplit"
    ),
    "ops.views.strided": (
        "alias as_strided"
    ),
    "ops.views.transpose": (
        "adjoint moveaxis movedim permute swapaxes swapdims t transpose"
    ),
}

FUNCTIONALS = {
    "ops.activations.dropout": (
        "alpha_dropout dropout1d dropout2d dropout3d feature_alpha_dropout rrelu rrelu_"
    ),
    "ops.activations.elu": (
        "celu celu_ elu elu_ selu selu_"
    ),
    "ops.activations.gelu": (
        "gelu"
    ),
    "ops.activations.piecewise": (
        "hardshrink hardsigmoid hardswish hardtanh hardtanh_ relu6 softshrink"
    ),
    "ops.activations.relu": (
        "leaky_relu leaky_relu_ prelu relu relu_ threshold threshold_"
    ),
    "ops.activations.smooth": (
        "glu logsigmoid mish silu softplus softsign tanhshrink"
    ),
    "ops.images.adaptive_pool": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
        "adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d "
        "adaptive_max_pool3d_with_indices fractional_max_pool2d fractional_max_pool2d_with_indices "
        "fractional_max_pool3d fractional_max_pool3d_with_indices"
    ),
    "ops.images.conv_tbc": (
        "conv_tbc"
    ),
    "ops.images.convolution": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
    ),
    "ops.images.fold": (
        "fold unfold"
    ),
    "ops.images.grid_sample": (
        "affine_grid grid_sample"
    ),
    "ops.images.pool": (
        "avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d "
        "max_pool2d_with_indices max_pool3d max_pool3d_with_indices"
    ),
    "ops.images.resample": (
        "interpolate upsample upsample_bilinear upsample_nearest"
    ),
    "ops.images.unpool": (
        "max_unpool1d max_unpool2d max_unpool3d"
    ),
    "ops.indexing.embedding": (
        "embedding one_hot"
    ),
    "ops.linalg.distance": (
        "pdist"
    ),
    "ops.moving.padding": (
        "pad"
    ),
    "ops.moving.pixel_shuffle": (
        "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle"
    ),
    "ops.networks.attention": (
        "scaled_dot_product_attention"
    ),
    "ops.products.linear": (
        "linear"
    ),
    "ops.products.matmul": (
        "bilinear"
    ),
}

LINALG = {
    "ops.linalg.cholesky": (
        "cholesky cholesky_ex"
    ),
    "ops.linalg.eigen": (
        "eig eigh eigvals eigvalsh"
    ),
    "ops.linalg.inverse": (
        "det inv inv_ex slogdet"
    ),
    "ops.linalg.ldl": (
        "ldl_factor ldl_factor_ex ldl_solve"
    ),
    "ops.linalg.least_squares": (
        "lstsq"
    ),
    "ops.linalg.lu": (
        "lu lu_factor lu_factor_ex lu_solve"
    ),
    "ops.linalg.matrix_functions": (
        "matrix_exp vander"
    ),
    "ops.linalg.qr": (
        "householder_product qr"
    ),
    "ops.linalg.singular": (
        "cond matrix_rank pinv svd svdvals"
    ),
    "ops.linalg.solving": (
        "solve solve_ex solve_triangular tensorinv tensorsolve"
    ),
    "ops.products.matmul": (
        "cross matmul matrix_power multi_dot vecdot"
    ),
    "ops.reductions.norms": (
        "matrix_norm norm vector_norm"
    ),
    "ops.views.slices": (
        "diagonal"
    ),
}

METHODS = {
    "_core.storage": (
        "_typed_storage is_set_to storage storage_type untyped_storage"
    ),
    "ops.activations.piecewise": (
        "hardshrink"
    ),
    "ops.activations.relu": (
        "prelu relu relu_"
    ),
    "ops.activations.softmax": (
        "log_softmax softmax"
    ),
    "ops.creation.convert": (
        "__array__ __array_wrap__ __bool__ __complex__ __contains__ __float__ __index__ __int__ __reversed__ apply_ "
        "bfloat16 bool byte cdouble cfloat char const_data_ptr cpu cuda dim_order double float half int is_nonzero "
        "item long map2_ map_ numpy short to tolist type type_as"
    ),
    "ops.creation.create": (
        "new new_empty new_empty_strided new_full new_ones new_tensor new_zeros"
    ),
    "ops.creation.exchange": (
        "__deepcopy__ __dlpack__ __dlpack_device__ __reduce_ex__ __setstate__"
    ),
    "ops.creation.gamma": (
        "_standard_gamma"
    ),
    "ops.creation.random": (
        "bernoulli multinomial"
    ),
    "ops.creation.random_inplace": (
        "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_"
    ),
    "ops.creation.sharing": (
        "share_memory_"
    ),
    "ops.indexing.advanced": (
        "index_put index_put_"
    ),
    "ops.indexing.gather": (
        "gather scatter scatter_ scatter_add scatter_add_ take_along_dim"
    ),
    "ops.indexing.index_along": (
        "index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_select"
    ),
    "ops.indexing.indexing": (
        "__delitem__ __getitem__ __setitem__"
    ),
    "ops.indexing.masked": (
        "argwhere masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select nonzero nonzero_static put "
        "put_ take"
    ),
    "ops.indexing.scatter_reduce": (
        "index_reduce index_reduce_ scatter_reduce scatter_reduce_"
    ),
    "ops.legacy": (
        "_cdata _grad_fn _is_all_true _is_any_true is_distributed pin_memory record_stream resize resize_as volatile "
        "xpu"
    ),
    "ops.linalg.cholesky": (
        "cholesky cholesky_inverse cholesky_solve"
    ),
    "ops.linalg.distance": (
        "corrcoef cov dist renorm renorm_"
    ),
    "ops.linalg.inverse": (
        "det inverse logdet slogdet"
    ),
    "ops.linalg.lu": (
        "lu lu_solve"
    ),
    "ops.linalg.matrix_functions": (
        "matrix_exp"
    ),
    "ops.linalg.old_norms": (
        "eig lstsq solve symeig"
    ),
    "ops.linalg.qr": (
        "geqrf orgqr ormqr qr"
    ),
    "ops.linalg.singular": (
        "pinverse svd"
    ),
    "ops.linalg.solving": (
        "triangular_solve"
    ),
    "ops.moving.copies": (
        "narrow_copy"
    ),
    "ops.moving.copy": (
        "clone copy_ module_load"
    ),
    "ops.moving.diagonals": (
        "fill_diagonal_"
    ),
    "ops.moving.fill": (
        "fill_ zero_"
    ),
    "ops.moving.rearrange": (
        "diag diag_embed diagflat flip fliplr flipud repeat repeat_interleave roll rot90 tile tril tril_ triu triu_"
    ),
    "ops.moving.scatter_slices": (
        "as_strided_scatter diagonal_scatter select_scatter slice_scatter"
    ),
    "ops.pointwise.arithmetic": (
        "__abs__ __add__ __div__ __floordiv__ __iadd__ __idiv__ __ifloordiv__ __imod__ __imul__ __isub__ __itruediv__ "
        "__mod__ __mul__ __neg__ __pos__ __radd__ __rdiv__ __rfloordiv__ __rmod__ __rmul__ __rsub__ __rtruediv__ "
        "__sub__ __truediv__ abs abs_ absolute absolute_ add add_ div div_ divide divide_ floor_divide floor_divide_ "
        "fmod fmod_ mul mul_ multiply multiply_ neg neg_ negative negative_ positive reciprocal reciprocal_ remainder "
        "remainder_ sgn sgn_ sign sign_ sub sub_ subtract subtract_ true_divide true_divide_"
    ),
    "ops.pointwise.comparison": (
        "__and__ __eq__ __ge__ __gt__ __iand__ __ilshift__ __invert__ __ior__ __irshift__ __ixor__ __le__ __lshift__ "
        "__lt__ __ne__ __or__ __rand__ __rlshift__ __ror__ __rrshift__ __rshift__ __rxor__ __xor__ allclose "
        "bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or "
        "bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ eq eq_ equal gcd gcd_ ge ge_ "
        "greater greater_ greater_equal greater_equal_ gt gt_ isclose isfinite isinf isnan isneginf isposinf isreal "
        "lcm lcm_ le le_ less less_ less_equal less_equal_ logical_and logical_and_ logical_not logical_not_ "
        "logical_or logical_or_ logical_xor logical_xor_ lt lt_ ne ne_ not_equal not_equal_ signbit"
    ),
    "ops.pointwise.complex": (
        "_conj _conj_physical _neg_view angle conj conj_physical conj_physical_ imag real resolve_conj resolve_neg"
    ),
    "ops.pointwise.frexp": (
        "frexp"
    ),
    "ops.pointwise.mixtures": (
        "addcdiv addcdiv_ addcmul addcmul_ lerp lerp_"
    ),
    "ops.pointwise.powers": (
        "__ipow__ __pow__ __rpow__ float_power float_power_ pow pow_ square square_"
    ),
    "ops.pointwise.rounding": (
        "ceil ceil_ deg2rad deg2rad_ fix fix_ floor floor_ frac frac_ rad2deg rad2deg_ round round_ trunc trunc_"
    ),
    "ops.pointwise.selection": (
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ copysign copysign_ fmax fmin heaviside "
        "heaviside_ maximum minimum nan_to_num nan_to_num_ nextafter nextafter_ where"
    ),
    "ops.pointwise.special": (
        "digamma digamma_ erf erf_ erfc erfc_ erfinv erfinv_ i0 i0_ igamma igamma_ igammac igammac_ lgamma lgamma_ "
        "mvlgamma mvlgamma_ polygamma polygamma_"
    ),
    "ops.pointwise.transcendental": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 "
        "arctan2_ arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ cos cos_ cosh "
        "cosh_ exp exp2 exp2_ exp_ expm1 expm1_ hypot hypot_ ldexp ldexp_ log log10 log10_ log1p log1p_ log2 log2_ "
        "log_ logaddexp logaddexp2 logit logit_ rsqrt rsqrt_ sigmoid sigmoid_ sin sin_ sinc sinc_ sinh sinh_ sqrt "
        "sqrt_ tan tan_ tanh tanh_ xlogy xlogy_"
    ),
    "ops.products.activated": (
        "_addmm_activation"
    ),
    "ops.products.addmm": (
        "addbmm addbmm_ addmm addmm_ addmv addmv_ addr addr_ baddbmm baddbmm_"
    ),
    "ops.products.matmul": (
        "__matmul__ __rmatmul__ cross ger inner kron matmul matrix_power outer trace"
    ),
    "ops.products.matrix_products": (
        "bmm dot mm mv vdot"
    ),
    "ops.reductions.counting": (
        "bincount histc unique unique_consecutive"
    ),
    "ops.reductions.cumulative": (
        "cummax cummin cumprod cumprod_ cumsum cumsum_ diff logcumsumexp"
    ),
    "ops.reductions.extrema": (
        "amax amin aminmax argmax argmin max min"
    ),
    "ops.reductions.histograms": (
        "hash_tensor histogram"
    ),
    "ops.reductions.norms": (
        "norm"
    ),
    "ops.reductions.sorting": (
        "argsort kthvalue median mode msort nanmedian nanquantile quantile sort topk"
    ),
    "ops.reductions.sums": (
        "all any count_nonzero logsumexp mean nanmean nansum prod sum"
    ),
    "ops.reductions.variance": (
        "std var"
    ),
    "ops.signals.stft": (
        "istft stft"
    ),
    "ops.sparse.convert": (
        "_coalesced_ _dimI _dimV _indices _nnz _values coalesce indices is_coalesced resize_as_sparse_ sparse_mask "
        "sparse_resize_ sparse_resize_and_clear_ to_dense to_sparse to_sparse_coo values"
    ),
    "ops.sparse.products": (
        "smm sspaddmm"
    ),
    "ops.views.inplace_views": (
        "as_strided_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_"
    ),
    "ops.views.shape": (
        "broadcast_to contiguous expand expand_as flatten ravel reshape reshape_as squeeze sum_to_size unflatten "
        "unsqueeze view view_as"
    ),
    "ops.views.slices": (
        "diagonal narrow select unfold"
    ),
    "ops.views.splitting": (
        "chunk dsplit hsplit split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split "
        "unsafe_split_with_sizes vsplit"
    ),
    "ops.views.strided": (
        "alias as_strided"
    ),
    "ops.views.transpose": (
        "H T adjoint mH mT moveaxis movedim permute swapaxes swapdims t transpose"
    ),
}

PRIMITIVES = {
    "ops.activations.dropout": (
        "native_dropout native_dropout_backward rrelu_backward rrelu_with_noise rrelu_with_noise_inplace"
    ),
    "ops.activations.elu": (
        "celu celu_ elu elu_ elu_backward"
    ),
    "ops.activations.gelu": (
        "gelu gelu_and_derivative gelu_backward gelu_backward_of_kept"
    ),
    "ops.activations.masked_softmax": (
        "masked_softmax"
    ),
    "ops.activations.piecewise": (
        "hardshrink hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh hardtanh_backward "
        "shrink_backward softshrink softshrink_backward"
    ),
    "ops.activations.relu": (
        "leaky_relu leaky_relu_ leaky_relu_backward prelu prelu_input_backward prelu_weight_backward relu threshold "
        "threshold_ threshold_backward"
    ),
    "ops.activations.smooth": (
        "glu glu_backward joined log_sigmoid_backward logsigmoid mish mish_backward silu silu_backward softplus "
        "softplus_backward"
    ),
    "ops.activations.softmax": (
        "log_softmax log_softmax_backward_data softmax softmax_backward_data"
    ),
    "ops.creation.convert": (
        "to_meta"
    ),
    "ops.creation.gamma": (
        "dirichlet_grad sample_dirichlet standard_gamma standard_gamma_grad"
    ),
    "ops.creation.random": (
        "bernoulli bernoulli_of_number binomial normal_of_both normal_of_mean normal_of_std poisson"
    ),
    "ops.creation.random_inplace": (
        "bernoulli_number_inplace bernoulli_tensor_inplace cauchy_inplace exponential_inplace geometric_inplace "
        "log_normal_inplace normal_inplace random_all_inplace random_from_to_inplace random_to_inplace "
        "uniform_inplace"
    ),
    "ops.images.adaptive_pool": (
        "adaptive_avg_pool2d adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward "
        "adaptive_max_pool2d adaptive_max_pool2d_backward adaptive_max_pool2d_backward_backward adaptive_max_pool3d "
        "adaptive_max_pool3d_backward adaptive_max_pool3d_backward_backward fractional_max_pool2d "
        "fractional_max_pool2d_backward fractional_max_pool2d_backward_backward fractional_max_pool3d "
        "fractional_max_pool3d_backward fractional_max_pool3d_backward_backward"
    ),
    "ops.images.conv_tbc": (
        "conv_tbc"
    ),
    "ops.images.convolution": (
        "convolution convolution_backward convolution_input convolution_weight sums_by_channel"
    ),
    "ops.images.fold": (
        "col2im im2col"
    ),
    "ops.images.grid_sample": (
        "_grid_sampler_2d_cpu_fallback add_points affine_grid_adjoint affine_grid_generator grid_sampler_2d "
        "grid_sampler_3d stacked take_points"
    ),
    "ops.images.pool": (
        "avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward max_pool2d max_pool2d_backward "
        "max_pool2d_backward_backward max_pool2d_backward_by_number max_pool3d max_pool3d_backward "
        "max_pool3d_backward_backward max_pool3d_backward_by_number"
    ),
    "ops.images.resample": (
        "upsample_bicubic2d upsample_bicubic2d_aa upsample_bicubic2d_aa_backward upsample_bicubic2d_backward "
        "upsample_bilinear2d upsample_bilinear2d_aa upsample_bilinear2d_aa_backward upsample_bilinear2d_backward "
        "upsample_lanczos2d_aa upsample_lanczos2d_aa_backward upsample_linear1d upsample_linear1d_backward "
        "upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d upsample_nearest2d_backward "
        "upsample_nearest3d upsample_nearest3d_backward upsample_nearest_exact1d upsample_nearest_exact1d_backward "
        "upsample_nearest_exact2d upsample_nearest_exact2d_backward upsample_nearest_exact3d "
        "upsample_nearest_exact3d_backward upsample_trilinear3d upsample_trilinear3d_backward"
    ),
    "ops.images.unpool": (
        "max_unpool2d max_unpool2d_backward max_unpool2d_backward_backward max_unpool2d_backward_backward_backward "
        "max_unpool3d max_unpool3d_backward max_unpool3d_backward_backward max_unpool3d_backward_backward_backward"
    ),
    "ops.indexing.advanced": (
        "index index_put index_put_impl unindex"
    ),
    "ops.indexing.embedding": (
        "embedding embedding_rows_summed embedding_unpadded"
    ),
    "ops.indexing.embedding_bag": (
        "bag_weight_slopes bags_from_rows embedding_bag rows_from_bags"
    ),
    "ops.indexing.gather": (
        "gather scatter scatter_add scatter_by scatter_value ungather"
    ),
    "ops.indexing.index_along": (
        "index_add index_copy index_fill_number index_fill_tensor index_select index_unselect"
    ),
    "ops.indexing.masked": (
        "front_of_mask mask_of_front masked_fill_number masked_fill_tensor masked_scatter masked_select "
        "part_under_mask put take unmask untake"
    ),
    "ops.indexing.picks": (
        "pick unpick"
    ),
    "ops.indexing.scatter_reduce": (
        "extreme_places index_reduce refuse_backward scatter_reduce single_zeros zeros_in"
    ),
    "ops.indexing.unsafe_indexing": (
        "masked_index masked_unindex unsafe_index"
    ),
    "ops.linalg.cholesky": (
        "cholesky cholesky_inverse cholesky_solve linalg_cholesky linalg_cholesky_where_possible"
    ),
    "ops.linalg.distance": (
        "cdist dist euclidean_dist pdist renorm"
    ),
    "ops.linalg.eigen": (
        "linalg_eig linalg_eigh"
    ),
    "ops.linalg.inverse": (
        "cofactors det_backward_by_factors inverse_or_infinity linalg_det linalg_det_with_factors linalg_inv "
        "linalg_inv_where_possible linalg_slogdet linalg_slogdet_with_factors slogdet_backward_by_factors"
    ),
    "ops.linalg.ldl": (
        "linalg_ldl_factor linalg_ldl_solve"
    ),
    "ops.linalg.least_squares": (
        "linalg_lstsq"
    ),
    "ops.linalg.lu": (
        "linalg_lu linalg_lu_factor linalg_lu_solve lu_unpack"
    ),
    "ops.linalg.matrices": (
        "constant"
    ),
    "ops.linalg.matrix_functions": (
        "linalg_matrix_exp"
    ),
    "ops.linalg.newton_schulz": (
        "newton_schulz"
    ),
    "ops.linalg.qr": (
        "geqrf linalg_householder_product linalg_qr ormqr"
    ),
    "ops.linalg.singular": (
        "linalg_pinv linalg_svd"
    ),
    "ops.linalg.solving": (
        "linalg_solve linalg_solve_triangular linalg_solve_where_possible linalg_solve_where_possible_with_factors "
        "linalg_solve_with_factors solved_by_adjoint triangular_solve"
    ),
    "ops.losses.ctc": (
        "ctc_loss ctc_loss_backward"
    ),
    "ops.losses.distance": (
        "norm_along"
    ),
    "ops.losses.margin": (
        "classes_other_than multi_margin_loss multilabel_margin_loss multilabel_margin_slopes"
    ),
    "ops.losses.mse": (
        "mse_loss mse_loss_backward"
    ),
    "ops.losses.nll": (
        "nll_loss nll_loss2d nll_loss2d_backward nll_loss_backward"
    ),
    "ops.losses.pairwise": (
        "binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits "
        "binary_cross_entropy_with_logits_backward huber_loss huber_loss_backward smooth_l1_loss "
        "smooth_l1_loss_backward soft_margin_loss soft_margin_loss_backward"
    ),
    "ops.machine.rules": (
        "sum_to"
    ),
    "ops.moving.chunk_cat": (
        "chunk_cat"
    ),
    "ops.moving.copies": (
        "alias_copy as_strided_copy expand_copy narrow_copy permute_copy select_copy slice_copy split_copy "
        "split_with_sizes_copy squeeze_all_copy squeeze_copy squeeze_dims_copy t_copy transpose_copy unbind_copy "
        "unfold_copy unsqueeze_copy view_as_real_copy view_copy"
    ),
    "ops.moving.copy": (
        "cast clone copy"
    ),
    "ops.moving.fill": (
        "fill_number fill_tensor filled_with_number filled_with_tensor zero"
    ),
    "ops.moving.joining": (
        "block_diag cat cat_op stack stack_op"
    ),
    "ops.moving.padding": (
        "constant_pad_nd pad_ReflectionPad1D pad_ReflectionPad1D_backward pad_ReflectionPad2D "
        "pad_ReflectionPad2D_backward pad_ReflectionPad3D pad_ReflectionPad3D_backward pad_ReplicationPad1D "
        "pad_ReplicationPad1D_backward pad_ReplicationPad2D pad_ReplicationPad2D_backward pad_ReplicationPad3D "
        "pad_ReplicationPad3D_backward"
    ),
    "ops.moving.pixel_shuffle": (
        "channel_shuffle pixel_shuffle pixel_unshuffle"
    ),
    "ops.moving.rearrange": (
        "diag_embed diagonal_copy flip repeat roll rot90 tril triu"
    ),
    "ops.moving.scatter_slices": (
        "as_strided_scatter diagonal_scatter select_scatter slice_scatter"
    ),
    "ops.networks.attention": (
        "flash_attention flash_attention_backward safe_softmax"
    ),
    "ops.networks.batch_norm": (
        "batch_norm_with_update native_batch_norm native_batch_norm_backward native_batch_norm_legit "
        "native_batch_norm_legit_no_stats"
    ),
    "ops.networks.group_norm": (
        "native_group_norm native_group_norm_backward"
    ),
    "ops.networks.layer_norm": (
        "native_layer_norm native_layer_norm_backward"
    ),
    "ops.networks.packing": (
        "pack_rows unpack_rows"
    ),
    "ops.networks.recurrent": (
        "onednn_recurrent_layer packed_recurrent_layer padded_recurrent_layer recurrent_layer_backward"
    ),
    "ops.networks.weight_norm": (
        "weight_norm_interface"
    ),
    "ops.pointwise.arithmetic": (
        "abs add add_scaled div div_floor div_trunc div_unrounded floor_divide floor_divide_ fmod fmod_number mul neg "
        "reciprocal remainder remainder_number remainder_of_number rsub rsub_number sgn sign sub sub_scaled"
    ),
    "ops.pointwise.comparison": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor eq eq_number eq_tensor "
        "gcd ge ge_number ge_tensor gt gt_number gt_tensor isfinite isinf isnan isneginf isposinf isreal lcm le "
        "le_number le_tensor logical_and logical_not logical_or logical_xor lt lt_number lt_tensor ne ne_number "
        "ne_tensor signbit"
    ),
    "ops.pointwise.complex": (
        "_conj _neg_view angle complex conj conj_physically conj_physically_ dense imag polar real view_as_complex "
        "view_as_real"
    ),
    "ops.pointwise.frexp": (
        "frexp"
    ),
    "ops.pointwise.masks": (
        "cleared drop either keep"
    ),
    "ops.pointwise.mixtures": (
        "addcdiv addcmul lerp_number lerp_tensor"
    ),
    "ops.pointwise.polynomials": (
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
        "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w"
    ),
    "ops.pointwise.powers": (
        "pow_number pow_of_number pow_tensor power_gradient"
    ),
    "ops.pointwise.rounding": (
        "ceil deg2rad floor frac rad2deg round round_decimals trunc"
    ),
    "ops.pointwise.selection": (
        "clamp_max_number clamp_max_tensor clamp_min_number clamp_min_tensor clamp_numbers clamp_tensors copysign "
        "copysign_number fmax fmin heaviside maximum minimum nan_to_num nextafter where"
    ),
    "ops.pointwise.special": (
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv i0 i0e i1 i1e igamma "
        "igammac lgamma log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 mvlgamma "
        "ndtri polygamma polygamma_ scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 xlog1py "
        "xlog1py_of_number xlog1py_with_number zeta zeta_of_number zeta_with_number"
    ),
    "ops.pointwise.transcendental": (
        "acos acosh acosh_ asin asinh asinh_ atan atan2 atanh atanh_ cos cosh exp exp2 expm1 hypot ldexp log log10 "
        "log1p log2 logaddexp logaddexp2 logit rsqrt sigmoid sigmoid_backward sin sinc sinh sqrt tan tanh "
        "tanh_backward xlogy xlogy_of_number xlogy_with_number"
    ),
    "ops.pointwise.with_numbers": (
        "add_number div_number minus mul_number number_minus number_over over plus squared sub_number times"
    ),
    "ops.products.addmm": (
        "addbmm addmm addmv addr baddbmm"
    ),
    "ops.products.integers": (
        "_int_mm"
    ),
    "ops.products.matmul": (
        "linalg_cross matmul squeeze_fresh trace trace_backward trilinear"
    ),
    "ops.products.matrix_products": (
        "bmm dot mm mv vdot"
    ),
    "ops.reductions.counting": (
        "unique_all unique_along unique_consecutive weighted_bincount"
    ),
    "ops.reductions.cumulative": (
        "cummax cummin cumprod cumsum cumsum_from_end logcumsumexp"
    ),
    "ops.reductions.extrema": (
        "amax amin aminmax max_all max_dim min_all min_dim ties"
    ),
    "ops.reductions.histograms": (
        "histogram"
    ),
    "ops.reductions.norms": (
        "shared_by_ties vector_norm"
    ),
    "ops.reductions.recurrence": (
        "recur shift unit_along"
    ),
    "ops.reductions.segments": (
        "segment_reduce"
    ),
    "ops.reductions.sorting": (
        "kthvalue median_all median_dim mode nanmedian_all nanmedian_dim sort sort_stable topk"
    ),
    "ops.reductions.sums": (
        "all any logsumexp mean_all mean_dim nansum not_nan prod_all prod_dim share_of_mean sum_all sum_dim"
    ),
    "ops.reductions.variance": (
        "infinity_or_nan std std_mean var var_mean"
    ),
    "ops.signals.fft": (
        "fft_c2c fft_c2r fft_r2c weighted_spectrum"
    ),
    "ops.signals.stft": (
        "frames"
    ),
    "ops.sparse.convert": (
        "dense_of_sparse sparse_mask_of_sparse sparse_mask_values sparse_of_all sparse_of_some"
    ),
    "ops.sparse.coo": (
        "coalesce_values gradient_at_places sparse_values"
    ),
    "ops.sparse.gradients": (
        "picked_elements picked_rows"
    ),
    "ops.sparse.kernels": (
        "gather_values pair_products same_values scatter_values sum_at_places"
    ),
    "ops.sparse.pointwise": (
        "difference_at_places"
    ),
    "ops.sparse.products": (
        "sparse_addmm sparse_dense_addmm sparse_dense_bmm sparse_dense_mm sparse_dense_mv sparse_sparse_mm"
    ),
    "ops.sparse.reductions": (
        "sparse_log_softmax sparse_softmax sparse_sum sparse_sum_dim"
    ),
    "ops.sparse.shapes": (
        "sparse_index_select sparse_narrow_copy sparse_permute sparse_select sparse_single sparse_stack sparse_t "
        "sparse_t_inplace sparse_transpose sparse_transpose_inplace sparse_unsqueeze"
    ),
    "ops.views.inplace_views": (
        "as_strided_inplace set_ squeeze_all_inplace squeeze_dims_inplace squeeze_inplace t_inplace transpose_inplace "
        "unsqueeze_inplace"
    ),
    "ops.views.shape": (
        "dense_copy expand reshape reshape_alias squeeze squeeze_all squeeze_dims unsafe_view unsqueeze view"
    ),
    "ops.views.slices": (
        "diagonal diagonal_backward select select_backward slice slice_backward unfold unfold_backward"
    ),
    "ops.views.splitting": (
        "put_together split split_with_sizes stack_some unbind unsafe_split unsafe_split_with_sizes"
    ),
    "ops.views.strided": (
        "alias as_strided restride"
    ),
    "ops.views.transpose": (
        "permute t transpose"
    ),
}
