"""What PyTorch's modules import and so have by name, and where it is: written by ``tests/reexports.py``.

``name=place`` is a module, ``name=place:attribute`` something of one; ``=place:attribute`` has its name.
"""

# fmt: off
from __future__ import annotations

from importlib import import_module
from typing import Any

REEXPORTS = {
    "torch.amp.autocast_mode": """_dtype=torch:dtype collections=collections torch=torch""",
    "torch.amp.grad_scaler": """=enum:Enum abc=collections.abc =typing:cast =typing:overload torch=torch""",
    "torch.autograd": """=collections.abc:Mapping =collections.abc:Sequence =typing:cast
        =torch.overrides:handle_torch_function =torch.overrides:is_tensor_like =typing:overload torch=torch
        warnings=warnings""",
    "torch.autograd.forward_ad": """os=os torch=torch""",
    "torch.autograd.function": """=typing:Concatenate =typing:TypeVar _C=torch._C
        _ContextMethodMixin=torch.autograd.function:FunctionCtx hooks=torch.utils.hooks itertools=itertools
        torch=torch""",
    "torch.autograd.functional": """fwAD=torch.autograd.forward_ad torch=torch""",
    "torch.autograd.grad_mode": """torch=torch""",
    "torch.autograd.gradcheck": """=collections.abc:Iterable collections=collections functools=functools
        =torch.overrides:is_tensor_like =itertools:product torch=torch warnings=warnings""",
    "torch.autograd.graph": """=collections.abc:Generator =collections.abc:Iterable =typing:Literal
        =collections.abc:MutableMapping =typing:Optional =collections.abc:Sequence =typing:TypeAlias =typing:Union
        =torch.autograd.variable:Variable =weakref:WeakKeyDictionary =weakref:WeakValueDictionary abc=abc =typing:cast
        contextlib=contextlib contextvars=contextvars =collections:defaultdict =collections:deque functools=functools
        logging=logging threading=threading torch=torch""",
    "torch.autograd.profiler": """=collections.abc:Iterable =typing:Optional
        _ContextDecorator=contextlib:ContextDecorator =torch._C:_get_privateuse1_backend_name copy=copy
        =dataclasses:dataclass =collections:defaultdict logging=logging =time:perf_counter_ns torch=torch
        =_warnings:warn""",
    "torch.autograd.profiler_util": """=collections.abc:Callable =typing:NamedTuple =operator:attrgetter bisect=bisect
        itertools=itertools json=json math=math =collections:namedtuple torch=torch""",
    "torch.autograd.variable": """torch=torch""",
    "torch.backends": """m=torch.backends""",
    "torch.backends.cpu": """torch=torch""",
    "torch.backends.cuda": """=typing:Any =torch.nn.attention:SDPBackend contextlib=contextlib torch=torch""",
    "torch.backends.cudnn": """m=torch.backends.cudnn""",
    "torch.backends.mkl": """torch=torch""",
    "torch.backends.mkldnn": """m=torch.backends.mkldnn""",
    "torch.backends.mps": """=typing:Optional _Library=torch.library:Library _lru_cache=functools:lru_cache
        torch=torch""",
    "torch.backends.openmp": """torch=torch""",
    "torch.backends.opt_einsum": """m=torch.backends.opt_einsum""",
    "torch.compiler": """=typing:TypeVar io=io torch=torch""",
    "torch.cpu": """=contextlib:AbstractContextManager =collections.abc:Mapping _device=torch:device
        =functools:lru_cache torch=torch""",
    "torch.distributions.bernoulli": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.nn.functional:binary_cross_entropy_with_logits =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints =torch.distributions.utils:lazy_property
        =torch.distributions.utils:logits_to_probs =torch:nan =torch.distributions.utils:probs_to_logits
        torch=torch""",
    "torch.distributions.beta": """=torch.distributions.dirichlet:Dirichlet
        =torch.distributions.exp_family:ExponentialFamily =torch:Tensor =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.binomial": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property =torch.distributions.utils:logits_to_probs
        =torch.distributions.utils:probs_to_logits torch=torch""",
    "torch.distributions.categorical": """=torch.distributions.distribution:Distribution =torch:Tensor
        constraints=torch.distributions.constraints =torch.distributions.utils:lazy_property
        =torch.distributions.utils:logits_to_probs =torch:nan =torch.distributions.utils:probs_to_logits
        torch=torch""",
    "torch.distributions.cauchy": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints =torch:inf math=math
        =torch:nan torch=torch""",
    "torch.distributions.chi2": """=torch.distributions.gamma:Gamma =torch:Tensor
        constraints=torch.distributions.constraints""",
    "torch.distributions.constraints": """torch=torch""",
    "torch.distributions.continuous_bernoulli": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.nn.functional:binary_cross_entropy_with_logits =torch.distributions.utils:broadcast_all
        =torch.distributions.utils:clamp_probs constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property =torch.distributions.utils:logits_to_probs math=math
        =torch.distributions.utils:probs_to_logits torch=torch""",
    "torch.distributions.dirichlet": """=torch.distributions.exp_family:ExponentialFamily
        =torch.autograd.function:Function =torch:Tensor constraints=torch.distributions.constraints
        =torch.autograd.function:once_differentiable torch=torch""",
    "torch.distributions.distribution": """=torch:Tensor torch=torch""",
    "torch.distributions.exp_family": """=torch:Tensor torch=torch""",
    "torch.distributions.exponential": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.fishersnedecor": """=torch.distributions.distribution:Distribution
        =torch.distributions.gamma:Gamma =torch:Tensor =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints =torch:nan torch=torch""",
    "torch.distributions.gamma": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.generalized_pareto": """=torch.distributions.distribution:Distribution =numbers:Number
        =numbers:Real =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints =torch:inf
        math=math =torch:nan torch=torch""",
    "torch.distributions.geometric": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.nn.functional:binary_cross_entropy_with_logits =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints =torch.distributions.utils:lazy_property
        =torch.distributions.utils:logits_to_probs =torch.distributions.utils:probs_to_logits torch=torch""",
    "torch.distributions.gumbel": """=torch.distributions.transforms:AffineTransform
        =torch.distributions.transforms:ExpTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.uniform:Uniform
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints math=math torch=torch""",
    "torch.distributions.half_cauchy": """=torch.distributions.transforms:AbsTransform
        =torch.distributions.cauchy:Cauchy =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution
        constraints=torch.distributions.constraints =torch:inf math=math torch=torch""",
    "torch.distributions.half_normal": """=torch.distributions.transforms:AbsTransform
        =torch.distributions.normal:Normal =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution
        constraints=torch.distributions.constraints =torch:inf math=math torch=torch""",
    "torch.distributions.independent": """=torch.distributions.distribution:Distribution =typing:Generic =torch:Size
        =torch:Tensor =typing:TypeVar =torch.distributions.utils:_sum_rightmost
        constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.inverse_gamma": """=torch.distributions.gamma:Gamma
        =torch.distributions.transforms:PowerTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution
        constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.kl": """=torch.distributions.bernoulli:Bernoulli =torch.distributions.beta:Beta
        =torch.distributions.binomial:Binomial =collections.abc:Callable =torch.distributions.categorical:Categorical
        =torch.distributions.cauchy:Cauchy =torch.distributions.continuous_bernoulli:ContinuousBernoulli
        =torch.distributions.dirichlet:Dirichlet =torch.distributions.distribution:Distribution
        =torch.distributions.exponential:Exponential =torch.distributions.exp_family:ExponentialFamily
        =torch.distributions.gamma:Gamma =torch.distributions.geometric:Geometric =torch.distributions.gumbel:Gumbel
        =torch.distributions.half_normal:HalfNormal =torch.distributions.independent:Independent
        =torch.distributions.laplace:Laplace
        =torch.distributions.lowrank_multivariate_normal:LowRankMultivariateNormal
        =torch.distributions.multivariate_normal:MultivariateNormal =torch.distributions.normal:Normal
        =torch.distributions.one_hot_categorical:OneHotCategorical =torch.distributions.pareto:Pareto
        =torch.distributions.poisson:Poisson =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.uniform:Uniform
        =torch.distributions.lowrank_multivariate_normal:_batch_lowrank_logdet
        =torch.distributions.lowrank_multivariate_normal:_batch_lowrank_mahalanobis
        =torch.distributions.multivariate_normal:_batch_mahalanobis =torch.distributions.utils:_sum_rightmost
        =torch:inf math=math torch=torch =functools:total_ordering warnings=warnings""",
    "torch.distributions.kumaraswamy": """=torch.distributions.transforms:AffineTransform
        =torch.distributions.transforms:PowerTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.uniform:Uniform
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints =torch:nan
        torch=torch""",
    "torch.distributions.laplace": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.lkj_cholesky": """=torch.distributions.beta:Beta
        =torch.distributions.distribution:Distribution =torch:Tensor =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints math=math torch=torch""",
    "torch.distributions.log_normal": """=torch.distributions.transforms:ExpTransform
        =torch.distributions.normal:Normal =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution
        constraints=torch.distributions.constraints""",
    "torch.distributions.logistic_normal": """=torch.distributions.independent:Independent
        =torch.distributions.normal:Normal =torch.distributions.transforms:StickBreakingTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution
        constraints=torch.distributions.constraints""",
    "torch.distributions.lowrank_multivariate_normal": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.multivariate_normal:_batch_mahalanobis =torch.distributions.multivariate_normal:_batch_mv
        =torch.distributions.utils:_standard_normal constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property math=math torch=torch""",
    "torch.distributions.mixture_same_family": """=torch.distributions.categorical:Categorical
        =torch.distributions.distribution:Distribution =torch.distributions.constraints:MixtureSameFamilyConstraint
        =torch:Tensor constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.multinomial": """=torch.distributions.binomial:Binomial
        =torch.distributions.categorical:Categorical =torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints =torch:inf
        torch=torch""",
    "torch.distributions.multivariate_normal": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:_standard_normal constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property math=math torch=torch""",
    "torch.distributions.negative_binomial": """=torch.distributions.distribution:Distribution F=torch.nn.functional
        =torch.distributions.gamma:Gamma =torch:Tensor =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints =torch.distributions.utils:lazy_property
        =torch.distributions.utils:logits_to_probs =torch.distributions.utils:probs_to_logits torch=torch""",
    "torch.distributions.normal": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.distributions.utils:_standard_normal =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints math=math torch=torch""",
    "torch.distributions.one_hot_categorical": """=torch.distributions.categorical:Categorical
        =torch.distributions.distribution:Distribution =torch:Tensor constraints=torch.distributions.constraints
        torch=torch""",
    "torch.distributions.pareto": """=torch.distributions.transforms:AffineTransform
        =torch.distributions.transforms:ExpTransform =torch.distributions.exponential:Exponential =typing:Optional
        =torch:Tensor =torch.distributions.transformed_distribution:TransformedDistribution
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints""",
    "torch.distributions.poisson": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.relaxed_bernoulli": """=torch.distributions.distribution:Distribution
        =torch.distributions.transforms:SigmoidTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.utils:broadcast_all
        =torch.distributions.utils:clamp_probs constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property =torch.distributions.utils:logits_to_probs
        =torch.distributions.utils:probs_to_logits torch=torch""",
    "torch.distributions.relaxed_categorical": """=torch.distributions.categorical:Categorical
        =torch.distributions.distribution:Distribution =torch.distributions.transforms:ExpTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.utils:broadcast_all
        =torch.distributions.utils:clamp_probs constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.studentT": """=torch.distributions.chi2:Chi2 =torch.distributions.distribution:Distribution
        =torch:Tensor =torch.distributions.utils:_standard_normal =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints =torch:inf math=math =torch:nan torch=torch""",
    "torch.distributions.transformed_distribution": """=torch.distributions.transforms:ComposeTransform
        =torch.distributions.distribution:Distribution =torch.distributions.independent:Independent =torch:Tensor
        =torch.distributions.transforms:Transform =torch.distributions.utils:_sum_rightmost
        constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.transforms": """=torch.distributions.distribution:Distribution F=torch.nn.functional
        =collections.abc:Sequence =torch:Tensor =torch.distributions.utils:_sum_rightmost
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints functools=functools
        =torch.distributions.utils:lazy_property math=math operator=operator =torch.nn.functional:pad torch=torch
        =torch.distributions.utils:tril_matrix_to_vec =torch.distributions.utils:vec_to_tril_matrix""",
    "torch.distributions.uniform": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints =torch:nan
        torch=torch""",
    "torch.distributions.utils": """F=torch.nn.functional =typing:Final =typing:Generic =collections.abc:Sequence
        =torch:SymInt =typing:TypeVar _dtype=torch:dtype =typing:overload torch=torch""",
    "torch.distributions.von_mises": """=torch.distributions.distribution:Distribution =torch:Tensor
        =torch.distributions.utils:broadcast_all constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property math=math torch=torch""",
    "torch.distributions.weibull": """=torch.distributions.transforms:AffineTransform
        =torch.distributions.exponential:Exponential =torch.distributions.transforms:PowerTransform =torch:Tensor
        =torch.distributions.transformed_distribution:TransformedDistribution =torch.distributions.utils:broadcast_all
        constraints=torch.distributions.constraints torch=torch""",
    "torch.distributions.wishart": """=torch.distributions.exp_family:ExponentialFamily =torch:Tensor
        =torch.distributions.multivariate_normal:_precision_to_scale_tril constraints=torch.distributions.constraints
        =torch.distributions.utils:lazy_property math=math =torch:nan torch=torch warnings=warnings""",
    "torch.fft": """torch=torch""",
    "torch.functional": """F=torch.nn.functional =collections.abc:Sequence =torch.overrides:handle_torch_function
        itertools=itertools operator=operator torch=torch""",
    "torch.futures": """=typing:cast torch=torch""",
    "torch.fx.graph": """=collections.abc:Generator =collections.abc:Iterable =typing:Literal =typing:NamedTuple
        =collections.abc:Sequence =torch.fx.node:_get_qualified_name =torch.fx.node:_type_repr builtins=builtins
        contextlib=contextlib =dataclasses:dataclass =collections:defaultdict enum=enum functools=functools
        fx_pytree=torch.fx._pytree =torch.fx.immutable_collections:immutable_dict inspect=inspect keyword=keyword
        logging=logging math=math os=os pprint=pprint pytree=torch.utils._pytree re=re torch=torch types=types
        typing=typing""",
    "torch.fx.graph_module": """=torch.nn.modules.module:_addindent base64=base64 =typing:cast contextlib=contextlib
        contextvars=contextvars hashlib=hashlib nn=torch.nn sys=sys torch=torch traceback=traceback
        warnings=warnings""",
    "torch.fx.immutable_collections": """Context=typing:Any =collections.abc:Iterable =typing:Self =typing:TypeVar
        =torch.utils._pytree:_dict_flatten =torch.utils._pytree:_dict_flatten_with_keys
        =torch.utils._pytree:_dict_unflatten =torch.utils._pytree:_list_flatten =torch.utils._pytree:_list_unflatten
        =torch.utils._pytree:register_pytree_node""",
    "torch.fx.interpreter": """=contextlib:contextmanager fx_traceback=torch.fx.traceback inspect=inspect
        logging=logging torch=torch""",
    "torch.fx.node": """=torch.fx.operator_schemas:ArgsKwargsPair =collections.abc:Iterable =collections.abc:Mapping
        =typing:Optional =collections.abc:Sequence =typing:TypeAlias =typing:Union _ops=torch.ops builtins=builtins
        inspect=inspect logging=logging torch=torch types=types typing=typing""",
    "torch.fx.operator_schemas": """=typing:Literal =typing:cast enum=enum numbers=numbers =typing:overload
        torch=torch types=types typing=typing warnings=warnings""",
    "torch.fx.proxy": """=typing:Never =collections:OrderedDict =typing:TypeVar =typing:cast collections=collections
        copy=copy enum=enum =torch.fx.immutable_collections:immutable_dict
        =torch.fx.immutable_collections:immutable_list inspect=inspect logging=logging torch=torch
        =torch.utils._pytree:tree_map_ types=types""",
    "torch.fx.traceback": """=enum:Enum =torch.fx.graph:Graph =torch.fx.graph_module:GraphModule =torch.fx.node:Node
        =typing:Optional =typing:ParamSpec =typing:TypeVar =typing:Union =collections:defaultdict logging=logging
        threading=threading""",
    "torch.hub": """=urllib.error:HTTPError =pathlib:Path =urllib.error:URLError contextlib=contextlib errno=errno
        json=json torch=torch uuid=uuid""",
    "torch.library": """=collections.abc:Sequence =typing:TypeVar =typing:Union _dtype=torch:dtype inspect=inspect
        =typing:overload sys=sys torch=torch weakref=weakref""",
    "torch.multiprocessing": """_RT=multiprocessing.resource_tracker:ResourceTracker multiprocessing=multiprocessing
        torch=torch""",
    "torch.nn.attention": """=collections.abc:Iterable =typing:Union torch=torch =_warnings:warn""",
    "torch.nn.common_types": """_TypeAlias=typing:TypeAlias""",
    "torch.nn.functional": """=collections.abc:Callable DType=builtins:int =typing:Optional =torch:Tensor
        _Any=typing:Any _sym_int=torch:sym_int dataclasses=dataclasses grad=torch.nn.grad importlib=importlib
        math=math torch=torch warnings=warnings""",
    "torch.nn.grad": """=torch.nn.modules.utils:_pair =torch.nn.modules.utils:_single =torch.nn.modules.utils:_triple
        torch=torch""",
    "torch.nn.init": """=typing:Literal =typing:TypeVar torch=torch""",
    "torch.nn.modules.activation": """=torch.nn.modules.linear:NonDynamicallyQuantizableLinear
        =torch.nn.init:constant_ torch=torch warnings=warnings =torch.nn.init:xavier_normal_
        =torch.nn.init:xavier_uniform_""",
    "torch.nn.modules.adaptive": """itertools=itertools =collections:namedtuple torch=torch""",
    "torch.nn.modules.batchnorm": """=torch.nn.parameter:UninitializedBuffer
        =torch.nn.parameter:UninitializedParameter torch=torch""",
    "torch.nn.modules.channelshuffle": """F=torch.nn.functional""",
    "torch.nn.modules.container": """=typing:Self =typing:TypeVar =itertools:chain container_abcs=collections.abc
        =itertools:islice =typing:overload torch=torch""",
    "torch.nn.modules.conv": """=typing:Literal =torch.nn.parameter:UninitializedParameter init=torch.nn.init
        math=math torch=torch""",
    "torch.nn.modules.lazy": """=typing:Protocol torch=torch""",
    "torch.nn.modules.linear": """=torch.nn.parameter:UninitializedParameter torch=torch""",
    "torch.nn.modules.linear_cross_entropy_options": """=typing:Literal =typing:NamedTuple dataclasses=dataclasses
        torch=torch""",
    "torch.nn.modules.loss": """=torch.nn.modules.linear_cross_entropy_options:LinearCrossEntropyOptions
        _Reduction=torch.nn._reduction""",
    "torch.nn.modules.module": """=collections.abc:Mapping =typing:Optional =torch.utils.hooks:RemovableHandle
        =typing:Union =torch:device =torch:dtype functools=functools inspect=inspect itertools=itertools
        =collections:namedtuple =typing:overload torch=torch weakref=weakref""",
    "torch.nn.modules.normalization": """=torch:Size _cross_map_lrn2d=torch.nn.modules._functions:CrossMapLRN2d
        numbers=numbers torch=torch""",
    "torch.nn.modules.padding": """=collections.abc:Sequence =torch.nn.modules.utils:_pair
        =torch.nn.modules.utils:_quadruple""",
    "torch.nn.modules.pixelshuffle": """F=torch.nn.functional""",
    "torch.nn.modules.pooling": """=torch.nn.modules.utils:_pair =torch.nn.modules.utils:_single
        =torch.nn.modules.utils:_triple""",
    "torch.nn.modules.rnn": """=typing:overload torch=torch weakref=weakref""",
    "torch.nn.modules.sparse": """torch=torch""",
    "torch.nn.modules.transformer": """torch=torch =torch.nn.init:xavier_uniform_""",
    "torch.nn.modules.utils": """collections=collections""",
    "torch.nn.parallel": """=torch.nn.parallel.scatter_gather:gather =torch.nn.parallel.scatter_gather:scatter""",
    "torch.nn.parallel.data_parallel": """=typing:Generic =collections.abc:Sequence =typing:TypeVar
        =torch._utils:_get_device_index =itertools:chain =torch.nn.parallel.scatter_gather:gather operator=operator
        =torch.nn.parallel.scatter_gather:scatter_kwargs torch=torch warnings=warnings""",
    "torch.nn.parallel.distributed": """=collections.abc:Callable =enum:Enum =torch.autograd.function:Function
        =typing:Optional =torch.autograd.variable:Variable =torch._utils:_get_device_index =enum:auto
        =contextlib:contextmanager copy=copy =dataclasses:dataclass =collections:defaultdict =collections:deque
        dist=torch.distributed =dataclasses:fields functools=functools =torch.nn.parallel.scatter_gather:gather
        inspect=inspect =dataclasses:is_dataclass itertools=itertools logging=logging os=os
        =torch.nn.parallel.scatter_gather:scatter_kwargs sys=sys torch=torch =torch.utils._pytree:tree_flatten
        =torch.utils._pytree:tree_unflatten warnings=warnings weakref=weakref""",
    "torch.nn.parallel.scatter_gather": """=collections.abc:Sequence =typing:TypeVar =typing:overload torch=torch""",
    "torch.nn.parameter": """torch=torch""",
    "torch.nn.utils.clip_grad": """=collections.abc:Callable =typing:TypeAlias =typing:TypeVar
        =torch.utils._foreach_utils:_device_has_foreach_support
        =torch.utils._foreach_utils:_group_tensors_by_device_and_dtype
        =torch.utils._foreach_utils:_has_foreach_support =typing:cast functools=functools torch=torch
        typing=typing""",
    "torch.nn.utils.convert_parameters": """torch=torch""",
    "torch.nn.utils.fusion": """torch=torch""",
    "torch.nn.utils.init": """torch=torch""",
    "torch.nn.utils.memory_format": """torch=torch""",
    "torch.nn.utils.parametrizations": """torch=torch""",
    "torch.nn.utils.parametrize": """collections=collections copyreg=copyreg =copy:deepcopy
        =torch.__future__:get_swap_module_params_on_conversion torch=torch""",
    "torch.nn.utils.prune": """torch=torch""",
    "torch.nn.utils.rnn": """=collections.abc:Callable =typing:Self =typing:TypeVar torch=torch warnings=warnings""",
    "torch.nn.utils.spectral_norm": """F=torch.nn.functional torch=torch""",
    "torch.nn.utils.stateless": """contextlib=contextlib torch=torch""",
    "torch.nn.utils.weight_norm": """=torch.nn.parameter:UninitializedParameter =torch:_weight_norm
        =torch:norm_except_dim""",
    "torch.optim.adadelta": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.adagrad": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_device_dtype_check_for_fused =torch.optim.optimizer:_get_scalar_dtype
        =torch.optim.optimizer:_get_value =torch.optim.optimizer:_to_scalar =torch.optim.optimizer:_view_as_real
        =typing:cast torch=torch""",
    "torch.optim.adam": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_device_dtype_check_for_fused =torch.optim.optimizer:_disable_dynamo_if_unsupported
        =torch.optim.optimizer:_get_capturable_supported_devices =torch.optim.optimizer:_get_scalar_dtype
        =torch.optim.optimizer:_get_value =torch.optim.optimizer:_stack_if_compiling =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.adamax": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_get_value =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.asgd": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_get_value =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.lbfgs": """=torch.optim.optimizer:_to_scalar torch=torch""",
    "torch.optim.lr_scheduler": """=typing:Any =collections:Counter =typing:Literal =torch.optim.optimizer:Optimizer
        =typing:Self =typing:SupportsFloat =torch:Tensor =typing:TypedDict =torch.optim.optimizer:_to_scalar
        =_bisect:bisect_right =typing:cast =torch:inf math=math =functools:partial ref=weakref:ReferenceType
        types=types warnings=warnings =functools:wraps""",
    "torch.optim.nadam": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_get_value
        =torch.optim.optimizer:_stack_if_compiling =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.optimizer": """=typing:Self =collections.abc:Sequence =typing:TypeAlias =typing:TypeVar =typing:cast
        hooks=torch.utils.hooks =typing:overload torch=torch""",
    "torch.optim.radam": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_get_value =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.rmsprop": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.rprop": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_disable_dynamo_if_unsupported =torch.optim.optimizer:_get_capturable_supported_devices
        =torch.optim.optimizer:_get_scalar_dtype =torch.optim.optimizer:_to_scalar
        =torch.optim.optimizer:_view_as_real =typing:cast torch=torch""",
    "torch.optim.sgd": """=torch.optim.optimizer:_default_to_fused_or_foreach
        =torch.optim.optimizer:_device_dtype_check_for_fused =torch.optim.optimizer:_to_scalar =typing:cast
        torch=torch""",
    "torch.optim.sparse_adam": """F=torch.optim._functional =torch.optim.optimizer:_to_scalar torch=torch""",
    "torch.optim.swa_utils": """=torch.optim.lr_scheduler:LRScheduler =typing:Literal
        =torch.utils._foreach_utils:_get_foreach_kernels_supported_devices =typing:cast torch=torch
        warnings=warnings""",
    "torch.overrides": """=typing:TypeVar =torch._C:_len_torch_function_stack =typing:cast collections=collections
        contextlib=contextlib torch=torch types=types warnings=warnings =functools:wraps""",
    "torch.profiler": """=typing:Any =torch.optim.optimizer:Optimizer os=os
        =torch.optim.optimizer:register_optimizer_step_post_hook""",
    "torch.profiler.profiler": """=abc:ABC =enum:Enum =typing:Self =torch._C:_get_privateuse1_backend_name
        =abc:abstractmethod gzip=gzip =functools:partial shutil=shutil tempfile=tempfile torch=torch
        =_warnings:warn""",
    "torch.quasirandom": """torch=torch""",
    "torch.random": """contextlib=contextlib torch=torch warnings=warnings""",
    "torch.return_types": """=torch.utils._pytree:SequenceKey inspect=inspect
        =torch.utils._pytree:register_pytree_node torch=torch""",
    "torch.serialization": """=typing:Any =collections.abc:Callable =enum:Enum =typing:Generic =typing:IO
        =torch.types:Storage =typing:TypeAlias =typing:TypeVar =typing:cast =contextlib:closing
        =contextlib:contextmanager copyreg=copyreg difflib=difflib functools=functools io=io os=os pickle=pickle re=re
        shutil=shutil struct=struct sys=sys tarfile=tarfile tempfile=tempfile threading=threading torch=torch
        warnings=warnings""",
    "torch.special": """=torch:Tensor torch=torch""",
    "torch.storage": """=typing:Any =typing:Self =torch.types:Storage =typing:TypeVar _bool=builtins:bool
        _int=builtins:int =__future__:annotations =typing:cast collections=collections copy=copy functools=functools
        io=io threading=threading torch=torch warnings=warnings""",
    "torch.types": """=typing:Self =torch:SymBool =torch:SymFloat =typing:TypeAlias _bytes=builtins:bytes
        _str=builtins:str""",
    "torch.utils": """_osp=posixpath copyreg=copyreg torch=torch weakref=weakref""",
    "torch.utils.checkpoint": """=typing:AbstractSet =typing:Annotated =typing:AnyStr =typing:AsyncContextManager
        =typing:AsyncGenerator =typing:AsyncIterable =typing:AsyncIterator =typing:Awaitable =typing:BinaryIO
        =typing:ByteString =typing:ChainMap =typing:ClassVar =typing:Collection =typing:Concatenate =typing:Container
        =typing:ContextManager =typing:Coroutine =typing:Counter =typing:DefaultDict =typing:Deque =typing:Dict
        =typing:Final =typing:ForwardRef =typing:FrozenSet =typing:Generator =typing:Generic =typing:Hashable
        =typing:IO =typing:ItemsView =typing:KeysView =typing:List =typing:Literal =typing:LiteralString
        =typing:Mapping =typing:MappingView =typing:Match =typing:MutableMapping =typing:MutableSequence
        =typing:MutableSet =typing:NamedTuple =typing:Never =typing:NewType =typing:NoReturn =typing:NotRequired
        =typing:Optional =typing:OrderedDict =typing:ParamSpec =typing:ParamSpecArgs =typing:ParamSpecKwargs
        =typing:Pattern =typing:Protocol =weakref:ReferenceType =typing:Required =typing:Reversible =typing:Self
        =typing:Set =typing:Sized =typing:SupportsAbs =typing:SupportsBytes =typing:SupportsComplex
        =typing:SupportsFloat =typing:SupportsIndex =typing:SupportsInt =typing:SupportsRound Text=builtins:str
        =typing:TextIO =typing:Tuple =typing:Type =typing:TypeAlias =typing:TypeGuard =typing:TypeVar
        =typing:TypeVarTuple =typing:TypedDict =typing:Union =typing:Unpack =typing:ValuesView =typing:assert_never
        =typing:assert_type =typing:cast =typing:clear_overloads =typing:dataclass_transform =collections:defaultdict
        enum=enum =typing:final fx_traceback=torch.fx.traceback =typing:get_args =typing:get_origin
        =typing:get_overloads =typing:get_type_hints =typing:is_typeddict itertools=itertools =typing:no_type_check
        =typing:no_type_check_decorator =typing:overload platform=platform =typing:reveal_type
        =typing:runtime_checkable torch=torch =torch.utils._pytree:tree_map uuid=uuid""",
    "torch.utils.data.dataloader": """=torch.utils.data.dataset:Dataset =typing:NoReturn =typing:Self
        _utils=torch.utils.data._utils contextlib=contextlib dist=torch.distributed functools=functools
        logging=logging python_multiprocessing=multiprocessing queue=queue threading=threading torch=torch
        weakref=weakref""",
    "torch.utils.data.dataset": """=torch._C:Generator =typing:cast =torch:randperm""",
    "torch.utils.data.distributed": """=torch.utils.data.dataset:Dataset =typing:TypeVar dist=torch.distributed
        torch=torch""",
    "torch.utils.data.sampler": """=collections.abc:Sized itertools=itertools torch=torch""",
    "torch.utils.dlpack": """=typing:Any enum=enum torch=torch""",
    "torch.utils.hooks": """=collections:OrderedDict torch=torch warnings=warnings weakref=weakref""",
    "torch.version": """=typing:Optional""",
    "torch.accelerator": """=functools:cache torch=torch""",
    "torch.ao.quantization": """=collections.abc:Callable =torch:Tensor sys=sys torch=torch""",
    "torch.cuda": """=collections.abc:Callable =typing:NewType =typing:Optional =typing:cast importlib=importlib
        =functools:lru_cache os=os platform=platform threading=threading torch=torch traceback=traceback
        warnings=warnings""",
    "torch.distributed": """logging=logging sys=sys =datetime:timedelta torch=torch traceback=traceback
        typing=typing""",
    "torch.distributed.nn": """=torch.autograd.function:Function dist=torch.distributed torch=torch
        warnings=warnings""",
    "torch.jit": """=collections.abc:Iterator =contextlib:contextmanager torch=torch warnings=warnings""",
    "torch.jit.annotations": """ast=ast builtins=builtins =textwrap:dedent dis=dis enum=enum inspect=inspect re=re
        torch=torch warnings=warnings""",
    "torch.mps": """=torch:Tensor torch=torch""",
    "torch.mtia": """=typing:Any =collections.abc:Callable =torch:Tensor threading=threading torch=torch
        traceback=traceback""",
    "torch.onnx": """torch=torch""",
    "torch.onnx.symbolic_opset11": """=__future__:annotations""",
    "torch.xpu": """=typing:Any =typing:NewType =__future__:annotations =_ctypes:byref =ctypes:c_double
        c_uint32=ctypes:c_uint =ctypes:c_void_p =ctypes:cast dataclasses=dataclasses =functools:lru_cache os=os
        =_ctypes:pointer threading=threading torch=torch traceback=traceback warnings=warnings""",
}


def reexported(module: str, name: str) -> Any:
    """What one of PyTorch's modules has by a name because it imports it; raises AttributeError if it has none."""
    for entry in REEXPORTS.get(module, "").split():
        known, _, place = entry.partition("=")
        source, _, attribute = place.partition(":")
        if (known or attribute) == name:
            found = import_module(source)
            return getattr(found, attribute) if attribute else found
    raise AttributeError(name)
