"""Where PyTorch has classes that facula has elsewhere: for files, and where ``torch`` is facula."""

from __future__ import annotations

HOMES = {
    "facula.Generator": "torch._C.Generator",
    "facula._core.storage.StorageBase": "torch._C.StorageBase",
    "facula._core.device_streams.Event": "torch.Event",
    "facula._core.device_streams.Stream": "torch.Stream",
    "facula.autograd.graph.RemovableHandle": "torch.utils.hooks.RemovableHandle",
    "facula.autograd.hooks.save_on_cpu": "torch.autograd.graph.save_on_cpu",
    "facula.autograd.hooks.saved_tensors_hooks": "torch.autograd.graph.saved_tensors_hooks",
    "facula.autograd.saved.SavedTensor": "torch._C._autograd.SavedTensor",
    "facula.distributed.errors.DistBackendError": "torch.distributed.DistBackendError",
    "facula.distributed.errors.DistError": "torch.distributed.DistError",
    "facula.distributed.errors.DistNetworkError": "torch.distributed.DistNetworkError",
    "facula.distributed.errors.DistStoreError": "torch.distributed.DistStoreError",
    "facula.distributed.errors.QueueEmptyError": "torch.distributed.QueueEmptyError",
    "facula.distributed.process_group.Backend": "torch.distributed.distributed_c10d.Backend",
    "facula.distributed.process_group.ProcessGroup": "torch.distributed.distributed_c10d.ProcessGroup",
    "facula.distributed.reduce_op.ReduceOp": "torch.distributed.distributed_c10d.ReduceOp",
    "facula.distributed.work.Work": "torch.distributed.distributed_c10d.Work",
    "facula.fx._codegen.CodeGen": "torch.fx.graph.CodeGen",
    "facula.fx._codegen.PythonCode": "torch.fx.graph.PythonCode",
    "facula.fx._symbolic_trace.ProxyableClassMeta": "torch.fx._symbolic_trace.ProxyableClassMeta",
    "facula.fx._symbolic_trace.Tracer": "torch.fx._symbolic_trace.Tracer",
    "facula.nn.modules.attention.MultiheadAttention": "torch.nn.modules.activation.MultiheadAttention",
    "facula.nn.modules.attention.NonDynamicallyQuantizableLinear":
        "torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
    "facula.ops.linalg.matrices.LinAlgError": "torch._C._LinAlgError",
    "facula.optim._adafactor.Adafactor": "torch.optim.Adafactor",
    "facula.optim._muon.Muon": "torch.optim.Muon",
    "facula.serialization._safe_globals.safe_globals": "torch.serialization.safe_globals",
    "facula.utils._selective.CheckpointPolicy": "torch.utils.checkpoint.CheckpointPolicy",
    "facula.utils._selective.SelectiveCheckpointContext": "torch.utils.checkpoint.SelectiveCheckpointContext",
}
"""Where PyTorch's class is elsewhere. All other public ones have the same place in both."""
