"""A process of its own that uses the store as a bench does; tells what it did, line by line, on stdout."""

import sys
from pathlib import Path

from tests.support.stored import make_cell, make_request, make_run, make_trial

from sparktune.io.store import Store
from sparktune.model.trial import Phase

_STARTED = 1_795_974_620.5
_CELL = make_cell(concurrency=3)


def tell(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def wait() -> None:
    """Stay until the parent closes our stdin, or kills us."""
    sys.stdin.read()


def spool(path: Path) -> None:
    """Spool two of three requests of a wave, then wait."""
    with Store.open(path) as store, store.spool() as spool:
        store.create_run(make_run("r", cells=(_CELL,)))
        spool.begin("r", _CELL, 0, Phase.MEASURE, _STARTED)
        spool.append(make_request(0, data=b"first\n"))
        spool.append(make_request(1, data=b"second\n"))
        tell("spooled")
        wait()


def commit(path: Path) -> None:
    """Spool and commit a wave, then wait before the spool is cleared."""
    requests = tuple(make_request(stream) for stream in range(3))
    with Store.open(path) as store, store.spool() as spool:
        store.create_run(make_run("r", cells=(_CELL,)))
        spool.begin("r", _CELL, 0, Phase.MEASURE, _STARTED)
        for request in requests:
            spool.append(request)
        # The load knows the exact start only afterwards.
        store.add_trial("r", make_trial(0, cell=_CELL, requests=requests, started_wall_s=_STARTED + 0.02))
        tell("committed")
        wait()


def write(path: Path, name: str) -> None:
    """Open the store - perhaps as the first of all - and add many small waves."""
    wait()
    with Store.open(path) as store:
        store.create_run(make_run(name))
        for index in range(25):
            store.add_trial(name, make_trial(index))
    tell("written")


if __name__ == "__main__":
    {"spool": spool, "commit": commit, "write": write}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
