"""Names that PyTorch 2.13 has, to tell what facula lacks from what nobody has. Only errors read this."""

# fmt: off
from __future__ import annotations

from functools import cache

NAMES = {
    "torch": """
        AVG AcceleratorError AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BFloat16Storage
        BFloat16Tensor BenchmarkConfig BenchmarkExecutionStats Block BoolStorage BoolTensor BoolType BufferDict
        ByteStorage ByteTensor CallStack Capsule CharStorage CharTensor ClassType Code CompilationUnit
        CompleteArgumentSpec ComplexDoubleStorage ComplexFloatStorage ComplexType ConcreteModuleType
        ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext DeviceObjType DictType
        DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet DoubleStorage DoubleTensor
        EnumType ErrorReport Event ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatStorage
        FloatTensor FloatType FunctionSchema Future FutureType Generator GradScaler Gradient Graph
        GraphExecutorState HalfStorage HalfTensor IODescriptor InferredType IntStorage IntTensor IntType
        InterfaceType JITException ListType LiteScriptModule LockingLogger LoggerBase LongStorage LongTensor
        ModuleDict Node NoneType NoopLogger NumberType OperatorInfo OptionalType OutOfMemoryError PRIVATE_OPS
        ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter QInt32Storage QInt8Storage
        QUInt2x4Storage QUInt4x2Storage QUInt8Storage RRefType SUM ScriptClass ScriptClassFunction ScriptDict
        ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod
        ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty SerializationStorageContext
        ShortStorage ShortTensor Size StaticModule Storage StorageBase Stream StreamObjType StringType SymBool
        SymBoolType SymFloat SymInt SymIntType Tag Tensor TensorType ThroughputBenchmark TracingState TupleType
        Type TypedStorage USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH UnionType UntypedStorage Use Value abs
        abs_ absolute accelerator acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm
        addcdiv addcmul addmm addmv addmv_ addr adjoint affine_grid_generator alias_copy all allclose
        alpha_dropout alpha_dropout_ amax amin aminmax amp angle any ao arange arccos arccos_ arccosh arccosh_
        arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_
        are_deterministic_algorithms_enabled argmax argmin argsort argwhere as_strided as_strided_
        as_strided_copy as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh
        atanh_ atleast_1d atleast_2d atleast_3d autocast autocast_decrement_nesting autocast_increment_nesting
        autograd avg_pool1d backends baddbmm bartlett_window batch_norm batch_norm_backward_elemt
        batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts
        batch_norm_stats batch_norm_update_stats bernoulli bfloat16 bilinear binary_cross_entropy_with_logits
        bincount binomial bit bits16 bits1x8 bits2x4 bits4x2 bits8 bitwise_and bitwise_left_shift bitwise_not
        bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag bmm bool broadcast_shapes
        broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat ccol_indices_copy cdist cdouble
        ceil ceil_ celu celu_ cfloat chain_matmul chalf channel_shuffle channels_last channels_last_3d cholesky
        cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_
        clamp_min clamp_min_ classes classproperty clear_autocast_cache clip clip_ clone col_indices_copy
        column_stack combinations compile compiled_with_cxx11_abi compiler complex complex128 complex32
        complex64 concat concatenate cond conj conj_physical conj_physical_ constant_pad_nd contiguous_format
        conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign
        corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cpp cpu cross
        crow_indices_copy ctc_loss cuda cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution
        cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
        cudnn_is_acceptable cummax cummin cumprod cumsum cumulative_trapezoid default_generator deg2rad deg2rad_
        dequantize det detach detach_ detach_copy device diag diag_embed diagflat diagonal diagonal_copy
        diagonal_scatter diff digamma dist distributed distributions div divide dot double dropout dropout_ dsmm
        dsplit dstack dtype e eig einsum embedding embedding_bag embedding_renorm_ empty empty_like
        empty_permuted empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv exp exp2
        exp2_ exp_ expand_copy expm1 expm1_ export eye fake_quantize_per_channel_affine
        fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
        fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
        fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_
        feature_dropout feature_dropout_ fft fill fill_ finfo fix fix_ flatten flip fliplr flipud float float16
        float32 float4_e2m1fn_x2 float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
        float8_e8m0fnu float_power floor floor_ floor_divide fmax fmin fmod fork frac frac_ frexp frobenius_norm
        from_dlpack from_file from_numpy frombuffer full full_like func functional
        fused_moving_avg_obs_fake_quant futures fx gather gcd gcd_ ge geqrf ger get_autocast_cpu_dtype
        get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype
        get_default_device get_default_dtype get_deterministic_debug_mode get_device get_device_module
        get_file_path get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state
        gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt
        half hamming_window hann_window hardshrink has_lapack has_mkl has_openmp has_spectral hash_tensor
        heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm hstack hub hypot i0 i0_
        igamma igammac iinfo imag import_ir_module import_ir_module_from_buffer index_add index_copy index_fill
        index_put index_put_ index_reduce index_select indices_copy inf inference_mode init_num_threads
        initial_seed inner instance_norm int int1 int16 int2 int3 int32 int4 int5 int6 int64 int7 int8 int_repr
        inverse is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled
        is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled is_complex
        is_conj is_deterministic_algorithms_warn_only_enabled is_distributed is_floating_point is_grad_enabled
        is_inference is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage is_tensor
        is_vulkan_available is_warn_always_enabled isclose isfinite isin isinf isnan isneginf isposinf isreal
        istft jagged jit kaiser_window kl_div kron kthvalue layer_norm layout lcm lcm_ ldexp ldexp_ le
        legacy_contiguous_format lerp less less_equal lgamma library linalg linspace load lobpcg log log10
        log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and
        logical_not logical_or logical_xor logit logit_ logspace logsumexp long lstm lstm_cell lstsq lt lu
        lu_solve lu_unpack manual_seed margin_ranking_loss masked masked_fill masked_scatter masked_select
        matmul matrix_exp matrix_power matrix_rank max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d
        maximum mean median memory_format merge_type_from_type_comment meshgrid min minimum miopen_batch_norm
        miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose
        miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution
        mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer mm mode monitor
        moveaxis movedim mps msort mtia mul multinomial multiply multiprocessing mv mvlgamma nan nan_to_num
        nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm
        native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm ne neg neg_
        negative negative_ nested newaxis nextafter nn no_grad nonzero nonzero_static norm norm_except_dim
        normal not_equal nuclear_norm numel ones ones_like ops optim orgqr ormqr outer overrides package
        pairwise_distance parse_ir parse_schema parse_type_comment pca_lowrank pdist per_channel_affine
        per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric permute
        permute_copy pi pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive
        pow prelu prepare_multiprocessing_environment preserve_format prod profiler
        profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 promote_types put q_per_channel_axis
        q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qr qscheme quantile
        quantization quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm
        quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d
        quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell quasirandom
        quint2x4 quint4x2 quint8 rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like random
        randperm range ravel real reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape
        resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type return_types rms_norm rnn_relu
        rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_
        rsqrt rsqrt_ rsub saddmm save scalar_tensor scatter scatter_add scatter_reduce searchsorted seed
        segment_reduce select select_copy select_scatter selu selu_ serialization set_anomaly_enabled
        set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
        set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled
        set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_dtype
        set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal
        set_grad_enabled set_num_interop_threads set_num_threads set_printoptions set_rng_state set_warn_always
        sgn short sigmoid sigmoid_ sign signal signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse
        slice_scatter slogdet smm softmax solve sort sparse sparse_bsc sparse_bsc_tensor sparse_bsr
        sparse_bsr_tensor sparse_compressed_tensor sparse_coo sparse_coo_tensor sparse_csc sparse_csc_tensor
        sparse_csr sparse_csr_tensor special split split_copy split_with_sizes split_with_sizes_copy spmm sqrt
        sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean stft storage strided sub subtract
        sum svd svd_lowrank swapaxes swapdims sym_constrain_range sym_constrain_range_for_size sym_float
        sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum symeig t t_copy take
        take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot testing thread_safe_generator threshold
        threshold_ tile to_dlpack topk torch_version trace transpose transpose_copy trapezoid trapz
        triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_
        typename types uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64 uint7 uint8 unbind unbind_copy
        unflatten unfold_copy unify_type_list unique unique_consecutive unravel_index unsafe_chunk unsafe_split
        unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms utils values_copy vander
        var var_mean vdot version view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy
        vmap vsplit vstack wait where while_loop windows xlogy xlogy_ xpu zero_ zeros zeros_like
    """,
    "torch.amp": """
        GradScaler autocast autocast_mode custom_bwd custom_fwd grad_scaler is_autocast_available
    """,
    "torch.autograd": """
        DeviceType Function NestedIOFunction ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState
        SavedTensor Variable anomaly_mode backward detect_anomaly enable_grad enforce_grad_layout_policy
        forward_ad function functional grad grad_mode gradcheck gradgradcheck graph handle_torch_function
        has_torch_function inference_mode is_multithreading_enabled is_tensor_like is_view_replay_enabled
        kineto_available no_grad profiler profiler_legacy profiler_util set_detect_anomaly set_grad_enabled
        set_multithreading_enabled variable
    """,
    "torch.backends": """
        cpu cuda cudnn cusparselt kleidiai m mha miopen mkl mkldnn mps nnpack openmp opt_einsum python_native
        quantized
    """,
    "torch.compiler": """
        CacheInfo F FuncType NestedCompileRegionOptions allow_in_graph assume_constant_result compile config
        cudagraph_mark_step_begin disable get_default_backend is_compiling is_dynamo_compiling is_exporting
        keep_portable_guards_unsafe keep_tensor_guards_unsafe list_backends load_cache_artifacts
        load_compiled_function nested_compile_region reset save_cache_artifacts set_default_backend
        set_enable_guard_collectives set_stance skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe
        skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy
    """,
    "torch.cuda": """
        AcceleratorError BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph
        CUDAPluggableAllocator CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage CudaError
        DEVICE_REQUIREMENT DeferredCudaCallError Device DoubleStorage DoubleTensor Event ExternalStream
        FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor
        MemPool NewType OutOfMemoryError PYTORCH_RELEASES_CODE_CC ShortStorage ShortTensor Stream StreamContext
        amp caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable
        can_device_access_peer change_current_allocator check_error classproperty clock_rate cudaStatus cudart
        current_blas_handle current_device current_solver_handle current_stream default_generators
        default_stream device device_count device_memory_used device_of empty_cache gds get_allocator_backend
        get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags
        get_per_process_memory_fraction get_rng_state get_rng_state_all get_stream_from_external
        get_sync_debug_mode graph graph_pool_handle graphs green_contexts has_half has_magma host_memory_stats
        host_memory_stats_as_nested_dict init initial_seed ipc_collect is_available is_bf16_supported
        is_current_stream_capturing is_initialized is_tf32_supported jiterator list_gpu_processes
        make_graphed_callables manual_seed manual_seed_all max_memory_allocated max_memory_cached
        max_memory_reserved mem_get_info memory memory_allocated memory_cached memory_reserved memory_snapshot
        memory_stats memory_stats_as_nested_dict memory_summary memory_usage nccl nvtx power_draw profiler
        random reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated
        reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats seed seed_all set_device
        set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream set_sync_debug_mode sparse
        stream streams synchronize temperature tunable use_mem_pool utilization
    """,
    "torch.distributed": """
        AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions
        BroadcastOptions BuiltinCommHookType DebugLevel DeviceMesh DistBackendError DistError DistNetworkError
        DistStoreError FileStore GatherOptions GradBucket GroupMember GroupName HashStore Logger P2POp
        PrefixStore ProcessGroup ProcessGroupGloo QueueEmptyError RankType ReduceOp ReduceOptions
        ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work algorithms all_gather
        all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce
        all_reduce_coalesced all_to_all all_to_all_single autograd barrier batch_isend_irecv breakpoint
        broadcast broadcast_object_list c10d_logger config constants default_pg_timeout destroy_process_group
        device_mesh distributed_c10d gather gather_object get_backend get_backend_config get_debug_level
        get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_pg_count
        get_process_group_ranks get_rank get_world_size group init_device_mesh init_process_group irecv
        is_available is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available
        is_torchelastic_launched is_ucc_available is_xccl_available isend log logging_handlers monitored_barrier
        new_group new_subgroups new_subgroups_by_enumeration record_comm recv recv_object_list reduce reduce_op
        reduce_scatter reduce_scatter_single reduce_scatter_tensor register_rendezvous_handler remote_device
        rendezvous rpc scatter scatter_object_list send send_object_list set_debug_level
        set_debug_level_from_env shrink_group split_group supports_complex timedelta utils
    """,
    "torch.distributions": """
        AbsTransform AffineTransform Bernoulli Beta Binomial CatTransform Categorical Cauchy Chi2
        ComposeTransform ContinuousBernoulli CorrCholeskyTransform CumulativeDistributionTransform Dirichlet
        Distribution ExpTransform Exponential ExponentialFamily FisherSnedecor Gamma GeneralizedPareto Geometric
        Gumbel HalfCauchy HalfNormal Independent IndependentTransform InverseGamma Kumaraswamy LKJCholesky
        Laplace LogNormal LogisticNormal LowRankMultivariateNormal LowerCholeskyTransform MixtureSameFamily
        Multinomial MultivariateNormal NegativeBinomial Normal OneHotCategorical
        OneHotCategoricalStraightThrough Pareto Poisson PositiveDefiniteTransform PowerTransform
        RelaxedBernoulli RelaxedOneHotCategorical ReshapeTransform SigmoidTransform SoftmaxTransform
        SoftplusTransform StackTransform StickBreakingTransform StudentT TanhTransform Transform
        TransformedDistribution Uniform VonMises Weibull Wishart bernoulli beta biject_to binomial categorical
        cauchy chi2 constraint_registry constraints continuous_bernoulli dirichlet distribution exp_family
        exponential fishersnedecor gamma generalized_pareto geometric gumbel half_cauchy half_normal
        identity_transform independent inverse_gamma kl kl_divergence kumaraswamy laplace lkj_cholesky
        log_normal logistic_normal lowrank_multivariate_normal mixture_same_family multinomial
        multivariate_normal negative_binomial normal one_hot_categorical pareto poisson register_kl
        relaxed_bernoulli relaxed_categorical studentT transform_to transformed_distribution transforms uniform
        utils von_mises weibull wishart
    """,
    "torch.export": """
        AdditionalInputs Constraint CustomDecompTable DEFAULT_PICKLE_PROTOCOL Dim ExportBackwardSignature
        ExportGraphSignature ExportedProgram FileLike FlatArgsAdapter ModuleCallEntry ModuleCallSignature
        PassResult PassType ShapesCollection UnflattenedModule custom_ops decomp_utils default_decompositions
        deprecated dims draft_export dynamic_shapes export exported_program graph_signature load log pytree
        register_dataclass save unflatten
    """,
    "torch.fft": """
        Tensor common_args factory_common_args fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn
        ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "torch.func": """
        debug_unwrap functional_call functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize
        rearrange replace_all_batch_norm_modules_ stack_module_state vjp vmap
    """,
    "torch.futures": """
        Future Generic S T collect_all wait_all
    """,
    "torch.fx": """
        CodeGen Graph GraphModule Interpreter Node PH Proxy ProxyableClassMeta Tracer Transformer config
        experimental graph graph_module has_side_effect immutable_collections interpreter map_arg node
        operator_schemas passes proxy replace_pattern subgraph_rewriter symbolic_trace tensor_type traceback
        wrap
    """,
    "torch.hub": """
        DEFAULT_CACHE_DIR ENV_GITHUB_TOKEN ENV_TORCH_HOME ENV_XDG_CACHE_HOME HASH_REGEX HTTPError MAP_LOCATION
        MODULE_HUBCONF Path READ_DATA_CHUNK Request URLError VAR_DEPENDENCY deprecated download_url_to_file
        get_dir help list load load_state_dict_from_url set_dir tqdm urlopen urlparse
    """,
    "torch.jit": """
        Attribute CompilationUnit Error Final Future ONNXTracedModule RecursiveScriptClass RecursiveScriptModule
        ScriptFunction ScriptModule ScriptWarning TopLevelTracedModule TracedModule TracerWarning
        TracingCheckError annotate enable_onednn_fusion export export_opnames fork freeze frontend fuser ignore
        interface is_scripting is_tracing isinstance jit_module_from_flatbuffer last_executed_optimized_graph
        load onednn_fusion_enabled optimize_for_inference optimized_execution run_frozen_optimizations save
        save_jit_module_to_flatbuffer script script_if_tracing script_method set_fusion_strategy set_module
        strict_fusion trace trace_module unused wait
    """,
    "torch.library": """
        CustomOpDef EffectType Library NAMELESS_SCHEMA OpOverload custom_op define deprecated device_types_t
        fallthrough_kernel get_ctx get_kernel impl impl_abstract infer_schema opcheck register_autocast
        register_autograd register_fake register_kernel register_torch_dispatch register_vmap triton_op
        wrap_triton
    """,
    "torch.linalg": """
        LinAlgError cholesky cholesky_ex common_notes cond cross det diagonal eig eigh eigvals eigvalsh
        householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex
        lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
        solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
    """,
    "torch.masked": """
        MaskedTensor amax amin argmax argmin as_masked_tensor cumprod cumsum is_masked_tensor log_softmax
        logaddexp logsumexp masked_tensor maskedtensor mean median norm normalize prod softmax softmin std sum
        var
    """,
    "torch.multiprocessing": """
        Array AuthenticationError Barrier BoundedSemaphore BufferTooShort Condition ENV_VAR_PARALLEL_START Event
        JoinableQueue Lock Manager Pipe Pool Process ProcessContext ProcessError ProcessExitedException
        ProcessRaisedException Queue RLock RawArray RawValue Semaphore SimpleQueue SpawnContext TimeoutError
        Value active_children allow_connection_pickling cpu_count current_process freeze_support
        get_all_sharing_strategies get_all_start_methods get_context get_logger get_sharing_strategy
        get_start_method init_reductions log_to_stderr parent_process reductions set_executable
        set_forkserver_preload set_sharing_strategy set_start_method spawn start_processes
    """,
    "torch.nested": """
        DType Device F SymInt Tensor as_nested_tensor masked_select narrow nested_tensor
        nested_tensor_from_jagged to_padded_tensor
    """,
    "torch.nn": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
        AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss
        BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU CTCLoss ChannelShuffle CircularPad1d
        CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d
        ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss
        CrossMapLRN2d DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag
        FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell
        GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss
        Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM
        LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d
        LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d
        LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions
        LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d
        MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss
        MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance
        Parameter ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase
        RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
        ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax
        Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer
        TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss
        TripletMarginWithDistanceLoss Unflatten Unfold UninitializedBuffer UninitializedParameter Upsample
        UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d attention common_types
        factory_kwargs functional grad init intrinsic modules parallel parameter qat quantizable quantized utils
    """,
    "torch.nn.attention": """
        SDPAParams SDPBackend WARN_FOR_UNFUSED_KERNELS activate_flash_attention_impl can_use_efficient_attention
        can_use_flash_attention current_flash_attention_impl list_flash_attention_impls
        register_flash_attention_impl restore_flash_attention_impl sdpa_kernel warn
    """,
    "torch.nn.functional": """
        BroadcastingList1 BroadcastingList2 BroadcastingList3 DType GRID_SAMPLE_INTERPOLATION_MODES
        GRID_SAMPLE_PADDING_MODES ScalingType SwizzleType Tensor adaptive_avg_pool1d adaptive_avg_pool2d
        adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d
        adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid
        alpha_dropout assert_int_or_pair avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear
        binary_cross_entropy binary_cross_entropy_with_logits boolean_dispatch celu celu_ channel_shuffle conv1d
        conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss
        cosine_similarity cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu elu_ embedding
        embedding_bag feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool2d_with_indices
        fractional_max_pool3d fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grad grid_sample
        group_norm grouped_mm gumbel_softmax handle_torch_function hardshrink hardsigmoid hardswish hardtanh
        hardtanh_ has_torch_function has_torch_function_unary has_torch_function_variadic hinge_embedding_loss
        huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu leaky_relu_ linear
        linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d
        margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
        max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss
        multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
        native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle
        pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ reproducibility_notes rms_norm rrelu rrelu_
        scaled_dot_product_attention scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss
        soft_margin_loss softmax softmin softplus softshrink softsign sparse_support_notes tanh tanhshrink
        tf32_notes threshold threshold_ triplet_margin_loss triplet_margin_with_distance_loss unfold upsample
        upsample_bilinear upsample_nearest
    """,
    "torch.nn.init": """
        Tensor calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_
        kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal orthogonal_ sparse sparse_
        trunc_normal_ uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ zeros_
    """,
    "torch.nn.utils": """
        clip_grad clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_
        convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format convert_parameters
        fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights fusion get_total_norm
        init memory_format parameters_to_vector parametrizations parametrize remove_spectral_norm
        remove_weight_norm rnn skip_init spectral_norm stateless vector_to_parameters weight_norm
    """,
    "torch.nn.utils.rnn": """
        PackedSequence PackedSequence_ Self Tensor bind copy_method_params invert_permutation
        pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence unpack_sequence unpad_sequence
    """,
    "torch.nn.utils.parametrizations": """
        F Module Tensor auto orthogonal parametrize spectral_norm weight_norm
    """,
    "torch.nn.utils.parametrize": """
        Module ModuleDict ModuleList OpaqueBase Parameter ParametrizationList Tensor cached deepcopy
        get_swap_module_params_on_conversion is_opaque_reference_type is_parametrized
        is_traceable_wrapper_subclass register_parametrization remove_parametrizations
        transfer_parametrizations_and_params type_before_parametrizations
    """,
    "torch.nn.utils.prune": """
        ABC BasePruningMethod CustomFromMask Identity L1Unstructured LnStructured PruningContainer
        RandomStructured RandomUnstructured abstractmethod custom_from_mask global_unstructured identity
        is_pruned l1_unstructured ln_structured random_structured random_unstructured remove
    """,
    "torch.onnx": """
        ExportableModule InputObserver JitScalarType ONNXProgram OnnxExporterError OperatorExportTypes
        TensorProtoDataType TrainingMode errors export is_in_onnx_export ops producer_name producer_version
        register_custom_op_symbolic select_model_mode_for_export symbolic_helper symbolic_opset10
        symbolic_opset9 unregister_custom_op_symbolic utils
    """,
    "torch.optim": """
        ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop SGD
        SparseAdam lr_scheduler swa_utils swap_in_optimizer_params_and_state
    """,
    "torch.optim.lr_scheduler": """
        ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts Counter CyclicLR
        EPOCH_DEPRECATION_WARNING ExponentialLR LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR
        OneCycleLR Optimizer PolynomialLR ReduceLROnPlateau Self SequentialLR StepLR SupportsFloat Tensor
        TypedDict bisect_right inf override ref
    """,
    "torch.optim.swa_utils": """
        AveragedModel LRScheduler Module PARAM_LIST SWALR Tensor deepcopy get_ema_avg_fn get_ema_multi_avg_fn
        get_swa_avg_fn get_swa_multi_avg_fn override update_bn
    """,
    "torch.overrides": """
        BaseTorchFunctionMode TorchFunctionMode enable_reentrant_dispatch get_default_nowrap_functions
        get_ignored_functions get_overridable_functions get_testing_overrides handle_torch_function
        has_torch_function has_torch_function_unary has_torch_function_variadic is_tensor_like
        is_tensor_method_or_property redispatch_function resolve_name wrap_torch_function
    """,
    "torch.profiler": """
        DeviceType ExecutionTraceObserver KinetoStepTracker Optimizer ProfilerAction ProfilerActivity
        RecordScope TypeVarTuple Unpack is_fbcode itt kineto_available profile profiler record_function
        register_optimizer_step_post_hook schedule supported_activities tensorboard_trace_handler
    """,
    "torch.random": """
        default_generator fork_rng get_rng_state initial_seed manual_seed seed set_rng_state
        thread_safe_generator
    """,
    "torch.signal": """
        windows
    """,
    "torch.sparse": """
        BFloat16Tensor ByteTensor CharTensor DType DimOrDims DoubleTensor FloatTensor HalfTensor IntTensor
        LongTensor ShortTensor SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT
        SparseSemiStructuredTensorCUTLASS Tensor addmm as_sparse_gradcheck check_sparse_tensor_invariants
        log_softmax mm sampled_addmm semi_structured softmax solve spdiags spsolve sum to_sparse_semi_structured
    """,
    "torch.special": """
        Tensor airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
        chebyshev_polynomial_v chebyshev_polynomial_w common_args digamma entr erf erfc erfcx erfinv exp2 expit
        expm1 gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
        laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
        modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multi_dim_common
        multigammaln ndtr ndtri polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
        shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
        shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 xlog1py xlogy zeta
    """,
    "torch.testing": """
        FileCheck assert_allclose assert_close make_tensor
    """,
    "torch.utils": """
        ThroughputBenchmark backcompat backend_registration checkpoint cmake_prefix_path collect_env
        cpp_backtrace data deterministic dlpack generate_methods_for_privateuse1_backend get_cpp_backtrace hooks
        rename_privateuse1_backend set_module swap_tensors throughput_benchmark weak
    """,
    "torch.utils.checkpoint": """
        AbstractSet Annotated AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable
        BinaryIO ByteString ChainMap CheckpointError CheckpointFunction CheckpointPolicy ClassVar Collection
        Concatenate Container ContextManager Coroutine Counter DefaultDeviceType DefaultDict Deque Final
        ForwardRef FrozenSet Generic GraphExecGroup Hashable IO ItemsView KeysView LiteralString
        LoggingTensorMode MappingView Match MutableMapping MutableSequence MutableSet Never NewType NoReturn
        NotRequired ParamSpecArgs ParamSpecKwargs Pattern Protocol ReferenceType Required Reversible
        SAC_IGNORED_OPS SavedTensor SelectiveCheckpointContext Self Set Sized SupportsAbs SupportsBytes
        SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound Text TextIO TorchDispatchMode Type
        TypeAlias TypeGuard TypeVarTuple TypedDict Unpack ValuesView assert_never assert_type capture_logs
        check_backward_validity checkpoint checkpoint_sequential clear_overloads
        create_selective_checkpoint_contexts dataclass_transform detach_variable final fx_traceback get_args
        get_device_states get_origin get_overloads get_type_hints is_typeddict no_type_check
        no_type_check_decorator noop_context_fn reveal_type runtime_checkable set_checkpoint_debug_enabled
        set_checkpoint_early_stop set_device_states tree_map
    """,
    "torch.utils.data": """
        BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader Dataset DistributedSampler
        IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler StackDataset Subset
        SubsetRandomSampler TensorDataset WeightedRandomSampler _DatasetKind argument_validation dataloader
        datapipes dataset default_collate default_convert distributed functional_datapipe get_worker_info graph
        graph_settings guaranteed_datapipes_determinism non_deterministic random_split runtime_validation
        runtime_validation_disabled sampler
    """,
    "torch.mps": """
        Event Tensor compile_shader current_allocated_memory device_count driver_allocated_memory empty_cache
        event get_rng_state is_available load_metallib manual_seed profiler recommended_max_memory seed
        set_per_process_memory_fraction set_rng_state synchronize
    """,
    "torch.xpu": """
        Event MemPool NewType Stream StreamContext XPUGraph XPUPluggableAllocator byref c_double c_uint32
        c_void_p can_device_access_peer change_current_allocator clock_rate current_device current_stream
        default_generators device device_count device_memory_used device_of empty_cache get_arch_list
        get_device_capability get_device_name get_device_properties get_gencode_flags
        get_per_process_memory_fraction get_rng_state get_rng_state_all get_stream_from_external graph
        graph_pool_handle graphs init initial_seed is_available is_bf16_supported is_current_stream_capturing
        is_initialized is_tf32_supported make_graphed_callables manual_seed manual_seed_all max_memory_allocated
        max_memory_reserved mem_get_info memory memory_allocated memory_reserved memory_snapshot memory_stats
        memory_stats_as_nested_dict memory_usage pointer power_draw random reset_accumulated_memory_stats
        reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state
        set_rng_state_all set_stream stream streams synchronize temperature use_mem_pool utilization
    """,
    "torch.accelerator": """
        Graph cache current_accelerator current_device_idx current_device_index current_stream deprecated
        device_count device_index empty_cache empty_host_cache get_device_capability get_memory_info graphs
        is_available max_memory_allocated max_memory_reserved memory memory_allocated memory_reserved
        memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx set_device_index
        set_stream synchronize
    """,
    "torch.serialization": """
        DEFAULT_PROTOCOL FileLike Generic INT_SIZE IO IS_WINDOWS LONG_SIZE LoadEndianness MAGIC_NUMBER
        MAP_LOCATION MAP_PRIVATE MAP_SHARED PROTOCOL_VERSION SHORT_SIZE STORAGE STORAGE_KEY_SEPARATOR
        SourceChangeWarning Storage StorageType T TypeAlias TypeIs UNSAFE_MESSAGE add_safe_globals
        check_module_version_greater_or_equal clear_safe_globals closing default_restore_location
        get_crc32_options get_default_load_endianness get_default_mmap_options get_safe_globals
        get_source_lines_and_file get_unsafe_globals_in_checkpoint load location_tag mkdtemp
        normalize_storage_type register_package safe_globals save set_crc32_options set_default_load_endianness
        set_default_mmap_options skip_data storage_to_tensor_type validate_cuda_device validate_hpu_device
    """,
}

