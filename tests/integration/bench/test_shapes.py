"""Waves that are more than equal requests at once, from command line to report; the server's log is the truth."""

import json
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune, start_sparktune

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.reference.truth import TruthRecord
from sparktune.io.store.store import Store
from sparktune.model.raw import RawTrial
from sparktune.model.recording import Recording
from sparktune.model.trial import Phase
from sparktune.units import NS_PER_S

_QUIET = ("--warmup", "off", "--quiet", "--json")
_LIMIT_S = 60.0
_COUNTS = {"token_ids": "asked"}  # of every chunk, told by the server


def _measured() -> list[RawTrial]:
    with Store.open() as store:
        return [raw for raw in store.trials(store.newest_run().id) if raw.phase is Phase.MEASURE]


def _log(reference: ReferenceProcess) -> list[TruthRecord]:
    """Return the streamed requests, in the order in which they came."""
    return sorted((record for record in reference.drain_log() if record.stream), key=lambda record: record.origin_ns)


def test_staggered_streams(reference: ReferenceProcess) -> None:
    """The server sees them apart; TTFT counts from each one's own send; the plan is no send skew."""
    reference.configure(engine="vllm")
    flags = ("--pp", "40", "--tg", "4", "--concurrency", "3", "--stagger", "200ms", "--trials", "2")
    done = run_sparktune("bench", reference.base_url, *flags, *_QUIET)
    arrived = [record.origin_ns for record in _log(reference)]

    assert done.cell["name"] == "pp40 tg4 c3 stagger 0.2s"
    assert done.cell["shape"] == {"arrivals": {"stagger_s": 0.2, "rate_per_s": 0.0}}
    for number, raw in enumerate(_measured()):
        sent = [request.recording.send_start_ns for request in raw.requests]
        for place in range(3):
            assert sent[place] >= sent[0] + place * NS_PER_S // 5
            assert sent[place] <= arrived[3 * number + place]
        planned = [request.recording.planned_ns for request in raw.requests]
        assert planned == [None, sent[0] + NS_PER_S // 5, sent[0] + 2 * NS_PER_S // 5]
    metrics = done.cell["metrics"]
    # Whatever the machine adds is in the answers too: from its own send to its end, none took longer than that.
    took_s = [_longest_s(raw, lambda one: one.end_ns - one.send_start_ns) for raw in _measured()]
    assert metrics["ttft_max_s"]["max"] <= max(took_s)
    late_s = [
        _longest_s(raw, lambda one: one.send_start_ns - (one.planned_ns or one.send_start_ns)) for raw in _measured()
    ]
    assert metrics["send_error_s"]["median"] == pytest.approx(statistics.median(late_s))
    assert metrics["ttft_mean_s"]["median"] <= metrics["ttft_max_s"]["median"]


def _longest_s(raw: RawTrial, span_ns: Callable[[Recording], int]) -> float:
    return max(span_ns(request.recording) for request in raw.requests) / NS_PER_S


def _late_ns(recording: Recording) -> int:
    return recording.send_start_ns - (recording.planned_ns or recording.send_start_ns)


def test_random_arrivals_are_the_same_in_every_run_of_a_seed(reference: ReferenceProcess) -> None:
    """Two arms of an experiment are two runs: they must meet the same traffic."""
    reference.configure(engine="vllm")
    planned = []
    for seed in ("1", "1", "2"):
        flags = ("--pp", "40", "--tg", "2", "--concurrency", "4", "--arrival-rate", "40", "--trials", "2")
        run_sparktune("bench", reference.base_url, *flags, "--seed", seed, *_QUIET)
        planned.append([_offsets(raw) for raw in _measured()])

    assert planned[0] == planned[1] != planned[2]
    assert planned[0][0] != planned[0][1]


def _offsets(raw: RawTrial) -> list[int]:
    first_ns = raw.requests[0].recording.send_start_ns
    due = [request.recording.planned_ns for request in raw.requests[1:]]
    return [0 if instant is None else instant - first_ns for instant in due]


def test_a_household_against_the_write_log(reference: ReferenceProcess) -> None:
    """The long prompt comes while the third of four turns is written, and the per-agent numbers are the log's."""
    reference.configure(engine="vllm", prefix_cache=True, itl_ms=15.0, ttft_ms=60.0)
    reference.configure(**_COUNTS)
    done = run_sparktune("bench", reference.base_url, "--household", "0.1", "--trials", "1", *_QUIET)
    log = _log(reference)
    turns = [record for record in log if record.prompt_tokens < 400]
    (long,) = (record for record in log if record.prompt_tokens >= 400)

    assert [record.prompt_tokens for record in turns] == [102, 166, 230, 294]
    assert long.prompt_tokens == 819
    # Each turn finds in the cache what was sent before it, up to a block of 16; the long prompt finds nothing.
    assert [record.cached_tokens > 0 for record in turns] == [False, True, True, True]
    assert long.cached_tokens == 0
    for before, after in pairwise(turns):
        assert after.origin_ns >= before.before_ns[-1]
    assert turns[2].before_ns[0] < long.origin_ns < turns[2].before_ns[-1]
    metrics = done.cell["metrics"]
    waits = [record.receive_to_write_s for record in turns]
    assert metrics["turn_ttft_s"]["by_position"] == pytest.approx(waits, abs=0.05)
    assert metrics["long_ttft_s"]["median"] == pytest.approx(long.receive_to_write_s, abs=0.05)
    written = [at_ns for at_ns in turns[2].before_ns if long.origin_ns < at_ns <= long.before_ns[0]]
    window_s = (min(long.before_ns[0], turns[2].before_ns[-1]) - long.origin_ns) / NS_PER_S
    # One token more or less falls into the window: it is where packets are stamped that decides.
    assert metrics["decode_during_tok_s"]["median"] == pytest.approx(len(written) / window_s, abs=2 / window_s)
    assert metrics["decode_before_tok_s"]["median"] is not None
    unknown = {check["id"] for check in done.cell["checks"] if check["status"] == "unknown"}
    assert {"V01", "V02", "V03"} <= unknown
    assert done.cell["prompt_tokens"] is None
    assert "several lengths" in done.cell["why"]


def _own(folder: Path) -> Path:
    path = folder / "own.jsonl"
    lines = [{"prompt": f"question {number}: why?"} for number in range(3)]
    path.write_text("\n".join(map(json.dumps, [*lines, {"prompt": "a last, longer question", "output_tokens": 2}])))
    return path


def test_own_prompts_are_sent_as_they_are_by_as_many_streams(reference: ReferenceProcess, tmp_path: Path) -> None:
    reference.configure(engine="vllm")
    flags = ("--prompts", str(_own(tmp_path)), "--concurrency", "2", "--tg", "6", "--trials", "2")
    done = run_sparktune("bench", reference.base_url, *flags, *_QUIET)
    log = _log(reference)

    assert Counter(record.output_tokens for record in log) == {6: 6, 2: 2}
    assert max(record.inflight for record in log) == 2
    assert (done.cell["requests"], done.cell["concurrency"], done.cell["prompt_tokens"]) == (8, 2, None)
    one, two = ([request.prompt_sha256 for request in raw.requests] for raw in _measured())
    assert one == two
    assert len(set(one)) == 4
    assert {check["status"] for check in done.cell["checks"] if check["id"] in {"V01", "V02", "V03"}} == {"unknown"}


def test_a_nonce_makes_own_prompts_new_in_every_wave(reference: ReferenceProcess, tmp_path: Path) -> None:
    reference.configure(engine="vllm", prefix_cache=True)
    flags = ("--prompts", str(_own(tmp_path)), "--nonce", "--tg", "2", "--trials", "2")
    done = run_sparktune("bench", reference.base_url, *flags, *_QUIET)

    digests = Counter(request.prompt_sha256 for raw in _measured() for request in raw.requests)
    assert len(digests) == digests.total() == 8
    checks = {check["id"]: check["status"] for check in done.cell["checks"]}
    assert checks["V03"] == "ok"
    assert checks["V06"] == "ok"


def test_a_line_that_is_no_prompt_ends_before_anything_is_sent(reference: ReferenceProcess, tmp_path: Path) -> None:
    path = _own(tmp_path)
    path.write_text(path.read_text() + '\n{"prompt": 5}\n')
    done = run_sparktune("bench", reference.base_url, "--prompts", str(path), *_QUIET)

    assert done.code == 2
    assert f"{path} line 5: Expected str | null, got int" in " ".join(done.err.split())
    assert not reference.drain_log()


def test_own_prompts_and_a_corpus_exclude_each_other(reference: ReferenceProcess, tmp_path: Path) -> None:
    path = str(_own(tmp_path))
    done = run_sparktune("bench", reference.base_url, "--prompts", path, "--corpus", path, *_QUIET)

    assert done.code == 2
    assert "nothing to be cut from --corpus" in " ".join(done.err.split())


def test_a_run_of_own_prompts_goes_on_with_the_same_file_only(reference: ReferenceProcess, tmp_path: Path) -> None:
    """Killed with SIGKILL in its second wave; what had finished stays, and another file is refused."""
    path = _own(tmp_path)
    reference.configure(engine="vllm", ttft_ms=1.0, itl_ms=1.0)
    flags = ("--prompts", str(path), "--tg", "4", "--trials", "3", "--concurrency", "2", "--stagger", "10ms")
    reference.configure(stall_every=7)
    with start_sparktune("bench", reference.base_url, *flags, *_QUIET) as process:
        _await_first_wave(process)
        process.kill()
    reference.configure(stall_every=0)
    with Store.open() as store:
        run = store.newest_run()
    without = run_sparktune("bench", "--resume", run.id, *_QUIET[2:])
    done = run_sparktune("bench", "--resume", run.id, "--prompts", str(path), *_QUIET[2:])

    assert without.code == 2
    assert "name the same file: --prompts FILE" in " ".join(without.err.split())
    assert done.json["state"] == "done", done.err
    assert done.cell["trials"] == 3
    assert done.cell["name"].endswith("tg4 c2 stagger 0.01s")


def _await_first_wave(process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _LIMIT_S
    while True:
        assert time.monotonic() < until, "no wave was stored"
        assert process.poll() is None, process.communicate()
        with Store.open() as store:
            if any(row.waves >= 1 for row in store.list_runs(1)):
                return


def test_every_form_tells_which_cell_it_is_about(reference: ReferenceProcess, tmp_path: Path) -> None:
    """Two cells of the same four numbers are two rows, in every form and after reading them back."""
    reference.configure(engine="vllm")
    flags = ("--pp", "40", "--tg", "2", "--concurrency", "2", "--arrival-rate", "50", "--trials", "1")
    files = [tmp_path / f"out{suffix}" for suffix in (".json", ".csv", ".md")]
    saves = [argument for file in files for argument in ("--save", str(file))]
    run_sparktune("bench", reference.base_url, *flags, *_QUIET, *saves)
    texts = [file.read_text() for file in files]
    checked = run_sparktune("check", str(files[0]), "--json")

    assert all("poisson 50/s" in text for text in texts)
    assert texts[1].splitlines()[0].endswith(",cell")
    assert "poisson 50/s" in checked.out
