"""Leave configurations out that no start has to show: rules of lint and arithmetic, each with its numbers."""

__all__ = ["kept", "pruned_of"]

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparktune.deploy.rules import all_rules
from sparktune.deploy.sweep_limits import Ground, broken_limit
from sparktune.deploy.sweep_overlay import overlaid, typed
from sparktune.deploy.sweep_space import in_order
from sparktune.deploy.sweep_words import setting_keys
from sparktune.model.finding import Severity
from sparktune.model.lint import LintFinding, LintView, Part
from sparktune.model.setting import Layer, Origin, Setting
from sparktune.model.sweep import Candidate, KnobRange, Pruned

_BY_LOAD = "graph-coverage"  # judged by what the workload has in flight, where that is known


def pruned_of(candidates: Sequence[Candidate], ground: Ground, view: LintView | None = None) -> tuple[Pruned, ...]:
    """Return those that are not worth a start, in their order.

    ``view`` is what lint sees of the baseline, its servers being those of ``ground.engine``. A rule prunes by an ERROR
    that the baseline does not have: what the baseline has runs. What is not known prunes nothing.
    """
    before = _errors(view, ground) if view is not None else {}
    return tuple(found for one in candidates if (found := _pruned(one, ground, view, frozenset(before))) is not None)


def kept(
    candidates: Sequence[Candidate], pruned: Sequence[Pruned], ranges: Sequence[KnobRange]
) -> tuple[Candidate, ...]:
    """Return the candidates that are left, with the steps upwards among themselves."""
    return in_order(candidates, ranges, pruned)


def _pruned(one: Candidate, ground: Ground, view: LintView | None, before: frozenset[str]) -> Pruned | None:
    found = broken_limit(one.key, overlaid(ground.values, one, ground.engine), ground)
    if found is not None or view is None:
        return found
    errors = _errors(replace(view, parts=tuple(_moved(part, one, ground.engine) for part in view.parts)), ground)
    new = next((error for rule, error in errors.items() if rule not in before), None)
    return None if new is None else Pruned(key=one.key, why=new.evidence, rule=new.rule)


def _errors(view: LintView, ground: Ground) -> dict[str, LintFinding]:
    found = (one for rule in all_rules() for one in rule.run(view) if one.severity is Severity.ERROR)
    left = (one for one in found if one.rule != _BY_LOAD or ground.concurrency is None)
    return {one.rule: one for one in left}


def _moved(part: Part, one: Candidate, engine: str) -> Part:
    """Return a server with the values of a candidate in the place of its own; of another engine as it is."""
    if part.engine != engine:
        return part
    settings, environment, keys = dict(part.settings), dict(part.environment), dict(part.keys)
    for setting in _settings(part, one, engine):
        settings[setting.key] = setting
        kind, dot, name = setting.key.partition(".")
        if dot and kind == "env":
            environment[name] = setting
        elif dot and kind == "key":
            keys[name] = setting
    gone = _left_to_engine(one, engine)
    return replace(
        part,
        settings={key: setting for key, setting in settings.items() if key not in gone},
        environment=environment,
        keys=keys,
    )


def _settings(part: Part, one: Candidate, engine: str) -> Iterator[Setting]:
    for knob, text in one.values.items():
        names = setting_keys(knob, engine)
        if names:
            key = next((name for name in names if name in part.settings), names[0])
            old = part.settings.get(key)
            origin = old.origin if old is not None else Origin(layer=Layer.FILE, place=part.document.name)
            yield Setting(key=key, value=typed(text), written=f"{knob}={text}", origin=origin, part=part.name)


def _left_to_engine(one: Candidate, engine: str) -> frozenset[str]:
    return frozenset(
        name for knob, text in one.values.items() if text == "engine decides" for name in setting_keys(knob, engine)
    )
