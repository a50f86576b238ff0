"""What a run has measured is never lost: not by Ctrl-C, not by SIGTERM, not by kill -9; and it can go on."""

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support.cli import run_sparktune, start_sparktune

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store.frames import read_waves
from sparktune.io.store.location import database_path
from sparktune.io.store.spool import spools_beside
from sparktune.io.store.store import Store
from sparktune.model.recording import End
from sparktune.model.run import RunState

_LIMIT_S = 60.0
FLAGS = ("--pp", "32", "--tg", "4", "--warmup", "off", "--trials", "3", "--concurrency", "2", "--quiet", "--json")


@contextmanager
def _hanging_run(reference: ReferenceProcess) -> Iterator[subprocess.Popen[str]]:
    """Yield a run whose second wave hangs: one of its two requests has ended and is kept, the other never ends.

    The first request of all counts tokens, so the fourth is the first of the second wave.
    """
    reference.configure(engine="vllm", ttft_ms=1.0, itl_ms=1.0, stall_every=4)
    with start_sparktune("bench", reference.base_url, *FLAGS) as process:
        until = time.monotonic() + _LIMIT_S
        while not _second_wave_has_one():
            assert time.monotonic() < until, "the second wave did not get that far"
            assert process.poll() is None, process.communicate()
        yield process
    reference.configure(stall_every=0)


def _second_wave_has_one() -> bool:
    """Tell whether a request of the second wave has ended: the first wave may be stored, and in the spool still."""
    if not database_path().exists():
        return False
    spools = [path.read_bytes() for path in spools_beside(database_path())]
    return any(wave.index == 1 and wave.requests for spool in spools for wave in read_waves(spool)[0])


def _stored_ends() -> Counter[End]:
    with Store.open() as store:
        run = store.newest_run()
        return Counter(request.recording.end for raw in store.trials(run.id) for request in raw.requests)


def _resume() -> dict[str, int]:
    with Store.open() as store:
        run = store.newest_run()
    done = run_sparktune("bench", "--resume", run.id, "--quiet", "--json")

    assert done.code in {0, 5}, done.err  # three short waves may be too noisy to be called valid
    assert done.json["run"] == run.id
    assert done.json["state"] == "done"
    return {key: done.cell[key] for key in ("trials", "requests", "incomplete")}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_every_finished_request_and_the_run_goes_on(
    reference: ReferenceProcess, number: signal.Signals
) -> None:
    with _hanging_run(reference) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=_LIMIT_S)

    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "sparktune bench --resume" in err
    assert '"state": "interrupted"' in out
    assert _stored_ends()[End.STOPPED] == 1
    assert _stored_ends().total() == 4
    assert _resume() == {"trials": 3, "requests": 6, "incomplete": 1}


def test_after_an_interruption_the_list_knows_what_is_valid(reference: ReferenceProcess) -> None:
    """What was shown as valid, or not, must not be unknown a moment later."""
    with _hanging_run(reference) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_LIMIT_S)

    row = run_sparktune("runs", "list", "--json").json["runs"][0]
    assert row["state"] == "interrupted"
    assert row["valid"] is not None


def test_kill_minus_nine_keeps_every_finished_request_and_the_run_goes_on(reference: ReferenceProcess) -> None:
    with _hanging_run(reference) as process:
        process.kill()
        process.communicate(timeout=_LIMIT_S)

    assert _stored_ends().total() == 3
    assert _stored_ends()[End.STOPPED] == 0
    assert _resume() == {"trials": 3, "requests": 6, "incomplete": 1}


def test_a_resumed_wave_sends_prompts_that_were_never_sent(reference: ReferenceProcess) -> None:
    """The server still caches the interrupted wave's prompts: the same ones again would be answered too fast."""
    with _hanging_run(reference) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_LIMIT_S)
    _resume()

    with Store.open() as store:
        run = store.newest_run()
        assert run.state is RunState.DONE
        prompts = Counter(request.prompt_sha256 for raw in store.trials(run.id) for request in raw.requests)
    assert set(prompts.values()) == {1}


def test_a_server_that_goes_away_ends_the_run_and_keeps_what_it_has(reference: ReferenceProcess) -> None:
    with ReferenceProcess(reference.knobs) as other:
        other.configure(engine="vllm", ttft_ms=1.0, itl_ms=1.0, stall_every=4)
        with start_sparktune("bench", other.base_url, *FLAGS) as process:
            until = time.monotonic() + _LIMIT_S
            while not _second_wave_has_one():
                assert time.monotonic() < until, "the second wave did not get that far"
            other.stop()
            out, err = process.communicate(timeout=_LIMIT_S)

    assert process.returncode == 1, err
    assert "in the middle of the run" in err
    assert "--resume" in err
    assert '"state": "failed"' in out
