"""The measuring thread goes to other cores for the time of a wave, alone, and comes back."""

import os
import threading

import pytest
from tests.support.reference import reference, reference_process

from sparktune.io.load.client import LoadClient
from sparktune.io.load.cores import on_cores
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.this_machine import allowed_cpus, core_split, is_this_machine

__all__ = ["reference", "reference_process"]

_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)


def _some_core() -> frozenset[int]:
    allowed = sorted(allowed_cpus())
    if len(allowed) < 2:
        pytest.skip("this process may use one CPU alone")
    return frozenset(allowed[-1:])


def test_a_wave_runs_where_it_is_told_to_and_its_health_says_so(reference: ReferenceProcess) -> None:
    before, core = allowed_cpus(), _some_core()
    target = Target(host=reference.host, port=reference.port)
    client = LoadClient(target, _LIMITS, cores=core)

    wave = client.run_wave([post_bytes(target, "/health", {}, b"{}")])

    assert frozenset(wave.health.cores) == core
    assert allowed_cpus() == before


def test_what_is_started_meanwhile_by_another_thread_keeps_all_cores() -> None:
    """An engine that an experiment starts must not inherit the client's mask."""
    before, seen = allowed_cpus(), []
    begin, done = threading.Event(), threading.Event()

    def other() -> None:
        begin.wait(30)
        seen.append(frozenset(os.sched_getaffinity(0)))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with on_cores(_some_core()):
        begin.set()
        assert done.wait(30)
    thread.join()

    assert seen == [before]


def test_cores_that_there_are_not_leave_the_thread_where_it_is() -> None:
    before = allowed_cpus()

    with on_cores(frozenset({4095})):
        assert allowed_cpus() == before

    assert allowed_cpus() == before


@pytest.mark.parametrize(
    ("host", "is_here"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("192.0.2.7", False), ("no.such.host.invalid", False)],
)
def test_which_addresses_are_of_this_machine(host: str, *, is_here: bool) -> None:
    if host == "::1" and not os.path.exists("/proc/net/if_inet6"):  # noqa: PTH110
        pytest.skip("no IPv6 here")
    assert is_this_machine(host) is is_here


def test_this_machine_tells_its_cores_or_why_not() -> None:
    split = core_split()

    assert split.value is not None or split.why
