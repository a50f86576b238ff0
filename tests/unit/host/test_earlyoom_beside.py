"""Which of earlyoom and the guards acts first: an engine that the former ends leaves no trace in its log."""

import pytest

from sparktune.host.earlyoom_beside import EARLYOOM_READS, earlyoom_beside
from sparktune.model.observed import present
from sparktune.model.reads import CommandOutput, ReadCommand, Readings
from sparktune.units import Bytes

_GIB = 1024**3
(_SHOW,) = (read.argv for read in EARLYOOM_READS if isinstance(read, ReadCommand))


def _said(
    arguments: str, floor: Bytes | None, *, active: str = "active", total: str = "MemTotal: 104857600 kB\n"
) -> str:
    unit = f"Id=earlyoom.service\nLoadState=loaded\nActiveState={active}\nUnitFileState=enabled\n"
    files = {"/proc/meminfo": present(total), "/etc/default/earlyoom": present(f'EARLYOOM_ARGS="{arguments}"\n')}
    output = present(CommandOutput(stdout=unit, stderr="", code=0))
    return earlyoom_beside(Readings(files=files, commands={_SHOW: output}), floor)


@pytest.mark.parametrize(
    ("arguments", "floor", "said"),
    [
        ("-m 2 -s 80", 3 * _GIB, "below 2.0 GiB of available memory; our floor of 3.0 GiB is above that"),
        ("-m 5", 3 * _GIB, "below 5.0 GiB of available memory; our floor of 3.0 GiB is not above that"),
        ("-M 3145728", 3 * _GIB, "is not above that: it may come first"),
        ("-m 2", None, "no floor of ours is set"),
        ("-m many", 3 * _GIB, "when it acts is not known"),
    ],
)
def test_what_is_said(arguments: str, floor: Bytes | None, said: str) -> None:
    assert said in _said(arguments, floor)


def test_without_the_size_of_the_memory_a_share_of_it_is_nothing() -> None:
    assert "when it acts is not known" in _said("-m 2", 3 * _GIB, total="")


def test_nothing_is_said_where_it_does_not_run() -> None:
    assert _said("-m 2", 3 * _GIB, active="inactive") == ""
    assert earlyoom_beside(Readings(), 3 * _GIB) == ""
