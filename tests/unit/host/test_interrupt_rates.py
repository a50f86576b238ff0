"""Interrupt rates between two samples: they prove that moved interrupts really arrive elsewhere."""

import pytest

from sparktune.host.facts.interrupts import interrupt_rates, likely_managed, parse_interrupts

_BEFORE = parse_interrupts(
    " CPU0 CPU1\n 1: 10 0 GICv3 1 Edge a\n 2: 4294967290 5 GICv3 2 Edge b\n"
    " 3: 1 1 GICv3 3 Edge old\n 4: 7 7 GICv3 4 Edge d\n"
)


def test_rates_by_cpu_with_counters_that_wrap() -> None:
    after = parse_interrupts(" CPU0 CPU1\n 1: 10 20 GICv3 1 Edge a\n 2: 4 5 GICv3 2 Edge b\n")

    rates = {rate.irq: rate.per_cpu for rate in interrupt_rates(_BEFORE, after, 2.0)}

    assert rates == {1: {1: 10.0}, 2: {0: 5.0}}


def test_a_number_with_another_name_is_another_interrupt() -> None:
    """A network card that comes back after hot-plug gets the old numbers in another order."""
    after = parse_interrupts(" CPU0 CPU1\n 3: 900 900 GICv3 3 Edge new\n 5: 1 1 GICv3 5 Edge e\n")

    assert interrupt_rates(_BEFORE, after, 1.0) == ()


def test_a_cpu_that_came_online_has_no_rate_yet() -> None:
    after = parse_interrupts(" CPU0 CPU1 CPU2\n 4: 8 7 500 GICv3 4 Edge d\n")

    assert [rate.per_cpu for rate in interrupt_rates(_BEFORE, after, 1.0)] == [{0: 1.0}]


@pytest.mark.parametrize("elapsed_s", [0.0, -1.0])
def test_no_time_gives_no_rates(elapsed_s: float) -> None:
    assert interrupt_rates(_BEFORE, _BEFORE, elapsed_s) == ()


@pytest.mark.parametrize(
    ("name", "managed"),
    [
        ("nvme0q0", False),
        ("nvme0q1", True),
        ("nvme12q20", True),
        ("virtio1-req.0", True),
        ("virtio2-input.0", False),
        ("mlx5_comp0@pci:0000:01:00.0", False),
        ("", False),
    ],
)
def test_names_of_interrupts_that_nobody_can_move(name: str, *, managed: bool) -> None:
    assert likely_managed(name) == managed
