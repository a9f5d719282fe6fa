"""``torch._dynamo.config``: what can be set about compiling."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from facula._compile import settings
from facula._compile.options import changes, patched

_REAL = {
    "recompile_limit": "recompile_limit",
    "cache_size_limit": "recompile_limit",
    "automatic_dynamic_shapes": "automatic_dynamic_shapes",
    "error_on_recompile": "error_on_recompile",
    "fail_on_recompile_limit_hit": "fail_on_recompile_limit_hit",
    "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
}
"""Names that do something, and what they are here."""

_WITHOUT_EFFECT: dict[str, Any] = {
    **dict.fromkeys("""
        allow_empty_graphs allow_ignore_mark_dynamic allow_rnn allow_unspec_int_on_nn_module
        automatic_dynamic_exclusion_guard caching_precompile capture_dynamic_output_shape_ops
        capture_profiler_record_function capture_scalar_outputs compiled_autograd
        constant_fold_autograd_profiler_enabled cprofile cudagraph_backend_keep_input_mutation
        cudagraph_backend_support_input_mutation debug_disable_compile_counter debug_force_graph_break_on_leaf_return
        debug_force_nested_calls disable do_not_emit_runtime_asserts dont_skip_tracing dynamo_profiler
        enable_compiler_collectives enable_cpp_symbolic_shape_guards enable_invoke_subgraph_regional_compile
        enable_p2p_compilation enable_trace_load_build_class enable_trace_unittest
        error_on_dynamo_callback_in_fullgraph_compiled_code
        fake_tensor_cache_crosscheck_enabled force_compile_during_fx_trace
        force_unspec_int_unbacked_size_like_on_torchrec_kjt generate_pycode graph_deduplication_lint
        inline_invoke_subgraph install_free_tensors leaf_function_check_escaped_gradients
        leaf_function_validate_outputs log_graph_in_out_metadata nested_graph_breaks only_allow_pt2_compliant_ops
        optimize_ddp_lazy_compile output_code prefer_deferred_runtime_asserts_over_guards prepare_freezing
        raise_on_unsafe_aot_autograd record_compile_time_instruction_count replay_record_enabled repro_forward_only
        repro_ignore_non_fp skip_fwd_side_effects_in_bwd_under_checkpoint skip_guards_on_constant_func_defaults
        specialize_float specialize_int strict_precompile suppress_errors trace_autograd_ops
        track_nodes_for_deduplication use_graph_deduplication use_numpy_random_stream
        use_recursive_dict_tags_for_guards verbose verify_correctness wrap_top_frame
    """.split(), False),
    **dict.fromkeys("""
        assume_dunder_attributes_remain_unchanged assume_static_by_default automatic_dynamic_local_pgo
        capture_autograd_function capture_func_transforms capture_sparse_compute dynamic_shapes enable_aot_compile
        enable_cpp_framelocals_guard_eval enable_cpp_guard_manager enable_dynamo_decompositions
        enable_faithful_generator_behavior enable_trace_contextlib error_on_nested_fx_trace error_on_nested_jit_trace
        fake_tensor_cache_enabled fake_tensor_disable_inference_mode force_nn_module_property_static_shapes
        force_parameter_static_shapes graph_break_on_nn_param_ctor guard_nn_modules guard_nn_modules_using_dict_tags
        inline_inbuilt_nn_modules inline_single_use_invoke_subgraph inline_torch_dispatch_torch_compile
        install_free_tensors_for_export issue_3_13_0_warning log_compilation_metrics optimize_ddp
        raise_on_ctx_manager_usage record_runtime_overhead replay_side_effects report_guard_failures
        rewrite_assert_with_torch_assert run_gc_after_compile same_two_models_use_fp64
        skip_code_recursive_on_cache_limit_hit skip_code_recursive_on_recompile_limit_hit skip_fsdp_guards
        skip_nnmodule_hook_guards skip_no_tensor_aliasing_guards_on_parameters
        skip_tensor_guards_with_matching_dict_tags skip_torchrec trace_numpy use_lamba_guard_for_object_aliasing
        use_lazy_graph_module
    """.split(), True),
    **dict.fromkeys("""
        automatic_dynamic_remote_pgo dead_code_elimination invalidate_compile_context_weakrefs log_file_name log_level
        pt2_compile_id_prefix repro_after
    """.split()),
    "accumulated_cache_size_limit": 256, "accumulated_recompile_limit": 256,
    "automatic_dynamic_shapes_mark_as": "dynamic", "compiled_autograd_kwargs_override": {},
    "debug_backend_override": "", "debug_dynamo_config_override": "", "debug_inductor_config_override": "",
    "ignore_logger_methods": set(), "ignore_logging_functions": set(),
    "max_saved_pointers_for_recursive_dict_tags_check": 256, "minimum_call_count": 1,
    "nontraceable_tensor_subclasses": set(), "numpy_default_complex": "complex128", "numpy_default_float": "float64",
    "numpy_default_int": "int64", "reorderable_logging_functions": set(), "repro_level": 2, "repro_tolerance": 0.001,
    "side_effect_replay_policy": "info", "skipfiles_inline_module_allowlist": {}, "traceable_tensor_subclasses": set(),
}  # fmt: skip
"""Names that may be set, to no effect."""

_deleted: set[str] = set()
"""Those that have been deleted and not set again, as ``unittest.mock.patch`` does on its way out."""


def patch(named: Any = None, value: Any = None, **more: Any) -> patched:
    """Other settings for a while: a context manager and a decorator."""
    return patched(_module, changes(named, value, more))


class _Config(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name in _deleted:
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        if name in _REAL:
            return getattr(settings, _REAL[name])
        if name in _WITHOUT_EFFECT:
            return _WITHOUT_EFFECT[name]
        raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __setattr__(self, name: str, value: Any) -> None:
        _deleted.discard(name)
        if name in _REAL:
            setattr(settings, _REAL[name], value)
        elif name in _WITHOUT_EFFECT:
            _WITHOUT_EFFECT[name] = value
        elif name.startswith("__"):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        _deleted.add(name)

    def __dir__(self) -> list[str]:
        return sorted([*_REAL, *_WITHOUT_EFFECT, "patch"])


_module: Any = sys.modules[__name__]
_module.__class__ = _Config
