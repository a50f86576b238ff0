"""What is known of containers and masks, and the threads of a machine out of text that may be anything."""

from dataclasses import replace

import pytest
from tests.support.nodes import healthy_node, node_over

from sparktune.host.facts import read_facts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.hazards import Inference, container_keeps_affinity, evidence, in_container, inference_on, is_below
from sparktune.host.tasks import Tasks, tasks_of
from sparktune.model.node import NodeFacts
from sparktune.model.observed import absent, present, unreadable
from sparktune.model.profile import Profile
from sparktune.model.reads import Readings


def _kernel(release: str | None, runc: str | None) -> NodeFacts:
    kernel = read_facts("a", Readings()).get(KernelFacts)
    assert kernel is not None
    known = replace(
        kernel, release=present(release) if release else absent(), runc=present(runc) if runc else unreadable("no runc")
    )
    return NodeFacts(node="a", facts={KernelFacts: known})


@pytest.mark.parametrize(
    ("release", "runc", "keeps"),
    [
        ("6.17.0-1014-nvidia", "1.1.12", True),
        ("6.17.0-1014-nvidia", "1.2.6", True),
        ("6.17.0-1014-nvidia", "1.2.7", False),
        ("6.17.0-1014-nvidia", "1.3.0", True),
        ("6.17.0-1014-nvidia", "1.3.1", False),
        ("6.17.0-1014-nvidia", "1.3.0-rc.1", True),
        ("6.17.0-1014-nvidia", "1.4.0", False),
        ("6.17.0-1014-nvidia", "2.0", False),
        ("6.1.0-39-amd64", "1.1.5", False),
        ("6.2", "1.1.5", True),
        ("6.1.0-39-amd64", None, False),
        ("6.17.0", None, None),
        (None, "1.2.6", None),
        ("mainline", "new", None),
    ],
)
def test_whether_a_container_keeps_the_mask(release: str | None, runc: str | None, keeps: object) -> None:
    """A wrong True refuses a harmless plan; a wrong False lets inference land on slow cores."""
    assert container_keeps_affinity(_kernel(release, runc)) is keeps


def test_nothing_known_of_the_kernel() -> None:
    assert container_keeps_affinity(NodeFacts(node="a")) is None
    assert inference_on(NodeFacts(node="a"), Profile(), Tasks()) == ()


def test_only_the_first_part_of_a_group_counts() -> None:
    assert is_below("/system.slice/docker-5a.scope", ("system.slice",))
    assert is_below("/system.slice", ("system.slice",))
    assert not is_below("/inference.slice/system.slice", ("system.slice",))
    assert not is_below("/system.slice2/a", ("system.slice",))
    assert not is_below("/", ("system.slice",))


@pytest.mark.parametrize(
    ("cgroup", "inside"),
    [
        (f"/system.slice/docker-{'5a' * 32}.scope", True),
        (f"/docker/{'5a' * 32}", True),
        ("/machine.slice/libpod-5a5a5a5a.scope/container", True),
        (f"/kubepods.slice/kubepods-pod1.slice/cri-containerd-{'5a' * 32}.scope", True),
        ("/machine.slice/machine-qemu1.scope", True),
        ("/system.slice/docker.service", False),
        ("/system.slice/containerd.service", False),
        ("/system.slice/docker-proxy.service", False),
        ("/user.slice/user-1000.slice/session-3.scope", False),
        ("", False),
    ],
)
def test_what_is_a_container(cgroup: str, inside: object) -> None:
    """The daemons are the system's own work and move; what they started does not."""
    assert in_container(cgroup) is inside


def test_a_long_list_is_cut_and_says_so() -> None:
    lines = evidence(Inference(pid=pid, what="x") for pid in range(1, 31))

    assert len(lines) == 13
    assert lines[-1] == "and 18 more"


def test_a_container_that_docker_does_not_tell_of() -> None:
    """Its group names it even when Docker does not answer, or the container is another runtime's."""
    node = node_over("a", healthy_node(11), commands={"docker inspect": None})

    owners = {one.owner for one in inference_on(node, Profile(), Tasks())}

    assert owners == {"container 5a5a5a5a5a5a"}


_STAT = "7 (x y) z) S 1 1 1 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 90" + 15 * " 0" + " 17 6 0 0 0 0 0\n"


def _readings(stat: str, status: str) -> Readings:
    return Readings(
        matches={
            "/proc/[0-9]*/task/*/stat": {"/proc/7/task/7/stat": present(stat)},
            "/proc/[0-9]*/task/*/status": {"/proc/7/task/7/status": present(status)},
            "/proc/[0-9]*/cgroup": {"/proc/7/cgroup": present("0::/system.slice/a.service\n")},
        }
    )


def test_a_thread() -> None:
    (task,) = tasks_of(_readings(_STAT.format(flags=0x4208040), "Name:\tx y) z\nCpus_allowed_list:\t5-9\n")).tasks

    assert (task.pid, task.tid, task.start_time, task.last_core) == (7, 7, 90, 6)
    assert (task.name, task.cgroup, task.allowed) == ("x y) z", "/system.slice/a.service", frozenset(range(5, 10)))
    assert task.kernel
    assert task.fixed


@pytest.mark.parametrize(
    ("stat", "status"),
    [
        ("", "Cpus_allowed_list:\t5-9\n"),
        ("7 (x) S", "Cpus_allowed_list:\t5-9\n"),
        (_STAT.format(flags="many"), "Cpus_allowed_list:\t5-9\n"),
        (_STAT.format(flags="0"), "Cpus_allowed_list:\tall\n"),
        (_STAT.format(flags="0"), ""),
        (_STAT.format(flags="9" * 9999 + "x"), "Cpus_allowed_list:\t5-9\n"),
    ],
)
def test_a_thread_that_ended_or_makes_no_sense_is_left_out(stat: str, status: str) -> None:
    """Numbers of a thread decide what is moved: none is made up."""
    assert tasks_of(_readings(stat, status)).tasks == ()


def test_threads_that_are_missing_are_told() -> None:
    unread = {"/proc/[0-9]*/task/*/stat": "more than 20000 files match"}

    assert tasks_of(Readings(unread=unread)).gaps == "/proc/[0-9]*/task/*/stat: more than 20000 files match"
