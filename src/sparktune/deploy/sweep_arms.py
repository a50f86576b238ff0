"""A configuration of a sweep as an arm of its launcher, and how that arm is read back."""

__all__ = ["SWEPT", "arm_with", "live_with", "planner_for"]

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.launchers._shared import argv_of
from sparktune.deploy.sweep_command import command_with
from sparktune.deploy.sweep_words import arm_of
from sparktune.errors import UsageError
from sparktune.model.sweep import BASELINE, Candidate
from sparktune.model.sweep_record import SweepRecord

SWEPT: Final = {
    "command": ("flags", "env"),
    "compose": ("flags", "env", "keys"),
    "systemd": ("flags", "env"),
    "script": ("flags", "env"),
}
"""Launchers that a sweep can set configurations with, and which settings each of them takes."""

_A, _B = "A", "B"


def arm_with(sweep: SweepRecord, launcher: str, candidate: Candidate) -> dict[str, Any]:
    """Return the arm of a configuration: the baseline's settings with what is moved in it.

    Raises UsageError for a knob that this launcher or engine cannot set.
    """
    own = dict(sweep.baseline)
    if launcher == "command":  # one form of its words, so that what is set the same is seen to be
        own["command"] = list(argv_of(own.get("command"), "baseline"))
    if not candidate.values:
        return own
    moved = arm_of(candidate.values, sweep.engine, sweep.flags)
    takes = SWEPT.get(launcher, ())
    wrong = next((section for section in moved if section not in takes), "")
    if wrong:
        message = f"{candidate.key}: launcher {launcher or '(none)'} sets no {wrong}"
        raise UsageError(message, hint=f"a sweep works with launcher {', '.join(SWEPT)}; two settings compare with ab")
    if launcher != "command":
        return {**own, **{kind: {**(own.get(kind) or {}), **moved[kind]} for kind in moved}}
    if moved.get("flags"):
        own["command"] = list(command_with(own["command"], moved["flags"], sweep.engine))
    if moved.get("env"):
        own["env"] = {**(own.get("env") or {}), **moved["env"]}
    return own


def live_with(sweep: SweepRecord, candidate: Candidate) -> dict[str, Any]:
    """Return how this configuration (arm B) and the baseline are read back.

    A reader with ``knob`` wants that knob's value: of the baseline its ``A``, else what the plan knows of it. Raises
    UsageError for a knob that is not swept, or whose baseline nobody says.
    """
    if not sweep.live:
        return {}
    readers = {"": sweep.live} if {"http", "command"} & set(sweep.live) else sweep.live
    found = {name: _reader(sweep, name, reader, candidate) for name, reader in readers.items()}
    return dict(found[""]) if "" in found else found


def planner_for(planner: ArmPlanner, sweep: SweepRecord, candidate: Candidate) -> ArmPlanner:
    """Return the planner whose arm B is this configuration. Raises UsageError.

    Every screened configuration is an arm, too, under its key: what any of them sets is read back in all visits.
    """
    launcher = planner.launcher
    others = {one.key: arm_with(sweep, launcher, one) for one in sweep.plan.screened}
    arms = {**others, _A: arm_with(sweep, launcher, Candidate(key=BASELINE)), _B: arm_with(sweep, launcher, candidate)}
    return replace(planner, spec=replace(planner.spec, arms=arms, live=live_with(sweep, candidate)))


def _reader(sweep: SweepRecord, name: str, reader: Any, candidate: Candidate) -> dict[str, Any]:  # noqa: ANN401 - as a file has it
    if not isinstance(reader, Mapping) or "knob" not in reader:
        if isinstance(reader, Mapping) and _A in reader:
            return {**reader, _B: reader[_A]}
        message = f"live {name}: it does not say which knob it shows".replace(" :", ":")
        raise UsageError(message, hint="for instance live: {http: /props, keys: total_slots, knob: max_num_seqs, A: 1}")
    swept = next((one for one in sweep.plan.ranges if one.knob == reader["knob"]), None)
    if swept is None:
        known = ", ".join(one.knob for one in sweep.plan.ranges)
        message = f"live {name}: the knob {reader['knob']!r} is not swept".replace(" :", ":")
        raise UsageError(message, hint=f"swept are: {known}")
    own = reader.get(_A, swept.baseline or None)
    if own is None:
        message = f"live {name}: what the baseline shows for {swept.knob} is not known".replace(" :", ":")
        raise UsageError(message, hint="say it as A: of that reader")
    rest = {key: value for key, value in reader.items() if key not in {"knob", _A}}
    return {**rest, _A: own, _B: candidate.values.get(swept.knob, own)}
