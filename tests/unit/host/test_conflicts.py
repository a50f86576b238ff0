"""What TuneD's active profile sets, over profiles that include each other, and when that cannot be said."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.conflicts import managed_by_tuned, tuned_claims, tuned_reads
from sparktune.host.facts.irq_services import IrqServicesFacts, ServiceState
from sparktune.model.host_plan import HostView
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State, absent, present, unreadable
from sparktune.model.profile import Profile
from sparktune.model.reads import ReadFiles, Readings


def _facts(profile: str, active: str = "active") -> NodeFacts:
    daemon = ServiceState(unit="tuned.service", active=active, enabled="enabled", command=absent())
    services = IrqServicesFacts(
        services=present((daemon,)),
        irqbalance_banned=absent(),
        earlyoom_arguments=absent(),
        tuned_profile=present(profile) if profile else absent(),
        power_profile=absent(),
        unattended_upgrades=absent(),
    )
    return NodeFacts(node="spark1", facts={IrqServicesFacts: services})


def _readings(facts: NodeFacts, files: dict[str, str | None]) -> Readings:
    """Answer each pattern with the files of its folder; None stands for a file that cannot be read."""
    matches = {}
    for read in tuned_reads(facts):
        assert isinstance(read, ReadFiles)
        folder = read.pattern.removesuffix("/*/tuned.conf")
        matches[read.pattern] = {
            path: present(text) if text is not None else unreadable("permission denied")
            for path, text in files.items()
            if path.rpartition("/")[0].rpartition("/")[0] == folder
        }
    return Readings(matches=matches)


def _settings(profile: str, files: dict[str, str | None]) -> set[tuple[str, str, str]]:
    facts = _facts(profile)
    claims = tuned_claims(facts, _readings(facts, files))
    assert claims.value is not None, claims.why
    return {(claim.plugin, claim.option, claim.value) for claim in claims.value}


def test_included_profiles_come_first_and_later_ones_win() -> None:
    files: dict[str, str | None] = {
        "/usr/lib/tuned/a/tuned.conf": "[main]\ninclude = b, c\n[sysctl]\nvm.swappiness=1\n",
        "/usr/lib/tuned/b/tuned.conf": "[sysctl]\nvm.swappiness=10\nvm.dirty_ratio = 10 # of memory\n",
        "/usr/lib/tuned/c/tuned.conf": "[main]\ninclude=b\n[fast]\ntype=sysctl\nvm.dirty_ratio=20\n",
    }

    assert _settings("a", files) == {
        ("sysctl", "vm.swappiness", "1"),
        ("sysctl", "vm.dirty_ratio", "10"),
        ("sysctl", "vm.dirty_ratio", "20"),
    }


def test_an_administrators_profile_replaces_the_packaged_one_and_may_include_it() -> None:
    files: dict[str, str | None] = {
        "/etc/tuned/balanced/tuned.conf": "[main]\ninclude=balanced\n[irq]\naffinity=0-4\n",
        "/usr/lib/tuned/profiles/balanced/tuned.conf": "[vm]\ndirty_ratio=9\n",
        "/usr/lib/tuned/balanced/tuned.conf": "[never]\nx=1\n",
    }

    assert _settings("balanced", files) == {("irq", "affinity", "0-4"), ("vm", "dirty_ratio", "9")}


def test_profiles_that_include_each_other_end() -> None:
    files: dict[str, str | None] = {
        "/etc/tuned/a/tuned.conf": "[main]\ninclude=b\n[vm]\na=1\n",
        "/etc/tuned/b/tuned.conf": "[main]\ninclude=a\n[vm]\nb=1\n",
    }

    assert _settings("a", files) == {("vm", "a", "1"), ("vm", "b", "1")}


def test_several_active_profiles_optional_ones_and_units_that_are_off() -> None:
    files: dict[str, str | None] = {
        "/etc/tuned/a/tuned.conf": "[main]\ninclude=-none\n[irq]\nenabled=0\naffinity=1\n",
        "/etc/tuned/b/tuned.conf": "[variables]\nx=1\n[scheduler]\npriority=1\nisolated_cores=${x}\n",
    }

    assert _settings("a b", files) == {("scheduler", "isolated_cores", "${x}")}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "no profile 'a'"),
        ({"/etc/tuned/a/tuned.conf": None}, "permission denied"),
        ({"/etc/tuned/a/tuned.conf": "no section\n"}, "/etc/tuned/a/tuned.conf"),
        ({"/etc/tuned/a/tuned.conf": "[main]\ninclude=${f:virt_check:b:c}\n"}, "only TuneD can compute"),
    ],
)
def test_what_cannot_be_known_is_refused_and_not_guessed(files: dict[str, str | None], why: str) -> None:
    facts = _facts("a")
    view = HostView(facts=facts, profile=Profile(), readings=_readings(facts, files))

    (refusal,) = managed_by_tuned(view, "sysctl", ("sysctl", "vm.swappiness"))

    assert why in refusal.reason
    assert "--without sysctl" in refusal.hint


@pytest.mark.parametrize("facts", [_facts("a", "inactive"), _facts(""), NodeFacts(node="spark1")])
def test_where_it_does_not_run_nothing_is_read_or_refused(facts: NodeFacts) -> None:
    view = HostView(facts=facts, profile=Profile())

    assert tuned_reads(facts) == ()
    assert tuned_claims(facts, Readings()).state is State.ABSENT
    assert managed_by_tuned(view, "sysctl", ("sysctl", "vm.swappiness")) == ()


@pytest.mark.parametrize(
    ("key", "managed"),
    [
        (("sysfs", "/sys/devices/virtual/workqueue/cpumask"), True),
        (("sysfs", "/sys/devices/virtual/workqueue/writeback/cpumask"), True),
        (("sysfs", "/sys/kernel/mm/ksm/run"), False),
        (("sysctl", "/sys/devices/virtual/workqueue/cpumask"), False),
        (("systemd", "*"), True),
        (("irq", "*"), False),
    ],
)
def test_only_what_is_meant_is_refused(key: tuple[str, str], managed: bool) -> None:  # noqa: FBT001 - a case
    text = (
        "[sysfs]\n/sys/devices/virtual/workqueue/cpumask=1\n/sys/devices/virtual/workqueue/*/cpumask=1\n"
        "[systemd]\ncpu_affinity=0\n"
    )
    facts = _facts("a")
    readings = _readings(facts, {"/etc/tuned/profiles/a/tuned.conf": text})

    refusals = managed_by_tuned(HostView(facts=facts, profile=Profile(), readings=readings), "some-change", key)

    assert bool(refusals) is managed
    assert all("managed by TuneD" in refusal.reason and refusal.evidence for refusal in refusals)


@given(
    st.lists(
        st.sampled_from(["[main]", "[irq]", "include=a", "x=1", " y", "=", "[", "\0", "x", "#", "include=${v}", "[]"])
        | st.text(max_size=9),
        max_size=9,
    )
)
def test_no_text_of_a_profile_raises(lines: list[str]) -> None:
    """What a node says is untrusted: a broken profile costs a refusal, never the plan."""
    facts = _facts("a")
    readings = _readings(facts, {"/etc/tuned/a/tuned.conf": "\n".join(lines)})

    view = HostView(facts=facts, profile=Profile(), readings=readings)
    refused = managed_by_tuned(view, "sysctl", ("sysctl", "vm.swappiness"))

    assert len(refused) <= 1
    assert all(one.change == "sysctl" and one.hint.startswith("tuned-adm off") for one in refused)


def test_a_profile_that_cannot_be_told_is_refused_and_not_taken_for_none() -> None:
    services = _facts("a").facts[IrqServicesFacts]
    facts = NodeFacts(
        node="spark1", facts={IrqServicesFacts: replace(services, tuned_profile=unreadable("permission denied"))}
    )

    (refusal,) = managed_by_tuned(HostView(facts=facts, profile=Profile()), "sysctl", ("sysctl", "vm.swappiness"))

    assert refusal.reason == "TuneD is active, and what that sets is not known: permission denied"
