"""What place status says of rules and pins, from a journal and the threads that are there.

A row that says OK where a thread heats a fast core is a lie, and one that says NOT PINNED where nothing is wrong sends
somebody to a machine at night.
"""

from dataclasses import replace

import pytest

from sparktune.host.pinning.plan import LABEL
from sparktune.host.pinning.rows import pinned_of, rule_checks, rule_rows
from sparktune.host.place_units import TIMER_UNIT
from sparktune.model.host_plan import CheckStatus
from sparktune.model.observed import present
from sparktune.model.pin import RuleState
from sparktune.model.reads import CommandOutput, Readings
from sparktune.model.step import ThreadRuleStep
from sparktune.model.transaction import JournalEntry, Transaction

_RULE = ThreadRuleStep(exe="rpc", process="rpc", thread="spin", cpus=(0, 1, 2), which="named")
_SHOW = ("systemctl", "show", "-p", "Id,LoadState,ActiveState", TIMER_UNIT)


def _transaction(*rules: ThreadRuleStep, moved: tuple[str, ...] = (), state: str = "committed") -> Transaction:
    entries = tuple(
        JournalEntry(change="place", kind="affinity", item=item, before="0-9", after="0-2") for item in moved
    )
    return Transaction(id="0001-x", label=LABEL, state=state, boot_id="b", began_ns=1, rules=rules, entries=entries)  # type: ignore[arg-type]


def _readings(*threads: tuple[int, int, str, str], timer: str = "active", exe: str = "/opt/rpc") -> Readings:
    """Answer with threads: process, number, name, CPUs; the first of a process has its name. All began at tick 7."""
    stats, statuses = {}, {}
    for pid, tid, name, cpus in threads:
        fields = ["S", "0", "0", "0", "0", "0", "0", *["0"] * 12, "7", *["0"] * 30]
        stats[f"/proc/{pid}/task/{tid}/stat"] = present(f"{tid} ({name}) {' '.join(fields)}")
        statuses[f"/proc/{pid}/task/{tid}/status"] = present(f"Name:\t{name}\nCpus_allowed_list:\t{cpus}\n")
    shown = CommandOutput(stdout=f"Id={TIMER_UNIT}\nActiveState={timer}\n", stderr="", code=0)
    return Readings(
        matches={"/proc/[0-9]*/task/*/stat": stats, "/proc/[0-9]*/task/*/status": statuses},
        links={"/proc/[0-9]*/exe": {f"/proc/{pid}/exe": exe for pid, *_rest in threads}},
        commands={_SHOW: present(shown)},
    )


_ROWS = [
    ("as wanted", _RULE, [(5, 5, "rpc", "0-9"), (5, 6, "spin", "0-2")], RuleState.OK),
    ("put elsewhere", _RULE, [(5, 5, "rpc", "0-9"), (5, 6, "spin", "0-9")], RuleState.NOT_PINNED),
    ("one of two", _RULE, [(5, 5, "rpc", "0-9"), (5, 6, "spin", "0-2"), (5, 7, "spin", "7")], RuleState.NOT_PINNED),
    ("cut by a cpuset", _RULE, [(5, 5, "rpc", "0-9"), (5, 6, "spin", "1")], RuleState.CLIPPED),
    ("no such thread yet", _RULE, [(5, 5, "rpc", "0-9")], RuleState.WAITING),
    ("another process", _RULE, [(5, 5, "web", "0-9"), (5, 6, "spin", "0-9")], RuleState.NO_PROCESS),
    ("the first thread", replace(_RULE, which="main"), [(5, 5, "rpc", "0-2")], RuleState.OK),
    ("the first thread elsewhere", replace(_RULE, which="main"), [(5, 5, "rpc", "0-9")], RuleState.NOT_PINNED),
    (
        "threads of one name, none known to poll",
        replace(_RULE, thread="rpc", which="busy"),
        [(5, 5, "rpc", "0-9"), (5, 6, "rpc", "0-9")],
        RuleState.WAITING,
    ),
    (
        "threads of one name, one is moved",
        replace(_RULE, thread="rpc", which="busy"),
        [(5, 5, "rpc", "0-9"), (5, 6, "rpc", "0-2")],
        RuleState.OK,
    ),
]


