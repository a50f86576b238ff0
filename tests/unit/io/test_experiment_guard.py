"""What an experiment file says of guards: every fault with its place, and what is not said as usual."""

from dataclasses import fields
from typing import Any

import pytest

from sparktune.errors import UsageError
from sparktune.experiment.protection import OnLostNode, Protection
from sparktune.io.experiment_guard import guard_keys, protection_of
from sparktune.model.guard import Limits


def _fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
    return UsageError(f"{'.'.join(map(str, where))}: {message}", hint=hint)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Protection()),
        ({}, Protection()),
        ("off", Protection(on=False)),
        (False, Protection(on=False)),
        ({"stop_engine": True, "tail_s": 0}, Protection(stop_engine=True, tail_s=0)),
        ({"available_floor": "4.5GiB"}, Protection(limits=Limits(available_floor=round(4.5 * 2**30)))),
        ({"free_floor": "9B", "error_share": None}, Protection(limits=Limits(free_floor=9, error_share=None))),
        ({"free_floor": 2**20, "low_clock_hz": 1e6}, Protection(limits=Limits(free_floor=2**20, low_clock_hz=1e6))),
        ({"available_floor": 0, "low_clock_hz": 0}, Protection(limits=Limits(available_floor=0, low_clock_hz=0))),
        ({"swap_pages": "off", "foreign_gpu": False}, Protection(limits=Limits(swap_pages=None, foreign_gpu=False))),
        ({"foreign_gpu": "off", "stop_engine": "on"}, Protection(limits=Limits(foreign_gpu=False), stop_engine=True)),
        ({"on_lost_node": "retry", "retries": 5}, Protection(on_lost_node=OnLostNode.RETRY, retries=5)),
    ],
)  # fmt: skip
def test_what_is_said_counts_and_the_rest_is_as_usual(value: object, expected: Protection) -> None:
    assert protection_of(value, _fault) == expected


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("on", "guard: limits by name, or off"),
        ({"floor": 1}, "guard.floor: unknown key"),
        ({"available_floor": "3 gigs"}, "guard.available_floor: a size is wanted, not '3 gigs'"),
        ({"available_floor": 2e9}, "guard.available_floor: a whole number"),
        ({"available_floor": True}, "guard.available_floor: a whole number"),
        ({"tail_s": -1}, "guard.tail_s: a number from 0 on"),
        ({"stall_share": 20}, "guard.stall_share: a share from 0 to 1"),
        ({"tail_s": True}, "guard.tail_s: a number from 0 on"),
        ({"stop_engine": "yes"}, "guard.stop_engine: on or off"),
        ({"on_lost_node": "wait"}, "guard.on_lost_node: stop or retry"),
        ({"foreign_gpu": None}, "guard.foreign_gpu: on or off"),
    ],
)
def test_a_fault_names_its_place(value: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        protection_of(value, _fault)


@pytest.mark.parametrize(
    ("key", "value", "says", "hint"),
    [
        ("available_floor", 5, "a limit of 5 bytes guards nothing", "write the unit: 5GiB, 5MiB, or 5B if that"),
        ("free_floor", 512, "a limit of 512 bytes guards nothing", "write the unit: 512GiB, 512MiB, or 512B"),
        ("low_clock_hz", 900, "a limit of 900 Hz guards nothing", "900 MHz is 900e6"),
        ("available_floor", 1.5, "a limit of 1.5 bytes guards nothing", "write the unit: 1.5GiB, "),
    ],
)
def test_a_number_without_its_unit_is_not_taken_for_another(key: str, value: float, says: str, hint: str) -> None:
    """Whoever writes 5 for a floor of memory means GiB, and would believe to be guarded."""
    with pytest.raises(UsageError, match=f"guard.{key}: {says}") as caught:
        protection_of({key: value}, _fault)
    assert caught.value.hint.startswith(hint)


def test_every_limit_can_be_set() -> None:
    """A limit that nobody can move is one that somebody will switch off with all others."""
    assert {field.name for field in fields(Limits)} <= set(guard_keys())
