"""Which cores the load client measures on: the slower ones beside the server that it measures; else nothing changes."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.errors import UsageError
from sparktune.host.client_cores import choose_client_cores
from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import format_cpulist, parse_cpulist
from sparktune.io.this_machine import core_split
from sparktune.model.observed import Observed, present, unreadable

_CASES = yaml_cases(Path(__file__).parent / "client_cores")
_KEYS = frozenset({"name", "why", "asked", "machine", "allowed", "local", "expect", "says", "refused"})
_GB10 = CoreSplit(
    performance=parse_cpulist("5-9,15-19"), efficiency=parse_cpulist("0-4,10-14"), basis="MIDR part, ranked by capacity"
)
_MACHINES: dict[str, Observed[CoreSplit]] = {"gb10": present(_GB10), "one type": unreadable("all CPUs are of one type")}


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_choice(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    asked = {
        "split": _MACHINES[case["machine"]],
        "allowed": parse_cpulist(str(case["allowed"])),
        "is_local": case["local"],
    }

    if "refused" in case:
        with pytest.raises(UsageError, match=case["refused"]):
            choose_client_cores(case["asked"], **asked)
        return
    found = choose_client_cores(case["asked"], **asked)
    assert format_cpulist(found.cpus) == case["expect"]
    assert case.get("says", "") in found.why
    assert bool(found.why) == bool(case.get("says") or found.cpus)


def test_the_cores_of_a_captured_gb10() -> None:
    """The machine's own files, as a client that runs there reads them."""
    split = core_split(shared("samples/gb10/hwloc-gb10-sysfs"))

    found = choose_client_cores("", split=split, allowed=frozenset(range(20)), is_local=True)

    assert format_cpulist(found.cpus) == "0-4,10-14"
