"""A container of several nodes without the devices of RDMA."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, key_text, many_nodes, mounts, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_DEVICE = "/dev/infiniband"


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    image = part.keys.get("image")
    if image is None or part.document.format == "recipe" or not many_nodes(part) or _sockets(part):
        return
    if key_text(part, "privileged") == "true":
        return
    given = [str(one.value) for name, one in part.keys.items() if name.startswith("devices")]
    if any(one.startswith(_DEVICE) for one in given):
        return
    bound = _DEVICE in mounts(part)
    words = f"{part.name or 'the container'} is one of several nodes and "
    words += "only mounts /dev/infiniband" if bound else "does not get /dev/infiniband"
    yield Found(
        severity=Severity.WARNING,
        evidence=words,
        hint="give it devices: [/dev/infiniband:/dev/infiniband]"
        + ("; a mount shows the files, and the container may not open them" if bound else ""),
        file=part.document.name,
        line=image.origin.line,
    )


def _sockets(part: Part) -> bool:
    net, off = part.environment.get("NCCL_NET"), part.environment.get("NCCL_IB_DISABLE")
    return (net is not None and str(net.value).lower() == "socket") or (off is not None and str(off.value) == "1")


RULE = part_rule(
    "infiniband-device",
    title="no RDMA device in a container of several nodes",
    why="NCCL uses sockets instead, and says so only in its log: prefill and loading are slower, decoding hides it.",
    source="https://github.com/vllm-project/vllm/pull/42075; "
    "https://github.com/NVIDIA/nvidia-container-toolkit/issues/2037",
    judge=_judge,
)