OF_TENSORS = frozenset(
    """
        ccol_indices chalf col_indices crow_indices dequantize index int_repr ipu mtia
        q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme reinforce
        row_indices slice_inverse to_mkldnn to_padded_tensor to_sparse_bsc to_sparse_bsr
        to_sparse_csc to_sparse_csr
    """.split()
)
"""What PyTorch's tensors have, and facula's lack."""

OF_SCRIPTS = frozenset("code code_with_constants graph graph_for inlined_graph save".split())
"""What functions and modules have in PyTorch once they are scripted or traced."""

MODULES = frozenset(
    """
        torch.accelerator torch.accelerator.graphs torch.accelerator.memory torch.amp torch.amp.autocast_mode
        torch.amp.grad_scaler torch.ao torch.ao.nn torch.ao.ns torch.ao.pruning torch.ao.quantization
        torch.autograd torch.autograd.anomaly_mode torch.autograd.forward_ad torch.autograd.function
        torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
        torch.autograd.profiler torch.autograd.profiler_legacy torch.autograd.profiler_util
        torch.autograd.variable torch.backends torch.backends.cpu torch.backends.cuda torch.backends.cudnn
        torch.backends.cusparselt torch.backends.kleidiai torch.backends.mha torch.backends.miopen
        torch.backends.mkl torch.backends.mkldnn torch.backends.mps torch.backends.nnpack torch.backends.openmp
        torch.backends.opt_einsum torch.backends.python_native torch.backends.quantized torch.backends.xeon
        torch.backends.xnnpack torch.compiler torch.compiler.config torch.contrib torch.cpu torch.cpu.amp
        torch.cuda torch.cuda.amp torch.cuda.comm torch.cuda.gds torch.cuda.graphs torch.cuda.green_contexts
        torch.cuda.jiterator torch.cuda.memory torch.cuda.nccl torch.cuda.nvtx torch.cuda.profiler
        torch.cuda.random torch.cuda.sparse torch.cuda.streams torch.cuda.tunable torch.distributed
        torch.distributed.algorithms torch.distributed.argparse_util torch.distributed.autograd
        torch.distributed.c10d_logger torch.distributed.checkpoint torch.distributed.collective_utils
        torch.distributed.config torch.distributed.constants torch.distributed.debug
        torch.distributed.device_mesh torch.distributed.distributed_c10d torch.distributed.elastic
        torch.distributed.flight_recorder torch.distributed.fsdp torch.distributed.launch
        torch.distributed.launcher torch.distributed.logging_handlers torch.distributed.nn
        torch.distributed.optim torch.distributed.pipelining torch.distributed.remote_device
        torch.distributed.rendezvous torch.distributed.rpc torch.distributed.run torch.distributed.tensor
        torch.distributed.utils torch.distributions torch.distributions.bernoulli torch.distributions.beta
        torch.distributions.binomial torch.distributions.categorical torch.distributions.cauchy
        torch.distributions.chi2 torch.distributions.constraint_registry torch.distributions.constraints
        torch.distributions.continuous_bernoulli torch.distributions.dirichlet torch.distributions.distribution
        torch.distributions.exp_family torch.distributions.exponential torch.distributions.fishersnedecor
        torch.distributions.gamma torch.distributions.generalized_pareto torch.distributions.geometric
        torch.distributions.gumbel torch.distributions.half_cauchy torch.distributions.half_normal
        torch.distributions.independent torch.distributions.inverse_gamma torch.distributions.kl
        torch.distributions.kumaraswamy torch.distributions.laplace torch.distributions.lkj_cholesky
        torch.distributions.log_normal torch.distributions.logistic_normal
        torch.distributions.lowrank_multivariate_normal torch.distributions.mixture_same_family
        torch.distributions.multinomial torch.distributions.multivariate_normal
        torch.distributions.negative_binomial torch.distributions.normal torch.distributions.one_hot_categorical
        torch.distributions.pareto torch.distributions.poisson torch.distributions.relaxed_bernoulli
        torch.distributions.relaxed_categorical torch.distributions.studentT
        torch.distributions.transformed_distribution torch.distributions.transforms torch.distributions.uniform
        torch.distributions.utils torch.distributions.von_mises torch.distributions.weibull
        torch.distributions.wishart torch.export torch.export.custom_obj torch.export.custom_ops
        torch.export.decomp_utils torch.export.dynamic_shapes torch.export.experimental
        torch.export.exported_program torch.export.graph_signature torch.export.passes torch.export.pt2_archive
        torch.export.unflatten torch.fft torch.func torch.functional torch.futures torch.fx torch.fx.annotate
        torch.fx.config torch.fx.experimental torch.fx.graph torch.fx.graph_module
        torch.fx.immutable_collections torch.fx.interpreter torch.fx.node torch.fx.operator_schemas
        torch.fx.passes torch.fx.proxy torch.fx.subgraph_rewriter torch.fx.tensor_type torch.fx.traceback
        torch.hub torch.jit torch.jit.annotations torch.jit.frontend torch.jit.generate_bytecode
        torch.jit.mobile torch.jit.quantized torch.jit.supported_ops torch.jit.unsupported_tensor_ops
        torch.library torch.linalg torch.masked torch.masked.maskedtensor torch.monitor torch.mps
        torch.mps.event torch.mps.profiler torch.mtia torch.mtia.memory torch.mtia.mtia_graph
        torch.multiprocessing torch.multiprocessing.pool torch.multiprocessing.queue
        torch.multiprocessing.reductions torch.multiprocessing.spawn torch.nativert torch.nativert.backends
        torch.nested torch.nn torch.nn.attention torch.nn.backends torch.nn.common_types torch.nn.cpp
        torch.nn.functional torch.nn.grad torch.nn.init torch.nn.intrinsic torch.nn.modules torch.nn.parallel
        torch.nn.parameter torch.nn.qat torch.nn.quantizable torch.nn.quantized torch.nn.utils torch.numa
        torch.numa.binding torch.onnx torch.onnx.errors torch.onnx.operators torch.onnx.ops
        torch.onnx.symbolic_helper torch.onnx.symbolic_opset10 torch.onnx.symbolic_opset11
        torch.onnx.symbolic_opset12 torch.onnx.symbolic_opset13 torch.onnx.symbolic_opset14
        torch.onnx.symbolic_opset15 torch.onnx.symbolic_opset16 torch.onnx.symbolic_opset17
        torch.onnx.symbolic_opset18 torch.onnx.symbolic_opset19 torch.onnx.symbolic_opset20
        torch.onnx.symbolic_opset7 torch.onnx.symbolic_opset8 torch.onnx.symbolic_opset9 torch.onnx.testing
        torch.onnx.utils torch.onnx.verification torch.optim torch.optim.adadelta torch.optim.adagrad
        torch.optim.adam torch.optim.adamax torch.optim.adamw torch.optim.asgd torch.optim.lbfgs
        torch.optim.lr_scheduler torch.optim.nadam torch.optim.optimizer torch.optim.radam torch.optim.rmsprop
        torch.optim.rprop torch.optim.sgd torch.optim.sparse_adam torch.optim.swa_utils torch.overrides
        torch.package torch.package.analyze torch.package.file_structure_representation
        torch.package.find_file_dependencies torch.package.glob_group torch.package.importer
        torch.package.package_exporter torch.package.package_importer torch.profiler torch.profiler.itt
        torch.profiler.profiler torch.profiler.python_tracer torch.quantization torch.quantization.fake_quantize
        torch.quantization.fuse_modules torch.quantization.fuser_method_mappings torch.quantization.fx
        torch.quantization.observer torch.quantization.qconfig torch.quantization.quant_type
        torch.quantization.quantization_mappings torch.quantization.quantize torch.quantization.quantize_fx
        torch.quantization.quantize_jit torch.quantization.stubs torch.quantization.utils torch.quasirandom
        torch.random torch.return_types torch.serialization torch.signal torch.signal.windows torch.sparse
        torch.sparse.semi_structured torch.special torch.storage torch.testing torch.torch_version torch.types
        torch.utils torch.utils.backcompat torch.utils.backend_registration torch.utils.benchmark
        torch.utils.bundled_inputs torch.utils.checkpoint torch.utils.collect_env torch.utils.cpp_backtrace
        torch.utils.cpp_extension torch.utils.data torch.utils.debug_log torch.utils.deterministic
        torch.utils.dlpack torch.utils.file_baton torch.utils.flop_counter torch.utils.hipify torch.utils.hooks
        torch.utils.jit torch.utils.mkldnn torch.utils.mobile_optimizer torch.utils.model_dump
        torch.utils.model_zoo torch.utils.module_tracker torch.utils.serialization torch.utils.show_pickle
        torch.utils.tensorboard torch.utils.throughput_benchmark torch.utils.viz torch.utils.weak torch.version
        torch.xpu torch.xpu.graphs torch.xpu.memory torch.xpu.random torch.xpu.streams
    """.split()
)


@cache
def names_of(module: str) -> frozenset[str]:
    """What one of PyTorch's modules has by name, its submodules included."""
    below = {name.removeprefix(f"{module}.") for name in MODULES if name.startswith(f"{module}.")}
    return frozenset(NAMES.get(module, "").split()) | below
