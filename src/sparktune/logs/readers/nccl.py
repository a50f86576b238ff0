"""What NCCL says of itself and of the network that it takes.

"Using network" and "via NET/" are what it uses; that it looked for devices proves nothing. Source: NCCL 2.23 to 2.30,
init.cc, transport/net.cc, net_ib and net_socket.cc; vLLM, device_communicators/pynccl.py.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_USES = re.compile(r"\bUsing network (?P<name>\w{1,40})|\bvia NET/(?P<via>\w{1,40})", re.ASCII)
_DEVICES = re.compile(r"NET/(?:IB|Socket) ?: Using (?P<list>\[0\].{1,600})", re.ASCII)
_ONE = re.compile(r"\[\d{1,3}\](?P<name>[A-Za-z][\w.-]{0,40})", re.ASCII)
_WAYS = {"IB": "rdma", "IBext": "rdma", "Socket": "sockets"}


def _network(line: LogLine) -> Iterator[LogFact]:
    found = _USES.search(line.text)
    if found is not None:
        name = found["name"] or found["via"]
        family = next((one for one in ("IBext", "IB", "Socket") if name.startswith(one)), name)
        yield fact("transport", _WAYS.get(family, name), line)
    devices = _DEVICES.search(line.text)
    if devices is not None:
        yield fact("transport_devices", ", ".join(one["name"] for one in _ONE.finditer(devices["list"])), line)


READER = pattern_reader(
    "",
    (
        "Using network ",
        " via NET/",
        "NET/IB : Using [",
        "NET/Socket : Using [",
        "NCCL version ",
        "vLLM is using nccl==",
        "Init COMPLETE",
        "NCCL_IB_GID_INDEX set by environment to ",
    ),
    (
        r"\bNCCL version (?P<nccl_version>\d+\.\d+\.\d+)",
        r"vLLM is using nccl==(?P<nccl_version>\d+\.\d+\.\d+)",
        r"\bnranks (?P<nccl_ranks>\d{1,5})\b.*Init COMPLETE",
        r"NCCL_IB_GID_INDEX set by environment to (?P<transport_gid>\d{1,4})",
    ),
    (_network,),
)
