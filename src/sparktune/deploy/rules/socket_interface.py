"""Interfaces that processes of several nodes talk over: different ones, or those that an image was made with."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.image_facts import image_facts
from sparktune.deploy.rules._shared import Found, at, lint_rule, many_nodes
from sparktune.deploy.variable_groups import Group, groups
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_NCCL = "NCCL_SOCKET_IFNAME"
_OTHERS = ("GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


def _judge(view: LintView) -> Iterator[Found]:
    for group in groups(view):
        if group.part is not None and group.part.document.format == "recipe":
            continue  # sparkrun sets them on every node itself
        yield from _different(group)
        yield from _baked(group, view)


def _different(group: Group) -> Iterator[Found]:
    wanted = group.value(_NCCL) or ""
    names = {one.removeprefix("=") for one in wanted.split(",")}
    if not wanted or wanted.startswith("^"):
        return
    for name in _OTHERS:
        value = group.value(name)
        if value and not any(value == one or (one and value.startswith(one)) for one in names):
            yield at(
                group.variables[name],
                Severity.WARNING,
                f"{name}={value}, and {_NCCL}={wanted}: the processes of one service talk over different interfaces",
                f"name the interface that has the fabric's address in all three; lint --node NODE (or sparktune "
                f"render --node NODE) tells which. A default like ${{{name}:-...}} does not help: it is set",
            )


def _baked(group: Group, view: LintView) -> Iterator[Found]:
    part = group.part
    if part is None or not many_nodes(part):
        return
    baked = image_facts(view, part.image).env
    missing = [name for name in (_NCCL, *_OTHERS) if name in baked and name not in group.variables]
    if missing:
        listed = ", ".join(f"{name}={baked[name]}" for name in missing)
        image = part.keys.get("image") or part.keys.get("container")
        yield Found(
            severity=Severity.WARNING,
            evidence=f"{group.name} leaves what the image {part.image} sets: {listed}",
            hint="set all three to the interface that has the fabric's address on this node: sparktune render --node "
            "NODE",
            file=group.document.name,
            line=image.origin.line if image is not None else 0,
        )


RULE = lint_rule(
    "socket-interface",
    title="interfaces of one service that differ, or come from an image",
    why="Gloo ends at start where the named interface has no address (ifa != nullptr), or rendezvous goes over another "
    "network than the data.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/4; "
    "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark/pull/13",
    judge=_judge,
)
