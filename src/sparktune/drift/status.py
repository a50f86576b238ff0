"""What the layers of a row come to: its status, what else is so, and the reason in words. Pure."""

__all__ = ["Judged", "Layers", "judge"]

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparktune.drift.compare import left_to_engine, same_value, shown
from sparktune.model.drift import DriftCell, DriftStatus
from sparktune.model.observed import State

_PER_NODE: Final = frozenset(
    {
        *("node_rank", "headless", "host", "port", "data_parallel_rank", "data_parallel_start_rank", "rpc", "uds"),
        *("data_parallel_hybrid_lb", "data_parallel_external_lb", "api_server_count", "dist_init_addr", "device"),
        *("disaggregation_ib_device", "mooncake_ib_device", "key.container_name", "key.hostname", "key.devices"),
        # The API server of the first node alone has these.
        *("served_model_name", "api_key", "enable_auto_tool_choice", "tool_call_parser", "reasoning_parser"),
        *("chat_template", "default_chat_template_kwargs", "enable_prompt_tokens_details", "generation_config"),
        *("override_generation_config", "uvicorn_log_level", "enable_log_requests", "disable_log_requests"),
        *("enable_force_include_usage", "disable_frontend_multiprocessing", "root_path", "allowed_origins"),
        *("key.ports", "key.depends_on", "key.build", "key.deploy", "key.Description", "key.healthcheck"),
    }
)
_PER_NODE_VARIABLES: Final = re.compile(
    r"(?:.*_)?(?:HOST_?IP|NODE_?IP|LOCAL_?IP|IP|HOST|HOSTNAME|NODE_?NAME|NODE_?RANK|RANK|LOCAL_RANK|GROUP_RANK|HEADLESS|"
    r"SOCKET_?IFNAME|IFNAME|INTERFACE|NIC|IB_HCA|HCA|NET_DEVICES|NETDEVICES|RDMA_DEV|IB_GID_INDEX|GID_INDEX|RDMA_GID|"
    r"ROLE|INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_EXEC_PID|MEMORY_PRESSURE_WATCH|HOME|PWD|OLDPWD|SHLVL|LOGNAME|USER)"
)
"""Names of variables that say where a node is in its cluster, how it is reached, or who started it.

Sources: NCCL 2.27 environment variables (IFNAME, HCA and GID index are of the devices of one node); UCX, Gloo and vLLM
(``VLLM_HOST_IP``); systemd.exec(5) for what systemd itself sets.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The cells of one row; None where there is no layer of that kind.

    ``asked`` is what the serving process was started with, where that and what it resolved it to may be two things:
    then what neither the file nor the process says is the engine's own default, and parts from nothing.
    """

    earned: DriftCell | None = None
    file: DriftCell | None = None
    echoed: DriftCell | None = None
    live: DriftCell | None = None
    asked: DriftCell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """``also`` are the other ways in which something parts; ``why`` says all of it in words, "" where nothing does."""

    status: DriftStatus
    also: tuple[DriftStatus, ...] = ()
    why: str = ""


def _may_differ(key: str) -> bool:
    """Tell whether nodes of one service may well differ in this: their rank, addresses, devices and names."""
    if key.startswith("env."):
        return _PER_NODE_VARIABLES.fullmatch(key.removeprefix("env.")) is not None
    return key in _PER_NODE


def judge(key: str, node: str, layers: Layers, others: Mapping[str, DriftCell | None]) -> Judged:
    """Return what layers come to; ``others`` are the cells of the same key on other nodes, by their names.

    They are compared with ``asked`` where that is known, else with ``live``.
    """
    found = dict(_parts(key, layers))
    own = layers.live if layers.asked is None else layers.asked
    differing = {} if _may_differ(key) else _differing(key, own, others)
    if differing:
        mine = _text(own)
        found[DriftStatus.NODES_DIFFER] = f"{node} has {mine}, " + ", ".join(
            f"{name} {text}" for name, text in differing.items()
        )
    ordered = [status for status in DriftStatus if status in found]
    rest = DriftStatus.OK if layers.earned is not None else DriftStatus.UNEARNED
    status, *also = ordered or [rest]
    return Judged(status=status, also=tuple(also), why="; ".join(found[one] for one in ordered))


def _parted(key: str, one: DriftCell | None, other: DriftCell | None) -> bool:
    """Tell whether two layers say different things; what is not there, or was not read, parts from nothing."""
    if one is None or other is None or State.UNREADABLE in {one.state, other.state}:
        return False
    if one.state is not other.state:
        return True
    return one.state is State.PRESENT and not same_value(key, one.value, other.value)


def _parts(key: str, layers: Layers) -> list[tuple[DriftStatus, str]]:
    found: list[tuple[DriftStatus, str]] = []
    closed = [(name, one) for name, one in (("live", layers.live), ("file", layers.file)) if _closed(one)]
    if closed:
        found.append(
            (DriftStatus.UNREADABLE, "; ".join(f"{name} cannot be read: {one.why}" for name, one in closed if one))
        )
    if why := _not_live(key, layers):
        found.append((DriftStatus.NOT_LIVE, why))
    if layers.file is not None and _parted(key, layers.earned, layers.file):
        found.append((DriftStatus.FILE_DRIFT, f"earned {_text(layers.earned)}, the file says {_text(layers.file)}"))
    return found


def _not_live(key: str, layers: Layers) -> str:
    """Say how what runs is not what it should be, "" when it is."""
    file, live, asked = layers.file, layers.live, layers.asked
    if file is None or _closed(file):
        return f"earned {_text(layers.earned)}, live {_text(live)}" if _parted(key, layers.earned, live) else ""
    if asked is not None and _parted(key, file, asked):
        return f"the file says {_text(file)}, and the process was started with {_text(asked)}"
    if asked is None and _closed(live) and _parted(key, file, layers.echoed) and layers.echoed is not None:
        return f"the file says {_text(file)}, and the log echoes {_text(layers.echoed)}"
    if not _parted(key, file, live) or (asked is not None and _default(key, file)):
        return ""
    if asked is not None and live is not None:
        return f"{_text(file)} was asked for, and the engine runs with {_text(live)} ({live.place})"
    return f"the file says {_text(file)}, live is {_text(live)}"


def _default(key: str, file: DriftCell) -> bool:
    """Tell whether a file leaves the value to the engine."""
    return file.state is State.ABSENT or left_to_engine(key, file.value)


def _differing(key: str, live: DriftCell | None, others: Mapping[str, DriftCell | None]) -> dict[str, str]:
    return {name: _text(other) for name, other in others.items() if live is not None and _parted(key, live, other)}


def _closed(one: DriftCell | None) -> bool:
    return one is not None and one.state is State.UNREADABLE


def _text(one: DriftCell | None) -> str:
    if one is None:
        return "nothing"
    if one.state is State.ABSENT:
        return one.text or "not set"
    return one.text or shown("", one.value)