@pytest.mark.parametrize(("_why", "rule", "threads", "state"), _ROWS, ids=[row[0] for row in _ROWS])
def test_rule(_why: str, rule: ThreadRuleStep, threads: list[tuple[int, int, str, str]], state: RuleState) -> None:
    row, timer = rule_rows(pinned_of([_transaction(rule)]), _readings(*threads))
    assert row.state is state
    assert timer.state is RuleState.OK
    assert bool(row.why) == (state is not RuleState.OK)


def test_a_thread_that_the_node_moved_and_somebody_moved_back_is_told() -> None:
    """Of threads with one name the journal alone knows which one polls."""
    one = _transaction(replace(_RULE, thread="rpc", which="busy"), moved=("5/6/7",))
    row, _timer = rule_rows(pinned_of([one]), _readings((5, 5, "rpc", "0-9"), (5, 6, "rpc", "0-9")))
    assert (row.state, dict(row.found)) == (RuleState.NOT_PINNED, {"5/6": "0-9"})


def test_a_program_that_was_replaced_while_it_runs_is_the_same() -> None:
    """An update must not end a rule until the restart."""
    row, _timer = rule_rows(
        pinned_of([_transaction(_RULE)]), _readings((5, 5, "rpc", "0-9"), (5, 6, "spin", "0-2"), exe="/a/rpc (deleted)")
    )
    assert row.state is RuleState.OK


def test_without_its_timer_a_rule_follows_nobody() -> None:
    *_rows, timer = rule_rows(pinned_of([_transaction(_RULE)]), _readings((5, 6, "spin", "0-2"), timer="inactive"))
    assert timer.state is RuleState.NOT_PINNED
    assert "systemctl enable --now" in timer.why


def test_a_pin_without_a_rule_needs_no_timer_and_ends_with_its_thread() -> None:
    pinned = pinned_of([_transaction(moved=("5/6/7", "5/8/7"))])
    held, ended = rule_rows(pinned, _readings((5, 5, "rpc", "0-9"), (5, 6, "spin", "0-2"), timer="inactive"))
    assert (held.state, held.lasting) == (RuleState.OK, False)
    assert ended.state is RuleState.NO_PROCESS


def test_a_number_that_another_thread_has_now_is_not_the_pinned_one() -> None:
    (row,) = rule_rows(pinned_of([_transaction(moved=("5/6/3",))]), _readings((5, 6, "spin", "0-9")))
    assert row.state is RuleState.NO_PROCESS


@pytest.mark.parametrize("state", ["reverted", "rolled_back", "open", "incomplete", "given_up"])
def test_what_does_not_hold_is_not_asked_for(state: str) -> None:
    assert pinned_of([_transaction(_RULE, state=state)]) == ()


def test_transactions_of_host_are_none_of_ours() -> None:
    assert pinned_of([replace(_transaction(_RULE), label="apply")]) == ()


def test_checks_say_the_same_as_rows() -> None:
    """Verify and drift show these: what only waits is no difference."""
    threads = [(5, 5, "rpc", "0-9"), (5, 6, "spin", "0-9")]
    checks = rule_checks(rule_rows(pinned_of([_transaction(_RULE)]), _readings(*threads)))
    assert [check.status for check in checks] == [CheckStatus.DIFFERENT, CheckStatus.OK]
    assert (checks[0].wanted, checks[0].effective) == ("0-2", "0-9")
    waiting = rule_checks(rule_rows(pinned_of([_transaction(_RULE)]), _readings((5, 5, "rpc", "0-9"))))
    assert {check.status for check in waiting} == {CheckStatus.OK}
