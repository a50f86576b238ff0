"""The plans of an experiment's arms: each by its own launcher, from the settings and what was seen of the nodes."""

__all__ = ["ArmPlanner"]

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sparktune.deploy.launchers import all_launchers
from sparktune.model.arm_action import Action
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, Seen
from sparktune.model.reads import Read

_OWN: Final = ("launcher", "where")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPlanner:
    """``launcher`` sets the arms, except one that names another with its own ``launcher`` (and ``where``).

    Such an arm is another way to run the same thing; its launcher sees that arm alone. ``seen`` is what ``reads`` asked
    for, read while nothing was changed yet. ``brings_back`` is what brings back the service as it was, when that was
    kept from an earlier look: after a crash nobody can see any more what ran before.
    """

    launcher: str
    spec: ArmSpec
    seen: Seen = field(default_factory=dict)
    brings_back: tuple[Action, ...] | None = None

    def with_seen(self, seen: Seen) -> "ArmPlanner":
        """Return the same with what was read of the nodes."""
        return replace(self, seen=seen)

    def bringing_back(self, actions: tuple[Action, ...]) -> "ArmPlanner":
        """Return the same with what brings back the service as it was."""
        return replace(self, brings_back=actions)

    def check(self) -> None:
        """Raise ValueError with what is wrong in the settings."""
        for launcher, spec in self._ways():
            launcher.check(spec)
            twice = next((part for place, part in enumerate(spec.where) if part in spec.where[:place]), None)
            if twice is not None:
                named = ", ".join(f"{name}: {value}" for name, value in twice.items() if value)
                message = f"where: the part {{{named}}} is there twice; every part of a service is named once"
                raise ValueError(message)

    def reads(self) -> Mapping[str, tuple[Read, ...]]:
        """Return what has to be read of the nodes before anything else, by node, as far as was seen."""
        found: dict[str, tuple[Read, ...]] = {}
        for launcher, spec in self._ways():
            for node, reads in launcher.reads(spec, self.seen).items():
                found[node] = tuple(dict.fromkeys((*found.get(node, ()), *reads)))
        return found

    def nodes(self) -> tuple[str, ...]:
        """Return the nodes that are read or changed; "" is this machine."""
        named = [str(part["node"]) for _, spec in self._ways() for part in spec.where if part.get("node")]
        return tuple(dict.fromkeys((*self.reads(), *named)))

    def begin(self) -> tuple[Action, ...]:
        """Return what ends the service as it ran before the experiment."""
        return tuple(action for launcher, spec in self._ways() for action in launcher.begin(spec, self.seen))

    def plan(self, arm: str) -> ArmPlan:
        """Return the plan of an arm. Raises ValueError."""
        launcher, spec = self._way(arm)
        return launcher.plan(spec, self.seen, arm)

    def original(self) -> tuple[Action, ...]:
        """Return what brings back the service as it was."""
        if self.brings_back is not None:
            return self.brings_back
        return tuple(action for launcher, spec in self._ways() for action in launcher.original(spec, self.seen))

    def _ways(self) -> tuple[tuple[Launcher, ArmSpec], ...]:
        """Return each launcher once, arm A's first."""
        found: list[tuple[Launcher, ArmSpec]] = []
        for arm in sorted(self.spec.arms):
            way = self._way(arm)
            if way not in found:
                found.append(way)
        return tuple(found)

    def _way(self, arm: str) -> tuple[Launcher, ArmSpec]:
        own = self.spec.arms.get(arm, {})
        if "launcher" not in own:
            together = {
                name: settings for name, settings in self.spec.arms.items() if _OWN[0] not in settings or name == arm
            }
            return _known(self.launcher), replace(self.spec, arms=together, live=self._live(together))
        where = own.get("where", self.spec.where)
        settings = {key: value for key, value in own.items() if key not in _OWN}
        spec = replace(self.spec, arms={arm: settings}, live=self._live({arm}), where=_parts(where, arm))
        return _known(str(own["launcher"])), spec

    def _live(self, arms: Collection[str]) -> Mapping[str, Any]:
        """Return how the arms are read back, without what other arms should show."""
        others = {arm for arm in self.spec.arms if arm not in arms}
        kept = {key: value for key, value in self.spec.live.items() if key not in others}
        return {
            name: {key: part for key, part in value.items() if key not in others}
            if isinstance(value, Mapping)
            else value
            for name, value in kept.items()
        }


def _known(name: str) -> Launcher:
    launcher = next((one for one in all_launchers() if one.id == name), None)
    if launcher is None:
        message = f"there is no launcher {name!r}; there are: {', '.join(one.id for one in all_launchers())}"
        raise ValueError(message)
    return launcher


def _parts(where: Any, arm: str) -> tuple[Mapping[str, Any], ...]:  # noqa: ANN401 - what the file's author wrote
    if isinstance(where, list | tuple) and all(isinstance(part, Mapping) for part in where):
        return tuple(where)
    message = f"arm {arm}: where is a list of parts of the service, not {where!r}"
    raise ValueError(message)
