"""What answered in each visit, by its own words: an arm is one server, and arms differ in no model by accident.

A script that switches a server, an update or somebody else may bring another model or engine with it. Then a gain is
that of the other model, whatever setting was meant to differ. A model that the arms declare, or that the knob names, is
what is compared; an engine of another version may be, and is said.
"""

__all__ = ["answering_checks"]

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from sparktune.bench.wire import one_line
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.model.check import CheckResult, Status
from sparktune.model.names import last_part, same_model

_ONE_KNOB, _DRIFT = "V09", "V18"
_MODEL, _ENGINE = "model", "engine"
_WORD: Final = re.compile(r"[^\s'\"=,;()\[\]{}]+")
_CHANGED_HINT = "the arm was not the same in all its visits; find what changes the server, and start a new experiment"
_MODEL_HINT = "serve one model in both arms; where the model is what you compare, say so: knob: model"
_ENGINE_HINT = "the effect is that of all that differs: keep the version the same, unless it is what you compare"


def answering_checks(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> tuple[CheckResult, ...]:
    """Return what stands against the visits: V18 for an arm that became another one, V09 between the arms."""
    done = [visit for visit in visits if visit.record.state is VisitState.DONE and visit.result is not None]
    by_arm = {arm: [visit for visit in done if visit.record.arm is arm] for arm in Arm}
    changed = [check for arm in Arm for check in _within(arm, by_arm[arm])]
    return (*changed[:1], *([] if experiment.rules.only_equivalence else _between(experiment, by_arm)))


def _within(arm: Arm, visits: Sequence[MeasuredVisit]) -> Iterator[CheckResult]:
    for aspect in (_MODEL, _ENGINE):
        told = [(visit.record.block, name) for visit in visits if (name := _told(visit, aspect))]
        for (first_block, first), (block, name) in combinations(told, 2):
            if not _same(aspect, first, name):
                what = f"the {aspect} went from {one_line(first)} to {one_line(name)}"
                evidence = f"arm {arm.value}: {what} from block {first_block} to block {block}"
                yield CheckResult(id=_DRIFT, status=Status.INVALID, evidence=evidence, hint=_CHANGED_HINT)


def _between(experiment: Experiment, by_arm: Mapping[Arm, Sequence[MeasuredVisit]]) -> Iterator[CheckResult]:
    for aspect in (_MODEL, _ENGINE):
        first, second = (next((name for visit in by_arm[arm] if (name := _told(visit, aspect))), "") for arm in Arm)
        if not first or not second or _same(aspect, first, second):
            continue
        evidence = f"the {aspect} is {one_line(first)} in A and {one_line(second)} in B"
        if aspect == _ENGINE:
            yield CheckResult(id=_ONE_KNOB, status=Status.WARN, evidence=evidence, hint=_ENGINE_HINT)
        elif not _declared(experiment, first, second):
            evidence += f", though {experiment.knob or 'nothing'} was meant to differ"
            yield CheckResult(id=_ONE_KNOB, status=Status.INVALID, evidence=evidence, hint=_MODEL_HINT)


def _told(visit: MeasuredVisit, aspect: str) -> str:
    """Return the model's name, or the engine's with its version where that is known; "" for nothing."""
    if visit.result is None:
        return ""
    run = visit.result.run
    return run.workload.options.model if aspect == _MODEL else f"{run.engine.name} {run.engine.version or ''}".strip()


def _same(aspect: str, first: str, second: str) -> bool:
    """Tell whether both may be the same: a version that was not told is no other one."""
    if aspect == _MODEL:
        return same_model(first, second)
    (one, _, version), (other, _, other_version) = first.partition(" "), second.partition(" ")
    return one == other and (version == other_version or not version or not other_version)


def _declared(experiment: Experiment, first: str, second: str) -> bool:
    """Tell whether the knob is the model, or a word of one arm alone is in the name of its model alone (``fp8``)."""
    if _MODEL in experiment.knob.casefold():
        return True
    words = {arm: frozenset(_words(experiment.arms.get(arm, {}))) for arm in Arm}
    names = {Arm.A: last_part(first).casefold(), Arm.B: last_part(second).casefold()}
    return any(
        _tells(word, names[arm], names[other])
        for arm, other in ((Arm.A, Arm.B), (Arm.B, Arm.A))
        for word in words[arm] - words[other]
    )


def _tells(word: str, own: str, other: str) -> bool:
    """Tell whether a word names the one model and not the other; a number alone is in too many names."""
    is_part = len(word) > 1 and not word.isdigit() and word in own and word not in other
    return word == own or is_part


def _words(value: Any) -> Iterator[str]:  # noqa: ANN401 - an arm's settings, as its launcher reads them
    """Yield every word of an arm's settings in small letters; of a path its last part."""
    if isinstance(value, Mapping):
        yield from _words((*value.keys(), *value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _words(one)
    else:
        yield from (last_part(word).casefold() for word in _WORD.findall(str(value)))
