"""What a wave changes about the interpreter or the thread is changed back, also when the wave fails."""

import ctypes
import gc
import os
import struct
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from sparktune.io.load.calm import calm_interpreter
from sparktune.io.load.timeslice import short_time_slice

_GETATTR = {"x86_64": 315, "aarch64": 275, "riscv64": 275}


class _WaveFailedError(Exception):
    pass


def _fail_inside(change: AbstractContextManager[None], look: Callable[[], float]) -> float:
    """Return what ``look`` saw inside the block of a wave that then fails."""
    seen: list[float] = []

    def wave() -> None:
        with change:
            seen.append(look())
            raise _WaveFailedError

    with pytest.raises(_WaveFailedError):
        wave()
    return seen[0]


def test_collection_is_off_and_comes_back() -> None:
    assert _fail_inside(calm_interpreter(), gc.isenabled) == 0
    assert gc.isenabled()


def test_lock_is_handed_on_sooner_and_as_before_afterwards() -> None:
    usual_s = sys.getswitchinterval()

    assert 0 < _fail_inside(calm_interpreter(), sys.getswitchinterval) < usual_s
    assert sys.getswitchinterval() == usual_s


def test_collection_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with calm_interpreter():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def _slice_ns() -> int:
    """Ask the kernel for this thread's time slice; skips where it does not keep one (before Linux 6.12)."""
    attributes = ctypes.create_string_buffer(48)
    number = _GETATTR.get(os.uname().machine)
    if number is None or ctypes.CDLL(None).syscall(number, 0, attributes, 48, 0) != 0:
        pytest.skip("sched_getattr is not to be had here")
    slice_ns = int(struct.unpack("=IIQiIQQQ", attributes.raw)[5])
    if slice_ns == 0:
        pytest.skip("this kernel keeps no time slice per thread")
    return slice_ns


def test_time_slice_is_short_and_comes_back() -> None:
    usual = _slice_ns()

    assert _fail_inside(short_time_slice(), _slice_ns) == 100_000
    assert _slice_ns() == usual


def test_priority_is_left_alone() -> None:
    before = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    with short_time_slice():
        within = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)

    assert within == before
    assert (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)) == before


def test_unknown_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong system call number could do anything."""
    usual = _slice_ns()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "n", "r", "v", "mips")))
    with short_time_slice():
        monkeypatch.undo()
        assert _slice_ns() == usual
