"""Threads of one process with equal names, of every way to wait, beside such that work, on a machine that is loaded.

The load is five busy processes per core: a poller then gets little of a core, and is found by what it wants. The server
that is asked for its requests has none, so that nothing but the threads themselves keeps a verdict from being certain.
How often the whole scan is repeated says ``SPARKTUNE_SCANS``.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.support.spinners import COMPILER, POLLERS, WORK, Spinners, busy_machine, spinning

from sparktune.flows.place.scan import scan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.reference.knobs import Imitate, Knobs
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.place import PollerVerdict

# How a loaded machine shares its cores is nothing that a quick test may rest on.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(COMPILER is None, reason="needs a C compiler: threads that really spin"),
]

_TIMES_CORES = 5
_SCANS = int(os.environ.get("SPARKTUNE_SCANS", "3"))
_OLD_S = 61.0


@pytest.fixture
def spinners(tmp_path: Path) -> Iterator[Spinners]:
    """A process that looks like an engine's, among the load; all of it has ended afterwards."""
    with busy_machine(_TIMES_CORES), spinning(tmp_path, "llama-server") as spinners:
        yield spinners


def _scan(kinds: Mapping[int, str], endpoint: str, *, windows: int, window_s: float) -> dict[str, PollerVerdict]:
    found = scan_nodes([NodeTarget(name="here")], windows=windows, window_s=window_s, endpoint=endpoint)
    (node,) = found.nodes
    assert node.failure == ""
    return {kinds[one.thread.tid]: one.verdict for one in node.pollers if one.thread.tid in kinds}


def test_pollers_are_found_and_nothing_is_certain_where_idleness_is_not_told(spinners: Spinners) -> None:
    """Nobody tells whether work was there, and some of them work: certainty would be a lie."""
    found = _scan(spinners.kinds, "", windows=3, window_s=1.0)

    assert set(found) >= set(POLLERS)
    assert PollerVerdict.CERTAIN not in found.values()


@pytest.mark.timeout(300 + 60 * _SCANS)
def test_again_and_again(spinners: Spinners) -> None:
    """Chance has every scan to miss a poller, or to call work one; nothing runs at the engine, on every count."""
    tally = {kind: Counter[str]() for kind in (*POLLERS, *WORK)}
    spinners.grow_older_than(_OLD_S)
    with ReferenceProcess(Knobs(engine=Imitate.VLLM)) as server:
        for _ in range(_SCANS):
            found = _scan(spinners.kinds, server.base_url, windows=5, window_s=2.0)
            said = {kind: found[kind].value if kind in found else "not found" for kind in tally}
            sys.stdout.write(f"{said}\n")
            for kind, verdict in said.items():
                tally[kind][verdict] += 1

    sys.stdout.write("".join(f"{kind:<10} {dict(counts)}\n" for kind, counts in tally.items()))
    assert {kind: tally[kind]["not found"] for kind in POLLERS} == dict.fromkeys(POLLERS, 0)
    assert {kind: tally[kind]["only under load"] for kind in POLLERS} == dict.fromkeys(POLLERS, 0)
    assert {kind: tally[kind]["certain"] for kind in WORK} == dict.fromkeys(WORK, 0)
