"""Changes that place the system's work, over answers that may be anything: no exception, no step out of nonsense."""

from dataclasses import replace

import pytest
from tests.support.nodes import healthy_node, readings_of_node

from sparktune.host.changes import all_changes
from sparktune.host.facts import all_reads, read_facts
from sparktune.model.host_plan import HostView
from sparktune.model.observed import Observed, present, unreadable
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import CommandOutput, Readings
from sparktune.model.step import AffinityStep

_PLACING = ("slices", "manager-affinity", "default-target", "isolate", "fast-core-residents")
_CHANGES = {change.id: change for change in all_changes() if change.id in _PLACING}
_TEXTS = (
    "",
    "\0\0",
    "[Slice]\nAllowedCPUs=all\n[Scope]\nAllowedCPUs=99999999999999999999\n",
    "[Slice\nAllowedCPUs",
    "1 (a) b) S " + "x " * 60,
    "0::" + "/" * 9000,
    "Cpus_allowed_list:\t0-99999999\nName:\t\n",
    "Id=graphical.target\nActiveState=\n\n\nId=\nActiveState=active\n",
)


def _view(change: str, profile: Profile, answer: Observed[str]) -> HostView:
    tree = healthy_node(11)
    facts = read_facts("spark1", readings_of_node(tree, all_reads()))
    good = readings_of_node(tree, _CHANGES[change].reads(facts, profile))
    files = {**dict.fromkeys(tree.files, answer), "/etc/systemd/system/user.slice.d/zzz.conf": answer}
    said: Observed[CommandOutput] = (
        present(CommandOutput(stdout=answer.value, stderr="", code=0))
        if answer.value is not None
        else unreadable(answer.why)
    )
    bad = Readings(
        files=dict.fromkeys(good.files, answer),
        matches={
            pattern: dict.fromkeys(found, answer)
            or {path: text for path, text in files.items() if pattern == path.replace("zzz", "*")}
            for pattern, found in good.matches.items()
        },
        links={pattern: {pattern: answer.value or ""} for pattern in good.links},
        names=good.names,
        commands=dict.fromkeys(good.commands, said),
    )
    return HostView(facts=facts, profile=profile, readings=bad, boot_id="b", applied_boot="b")


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("change", _PLACING)
@pytest.mark.parametrize("answer", [*(present(text) for text in _TEXTS), unreadable("permission denied")])
def test_answers_that_make_no_sense(change: str, mode: Mode, answer: Observed[str]) -> None:
    """A node's answers are not to be trusted: one that is broken must not take the whole plan with it."""
    view = _view(change, Profile(mode=mode, isolate_now=True, move_running=True), answer)

    plan = _CHANGES[change].plan(view)
    checks = _CHANGES[change].verify(view)
    _CHANGES[change].verify(replace(view, applied_boot=None))

    assert not any(isinstance(planned.step, AffinityStep) for planned in plan.steps)
    assert all("\n" not in check.effective + check.why for check in checks)
