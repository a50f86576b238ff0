"""Arms that are steps of a node's agent: read from the settings, by node, and what one arm touches and another not."""

__all__ = ["ArmSteps", "besides", "nodes_of"]

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import msgspec

from sparktune.model.launcher import ArmSpec, Seen
from sparktune.model.reads import Read
from sparktune.model.step import (
    AffinityStep,
    ContainerStep,
    FileStep,
    IrqStep,
    LinkStep,
    PropertyStep,
    Step,
    ValueStep,
)

Arms = Mapping[str, Mapping[str, Any]]
ByNode = Mapping[str, tuple[Step, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSteps:
    """``kinds`` are the kinds of steps that a launcher takes; ``other`` says what is wrong with any other.

    ``besides`` are keys of an arm that the launcher reads itself.
    """

    kinds: Mapping[str, type[Step]]
    other: str
    besides: tuple[str, ...] = ()

    def of(self, arms: Arms, arm: str) -> dict[str, tuple[Step, ...]]:
        """Return an arm's steps by node, in their order. Raises ValueError."""
        settings = arms.get(arm)
        if settings is None:
            message = f"arm {arm} is not said"
            raise ValueError(message)
        _only(settings, ("steps", *self.besides), f"arm {arm}")
        given = settings.get("steps", ())
        if not isinstance(given, list | tuple):
            message = f"arm {arm}: steps is a list of steps, not {given!r}"
            raise ValueError(message)  # noqa: TRY004 - the launcher's contract
        found: dict[str, tuple[Step, ...]] = {}
        for place, entry in enumerate(given, start=1):
            node, step = self._step(entry, f"arm {arm}: step {place}")
            found[node] = (*found.get(node, ()), step)
        return found

    def all_of(self, arms: Arms) -> dict[str, dict[str, tuple[Step, ...]]]:
        """Return every arm's steps. Raises ValueError, also when there are none at all."""
        every = {name: self.of(arms, name) for name in arms}
        if not any(every.values()):
            message = "neither arm has steps: there is nothing to change, and nothing to read back"
            raise ValueError(message)
        return every

    def reads(self, spec: ArmSpec, _seen: Seen) -> Mapping[str, tuple[Read, ...]]:
        """Return the nodes; what is there is read with the steps."""
        return dict.fromkeys(self.nodes(spec), ())

    def nodes(self, spec: ArmSpec) -> tuple[str, ...]:
        """Return the nodes that an arm touches."""
        return nodes_of(self.of(spec.arms, name) for name in spec.arms)

    def _step(self, entry: object, where: str) -> tuple[str, Step]:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("kind"), str):
            message = f"{where}: a step has a kind: {', '.join(self.kinds)}; this is {entry!r}"
            raise ValueError(message)  # noqa: TRY004 - the launcher's contract
        kind, node = entry["kind"], entry.get("node", "")
        if kind not in self.kinds:
            message = f"{where}: {kind!r} {self.other}, or is no kind of step; known are: {', '.join(self.kinds)}"
            raise ValueError(message)
        if not isinstance(node, str):
            message = f"{where}: node is a name, not {node!r}"
            raise ValueError(message)  # noqa: TRY004 - the launcher's contract
        content = {key: value for key, value in entry.items() if key not in {"kind", "node"}}
        known = tuple(field.name for field in fields(self.kinds[kind]) if field.name not in {"expect", "reapply"})
        _only(content, known, where)
        try:
            step = msgspec.convert(content, self.kinds[kind])
        except msgspec.ValidationError as error:
            message = f"{where}: {error}"
            raise ValueError(message) from None
        return node, replace(step, reapply=False) if isinstance(step, IrqStep) else step


def _only(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """Raise ValueError for a key that would be left out without a word."""
    for key in given:
        if key not in known:
            message = f"{where}: {key!r} is not known here; known are: {', '.join(known)}"
            raise ValueError(message)


def nodes_of(steps: Iterable[ByNode]) -> tuple[str, ...]:
    """Return the nodes that steps are for."""
    return tuple(dict.fromkeys(node for by_node in steps for node in by_node))


def besides(steps: tuple[Step, ...], own: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps that touch something which an arm's own leave alone."""
    touched = {_target(step) for step in own}
    return tuple(step for step in steps if _target(step) not in touched)


def _target(step: Step) -> object:
    match step:
        case ValueStep() | FileStep() | LinkStep():
            return step.path
        case IrqStep():
            return step.devices
        case AffinityStep():
            return step.tasks
        case PropertyStep():
            return (step.unit, step.name)
        case ContainerStep():
            return step.container
        case _:
            return step
