"""What files of nodes say may be anything: plans are made of it, or say why not; what is written is read back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktune.host.changes.sysctl import CHANGE
from sparktune.host.compose_placement import Placement, edit_services, services_to_place
from sparktune.host.container_cpus import is_inside
from sparktune.host.earlyoom import limits_of
from sparktune.host.facts.sysctl import SysctlFacts, live_path, setting_reads, settings_of
from sparktune.host.sysctl_rules import same_value, wrong_with
from sparktune.model.host_plan import HostView
from sparktune.model.node import NodeFacts
from sparktune.model.observed import present
from sparktune.model.profile import Profile
from sparktune.model.reads import ReadFiles, Readings
from sparktune.model.step import FileStep, ValueStep

_FAST = frozenset({5, 6, 7, 8, 9})
_PATH = "/etc/sysctl.d/99-zz-sparktune.conf"
_PATTERN = "/etc/sysctl.d/*.conf"
_KEYS = st.sampled_from(["vm.stat_interval", "vm.page-cluster", "fs.aio-max-nr", "net.ipv4.tcp_rmem", "kernel.pid_max"])
_VALUES = st.lists(st.integers(1, 9).map(str), min_size=1, max_size=3).map(" ".join)


def _view(wanted: dict[str, str], live: dict[str, str], file: str | None) -> HostView:
    files = {live_path(key): present(f"{value}\n") for key, value in live.items()}
    drop_ins = {"/etc/sysctl.d/10-a.conf": present("".join(f"{key} = 7 7 7 7\n" for key in wanted))}
    if file is not None:
        files[_PATH] = drop_ins[_PATH] = present(file)
    readings = Readings(files=files, matches={_PATTERN: drop_ins})
    facts = {SysctlFacts: SysctlFacts(settings=())}
    return HostView(facts=NodeFacts(node="a", facts=facts), profile=Profile(sysctls=wanted), readings=readings)


@given(wanted=st.dictionaries(_KEYS, _VALUES, min_size=1), live=st.dictionaries(_KEYS, _VALUES))
def test_the_file_that_is_written_wins_and_a_second_plan_is_empty(wanted: dict[str, str], live: dict[str, str]) -> None:
    before = {key: live.get(key, "5 5 5 5") for key in wanted}
    if wanted.get("vm.page-cluster", "1").count(" "):
        wanted["vm.page-cluster"] = "3"

    steps = [planned.step for planned in CHANGE.plan(_view(wanted, before, None)).steps]
    (text,) = [step.text for step in steps if isinstance(step, FileStep)]
    after = before | {key: step.text for step in steps if isinstance(step, ValueStep) for key in [_key(step.path)]}
    again = _view(wanted, after, text)

    assert CHANGE.plan(again).steps == ()
    won = {one.key: one.boot.value for one in settings_of(again.readings, wanted)}
    assert all(line is not None and line.path == _PATH for line in won.values())
    assert all(same_value(line.value, wanted[key]) for key, line in won.items() if line is not None)


def _key(path: str) -> str:
    return path.removeprefix("/proc/sys/").replace("/", ".")


def test_the_folders_of_settings_are_read() -> None:
    """The test above stands on this pattern."""
    assert ReadFiles(pattern=_PATTERN) in setting_reads([])


@given(key=st.text(max_size=20) | _KEYS, value=st.text(max_size=20), total=st.none() | st.integers(0, 2**40))
def test_any_key_and_value_is_judged(key: str, value: str, total: int | None) -> None:
    """What is let through makes one line of a file, and leads nowhere but below /proc/sys."""
    if wrong_with(key, value, total, None) == "":
        assert not {"\n", "\r", "\0", "=", "#"} & set(key + value)
        assert ".." not in live_path(key).split("/")


@given(arguments=st.text() | st.text(alphabet="-mMsS ,.0123456789'", max_size=30))
def test_any_arguments_of_earlyoom_are_understood_or_not(arguments: str) -> None:
    limits = limits_of(arguments)

    assert limits is None or limits.memory_of(2**37) >= 0


_VALUE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["vllm", "5-9", "0-4", "$X", "inference.slice", "*a"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["file", "service"]), inner, max_size=2)
    ),
    max_leaves=4,
)
_SETTINGS = st.dictionaries(
    st.sampled_from(["image", "cpuset", "cgroup_parent", "extends", "container_name", "command"]), _VALUE, max_size=5
)


def _flow(value: Any) -> str:  # noqa: ANN401 - what a file may hold
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@settings(max_examples=200, deadline=None)
@given(services=st.dictionaries(st.sampled_from("abc"), _SETTINGS, min_size=1), named=st.sets(st.sampled_from("abc")))
def test_services_of_any_form_are_placed_or_say_why_not(services: dict[str, Any], named: set[str]) -> None:
    lines = ["x-a: &a [1]", "services:"]
    for name, keys in services.items():
        lines += [f"  {name}:", *(f"    {key}: {_flow(value)}" for key, value in keys.items())]
    text = "\n".join(lines) + "\n"
    placement = Placement(cores=_FAST, parent="inference.slice")
    try:
        found = services_to_place(text, "c.yml", frozenset(named), placement)
    except ValueError:
        return
    edit = edit_services(text, found)

    left = services_to_place(edit.text, "c.yml", frozenset(named), placement)
    assert [one.name for one in left] == [one.name for one in found]
    assert all(not one.wanted or one.name in edit.failed for one in left)


@pytest.mark.parametrize(
    ("cpuset", "inside"),
    [("5-9", True), ("5", True), ("", False), ("4-9", False), ("x", False), ("5," * 1000 + "5", False)],
)
def test_a_cpuset_is_inside_when_it_names_only_these_cores(cpuset: str, inside: bool) -> None:  # noqa: FBT001 - a case
    assert is_inside(cpuset, _FAST) is inside
