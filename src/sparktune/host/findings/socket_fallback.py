"""Settings that make NCCL use sockets although the node has RDMA links that are up."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import RdmaFacts
from sparktune.host.findings._shared import Found, environments, ib_devices, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_OFF = ("", "0")


def _judge(node: NodeFacts) -> Iterator[Found]:
    devices = (node.get(RdmaFacts) or RdmaFacts()).devices
    if not any(port.active for device in devices for port in device.ports):
        return
    for environment in environments(node):
        variables = environment.variables
        if variables.get("NCCL_IB_DISABLE", "") not in _OFF:
            reason = f"NCCL_IB_DISABLE={variables['NCCL_IB_DISABLE']}"
        elif variables.get("NCCL_NET", "").lower() == "socket":
            reason = f"NCCL_NET={variables['NCCL_NET']}"
        elif not ib_devices(node, environment):
            reason = f"NCCL_IB_HCA={variables.get('NCCL_IB_HCA', '')} selects none of the devices that are up"
        else:
            continue
        yield Found(
            severity=Severity.ERROR,
            evidence=f"{environment.owner} runs NCCL over sockets: {reason}",
            hint="take the variable out, or correct it; then look for 'Using network IB' in the engine's log "
            "(NCCL_DEBUG=INFO) and for a rising port_xmit_data: RDMA bytes do not show in netdev counters",
            file=environment.file,
        )


FINDING = node_rule(
    "socket-fallback",
    title="NCCL is made to use sockets on a node with RDMA",
    why="Numbers of several nodes then describe TCP. Decode rates can be equal (36.0 and 35.7 tok/s in one report) "
    "while the time to the first token doubles (52 and 111 ms).",
    source="https://github.com/heitor-mocelin/dgx-spark-research 2xAsusGx10/results; NCCL user guide, NCCL_IB_DISABLE, "
    "NCCL_NET, NCCL_IB_HCA",
    judge=_judge,
)
