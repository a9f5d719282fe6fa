"""Records of a run's settings and results, for TensorBoard's table of runs."""

from __future__ import annotations

from typing import Any

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

from ..._tensor import Tensor
from ._arrays import make_np


def hparams(
    hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None
) -> tuple[Any, Any, Any]:
    """Three records: what is varied and measured in the experiment, this run's settings, and its end."""
    domains = hparam_domain_discrete or {}
    for name, given in (
        ("hparam_dict", hparam_dict), ("metric_dict", metric_dict), ("hparam_domain_discrete", domains)
    ):  # fmt: skip
        if not isinstance(given, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    for name, values in domains.items():
        like = type(hparam_dict.get(name))
        if name not in hparam_dict or not isinstance(values, list) or not all(isinstance(v, like) for v in values):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    start = plugin_data_pb2.SessionStartInfo()
    varied = []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, Tensor):
            value = make_np(value).reshape(-1)[0].item()
        if isinstance(value, (int, float)):
            field, kind = "number_value", "DATA_TYPE_FLOAT64"
        elif isinstance(value, str):
            field, kind = "string_value", "DATA_TYPE_STRING"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        setattr(start.hparams[name], field, value)
        domain = None
        if name in domains:
            domain = struct_pb2.ListValue(values=[struct_pb2.Value(**{field: each}) for each in domains[name]])
        varied.append(api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind), domain_discrete=domain))
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict]
    experiment = api_pb2.Experiment(hparam_infos=varied, metric_infos=measured)
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        _record(metadata.EXPERIMENT_TAG, experiment=experiment),
        _record(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        _record(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def _record(tag: str, **content: Any) -> Any:
    told = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content).SerializeToString()
    shown_by = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=told)
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=shown_by))])
