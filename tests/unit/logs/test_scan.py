"""Whole logs: what is kept of them, whatever the pieces in which they come."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.log_texts import scan_text
from tests.support.shared import shared

from sparktune.logs import scan
from sparktune.logs.scan import LogScan
from sparktune.model.finding import Severity
from sparktune.model.log import LogFact, LogLine, LogReader, LogRole, LogSignature, ReadLog

_REFERENCE_S = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
_POOL = re.compile(r"KV cache size: ([\d,]+) tokens")
_SPEED = re.compile(r"generation throughput: ([\d.]+)")


def _pool(line: LogLine) -> Iterable[LogFact]:
    found = _POOL.search(line.text)
    if found is not None:
        yield LogFact(key="kv_pool_tokens", value=int(found[1].replace(",", "")), line=line)


def _speed(line: LogLine) -> Iterable[LogFact]:
    found = _SPEED.search(line.text)
    if found is not None:
        yield LogFact(key="generation_tok_s", value=float(found[1]), line=line)


def _signature(name: str, pattern: str, role: LogRole = LogRole.ROOT, *engines: str) -> LogSignature:
    return LogSignature(
        id=name,
        title=name,
        role=role,
        severity=Severity.ERROR,
        words=(pattern.split("(", maxsplit=1)[0],),
        pattern=re.compile(pattern),
        source="this test",
        engines=engines,
        explain=lambda found: f"told {found[found.re.groups]}",
    )


_READERS = (
    LogReader(engine="vllm", words=("KV cache size",), read=_pool),
    LogReader(engine="vllm", words=("throughput",), read=_speed),
)
_SIGNATURES = (
    _signature("memory-short", r"Free memory (\S+)"),
    _signature("peer-gone", r"Broken pipe", LogRole.SECONDARY),
    _signature("harmless", r"SymmMem (\d+)", LogRole.BENIGN),
    _signature("sglang-only", r"watchdog timeout", LogRole.ROOT, "sglang"),
)


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with readers and signatures of this file, so that no real one decides what is expected here."""
    monkeypatch.setattr(scan, "all_readers", lambda: _READERS)
    monkeypatch.setattr(scan, "all_signatures", lambda: _SIGNATURES)


def _read(text: str) -> ReadLog:
    return scan_text(text, "boot.log", "spark1", reference_s=_REFERENCE_S)


def _known(log: ReadLog) -> list[tuple[str, int, int, int]]:
    return [
        (event.signature.id, event.first.number, event.count, event.start) for event in log.events if event.signature
    ]


def _unknown(log: ReadLog) -> list[tuple[str, int, int]]:
    return [(event.first.text, event.first.number, event.count) for event in log.events if event.signature is None]


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_facts_events_and_settings_of_a_boot() -> None:
    log = _read(
        "(APIServer pid=1) INFO 11-14 14:26:10 [utils.py:233] non-default args: {'max_num_seqs': 8}\n"
        "(EngineCore pid=9) INFO 11-14 14:26:16 [kv.py:1] GPU KV cache size: 463,136 tokens\n"
        "(Worker_TP0 pid=10) WARNING 11-14 14:26:17 [w.py:1] SymmMem 12 is not supported\n"
        "(Worker_TP1 pid=11) WARNING 11-14 14:26:18 [w.py:1] SymmMem 13 is not supported\n"
    )
    assert (log.engine, log.starts, log.lines, log.node) == ("vllm", 1, 4, "spark1")
    assert (log.first_s, log.last_s) == (_at("2026-11-14T14:26:10"), _at("2026-11-14T14:26:18"))
    fact = log.fact("kv_pool_tokens")
    assert fact is not None
    assert (fact.value, fact.line.number, fact.line.process) == (463136, 2, "EngineCore")
    assert [(setting.key, setting.value) for setting in log.asked] == [("max_num_seqs", 8)]
    assert _known(log) == [("harmless", 3, 2, 1)]
    assert (log.events[0].told, log.events[0].last.number) == ("told 12", 4)


def test_facts_are_those_of_the_last_start_and_events_of_all() -> None:
    start = "(APIServer pid=1) INFO 11-14 14:2{0}:10 [utils.py:233] non-default args: {{'max_num_seqs': {0}}}\n"
    log = _read(
        start.format(1)
        + "GPU KV cache size: 1 tokens\nValueError: Free memory low\n"
        + start.format(2)
        + "ValueError: Free memory lower\n"
        + start.format(3)
        + "GPU KV cache size: 3 tokens\n"
    )
    assert log.starts == 3
    assert [fact.value for fact in log.all_of("kv_pool_tokens")] == [3]
    assert [setting.value for setting in log.asked] == [3]
    assert _known(log) == [("memory-short", 3, 1, 1), ("memory-short", 5, 1, 2)]
    assert [event.first.time_s for event in log.events] == [_at("2026-11-14T14:21:10"), _at("2026-11-14T14:22:10")]


def test_several_api_servers_are_one_start() -> None:
    line = "({} pid=1) INFO 11-14 14:21:10 [utils.py:233] non-default args: {{'max_num_seqs': 8}}\n"
    assert _read(line.format("ApiServer_0") + line.format("ApiServer_1")).starts == 1


def test_the_banner_and_the_arguments_after_it_are_one_start() -> None:
    banner = "INFO 11-14 14:21:10 [utils.py:2] █▀ █  version 0.19.0\n"
    arguments = "INFO 11-14 14:21:10 [utils.py:2] non-default args: {'max_num_seqs': 8}\n"
    assert _read(banner + arguments).starts == 1
    assert _read(2 * (banner + arguments)).starts == 2


def test_containers_in_one_log_start_on_their_own() -> None:
    start = "non-default args: {'max_num_seqs': 8}"
    log = _read(
        f"head-1    | {start}\nhead-1    | KV cache size: 7 tokens\n"
        f"worker-1  | {start}\nworker-1  | KV cache size: 8 tokens\nworker-1  | Free memory low\n"
        f"worker-1  | {start}\nhead-1    | Free memory low\n"
    )
    assert log.starts == 2
    assert [fact.value for fact in log.all_of("kv_pool_tokens")] == [7]
    assert _known(log) == [("memory-short", 5, 1, 1), ("memory-short", 7, 1, 2)]


def test_a_traceback_is_one_event() -> None:
    log = _read(
        "before\nTraceback (most recent call last):\n"
        '  File "/a.py", line 1, in f\n    raise ValueError("Free memory")\n'
        '  File "/b.py", line 2, in g\n    raise KeyError\n'
        "KeyError: 'boom'\nafter\n"
    )
    assert _unknown(log) == [("KeyError: 'boom'", 7, 1)]
    assert [line.text for line in log.events[0].around] == ['  File "/b.py", line 2, in g', "KeyError: 'boom'", "after"]
    assert _known(log) == [], "source code in a traceback says nothing of this failure"


def test_tracebacks_of_two_processes_mixed_with_each_other() -> None:
    first, second = "(Worker_TP0 pid=1) ", "(Worker_TP1 pid=2) "
    log = _read(
        f"{first}Traceback (most recent call last):\n{second}Traceback (most recent call last):\n"
        f'{first}  File "/a.py", line 1, in f\n{second}  File "/b.py", line 1, in g\n'
        f"{second}ValueError: Free memory low\n{first}KeyError: 1\n"
    )
    assert _known(log) == [("memory-short", 5, 1, 1)]
    assert _unknown(log) == [("KeyError: 1", 6, 1)]


def test_a_message_of_several_lines_with_a_traceback_is_one_event() -> None:
    prefix = "(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] "
    log = _read(
        f"{prefix}EngineCore failed to start.\n{prefix}Traceback (most recent call last):\n"
        f'{prefix}  File "/a.py", line 1, in f\n{prefix}    f()\n{prefix}RuntimeError: boom\n{prefix}Last error:\n'
    )
    assert _unknown(log) == [("RuntimeError: boom", 5, 1)]


def test_a_header_before_a_traceback_without_a_prefix_says_nothing_of_its_own() -> None:
    log = _read(
        "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n"
        '  File "/a.py", line 1, in f\nKeyError: 1\nERROR:    Exception in ASGI application\n'
    )
    assert [text for text, _, _ in _unknown(log)] == ["KeyError: 1", "Exception in ASGI application"]


def test_a_group_of_exceptions_ends_with_its_own_lines() -> None:
    log = _read(
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/a.py", line 1, in f\n  | ExceptionGroup: two (2 sub-exceptions)\n'
        "  +-+---------------- 1 ----------------\n    | ValueError: 1\n    +------------------------------------\n"
        "ERROR:    boom\n"
    )
    assert [text for text, _, _ in _unknown(log)][-1] == "boom"


def test_words_of_others_in_a_traceback_do_not_end_it() -> None:
    log = _read(
        "Traceback (most recent call last):\nloading weights\nfrom disk: fast\n"
        '  File "/a.py", line 1, in f\nmy.own.Failure: 1\nafter: x\n'
    )
    assert [text for text, _, _ in _unknown(log)] == ["my.own.Failure: 1"]


def test_errors_of_one_place_in_one_second_stay_apart() -> None:
    prefix = "ERROR 11-14 14:26:16 [core.py:842] "
    assert _unknown(_read(f"{prefix}one is gone\n{prefix}  more of it\n{prefix}another one is late\n")) == [
        ("one is gone", 1, 1),
        ("another one is late", 3, 1),
    ]


def test_both_tracebacks_of_a_chain_are_told_the_cause_first() -> None:
    frame = 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n'
    log = _read(
        f"{frame}KeyError: 1\n\nThe above exception was the direct cause of the following exception:\n\n"
        f"{frame}RuntimeError: 2\n"
    )
    assert [text for text, _, _ in _unknown(log)] == ["KeyError: 1", "RuntimeError: 2"]


def test_a_traceback_without_an_end_hides_nothing_that_follows() -> None:
    log = _read(
        "Traceback (most recent call last):\n" + "\n".join(f"INFO:     {n}" for n in range(500)) + "\nKeyError: 1"
    )
    assert [text for text, _, _ in _unknown(log)] == ["KeyError: 1"]


def test_equal_errors_are_one_event_with_a_count() -> None:
    log = _read("".join(f"ERROR 11-14 14:26:{n:02d} [a.py:1] request {n} failed\n" for n in range(50)))
    assert _unknown(log) == [("request 0 failed", 1, 50)]
    assert log.events[0].last.text == "request 49 failed"


def test_what_is_not_kept_is_counted() -> None:
    words = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400)]
    log = _read("".join(f"ERROR 11-14 14:26:16 [a.py:1] {word} failed\n" for word in words))
    assert (len(log.events), log.more_events) == (300, 100)


def test_of_very_many_starts_the_first_and_the_last_events_stay() -> None:
    log = _read("non-default args: {'max_num_seqs': 8}\nFree memory low\n" * 1000)
    starts = [event.start for event in log.events]
    assert (log.starts, len(starts), log.more_events) == (1000, 600, 400)
    assert (starts[0], starts[1], starts[-1]) == (1, 402, 1000)


def test_signatures_of_another_engine_do_not_explain() -> None:
    text = "ERROR 11-14 14:26:16 [a.py:1] watchdog timeout\n"
    assert _known(_read(text)) == [("sglang-only", 1, 1, 1)]
    log = _read(f"KV cache size: 7 tokens\n{text}")
    assert (_known(log), _unknown(log)) == ([], [("watchdog timeout", 2, 1)])


def test_the_first_and_the_last_of_what_a_server_repeats() -> None:
    log = _read("".join(f"Avg generation throughput: {n}.5 tokens/s\n" for n in range(5000)))
    values = [fact.value for fact in log.all_of("generation_tok_s")]
    assert values == [n + 0.5 for n in (*range(100), *range(4600, 5000))]
    assert log.more_facts > 0


def test_a_flood_of_one_message_is_counted_to_the_last_line() -> None:
    line = "(Worker pid=1) WARNING 11-14 14:{}:{:02d} [a.py:1] {} Broken pipe {}\n"
    log = _read("".join(line.format(26 + n // 1000, n % 60, n, "x") for n in range(5000)) + "Broken pipe y\n")
    assert _known(log) == [("peer-gone", 1, 5001, 1)]
    flood = _read("".join(line.format(26 + n // 1000, n % 60, n, "x") for n in range(5000)))
    last = flood.events[0].last
    assert (last.text, last.number, last.process, last.time_s) == (
        "4999 Broken pipe x",
        5000,
        "Worker",
        _at("2026-11-14T14:30:19"),
    )


def test_a_pattern_that_wants_digits_is_asked_in_a_flood_too() -> None:
    log = _read("".join(f"WARNING: SymmMem {n if n % 2 or n < 3000 else ''} no\n" for n in range(6000)))
    assert _known(log) == [("harmless", 1, 4500, 1)]


def test_what_is_put_off_is_forgotten_with_its_start() -> None:
    speeds = "".join(f"Avg generation throughput: {n}.5 tokens/s\n" for n in range(2000))
    start = "non-default args: {'max_num_seqs': 8}\n"
    log = _read(f"{start}{speeds}{start}Avg generation throughput: 7.5 tokens/s\n")
    assert [fact.value for fact in log.all_of("generation_tok_s")] == [7.5]


def test_secrets_are_not_kept() -> None:
    log = _read("ERROR 11-14 14:26:16 [a.py:1] no: --api-key verysecret\nValueError: Free memory token=verysecret\n")
    assert len(log.events) == 2
    assert "verysecret" not in repr(log)


def test_a_line_without_a_time_has_that_of_the_line_before() -> None:
    log = _read("INFO 11-14 14:26:16 [a.py:1] hello\nplain\nBroken pipe\n")
    assert log.events[0].first.time_s == _at("2026-11-14T14:26:16")


def test_no_time_where_none_is_told() -> None:
    assert _read("Broken pipe\nINFO 11-14 14:26:16 [a.py:1] hello\n").events[0].first.time_s is None
    assert scan_text("INFO 11-14 14:26:16 [a.py:1] Broken pipe\n", "x").events[0].first.time_s is None


def test_the_year_is_that_of_other_lines() -> None:
    log = scan_text("2025-11-14T14:26:10Z started\nINFO 11-14 14:26:16 [a.py:1] Broken pipe\nERROR:  boom\n", "x")
    assert log.events[0].first.time_s == _at("2025-11-14T14:26:16")


def test_around_new_year_each_line_has_its_own() -> None:
    log = scan_text(
        "INFO 12-31 23:59:59 [a.py:1] Broken pipe\nINFO 01-01 00:00:01 [a.py:1] Free memory low\n",
        "x",
        reference_s=_at("2027-01-01T00:00:10"),
    )
    assert [event.first.time_s for event in log.events] == [_at("2026-12-31T23:59:59"), _at("2027-01-01T00:00:01")]


def test_the_zone_of_the_engine_is_learnt_from_lines_with_both_stamps() -> None:
    log = _read(
        "2026-11-14T13:26:16.5Z INFO 11-14 14:26:16 [a.py:1] Broken pipe\n"
        "INFO 11-14 14:26:20 [a.py:1] Free memory low\n"
    )
    assert [event.first.time_s for event in log.events] == [_at("2026-11-14T13:26:16.5"), _at("2026-11-14T13:26:20")]


def test_neighbours_that_come_in_other_pieces() -> None:
    reader = LogScan("x")
    for piece in (b"before\n", b"ERROR 11-14 14:26:16 [a.py:1] boom\n", b"af", b"ter\n"):
        reader.feed(piece)
    assert [line.text for line in reader.result().events[0].around] == ["before", "boom", "after"]


def test_words_within_json_and_colours_are_found() -> None:
    for text in ("\x1b[31mERROR\x1b[0m:  Broken \x1b[1mpipe", json.dumps({"log": 'ERROR:  "x" Broken pipe\n'})):
        assert _known(_read(f"{text}\n")) == [("peer-gone", 1, 1, 1)]


def test_a_very_long_line_and_its_last_state() -> None:
    bar = b"".join(b"Loading: %d%%|\r" % (n % 100) for n in range(100_000)) + b"Broken pipe"
    for size in (1000, 100_000, len(bar)):
        reader = LogScan("x")
        for at in range(0, len(bar), size):
            reader.feed(bar[at : at + size])
        log = reader.result()
        assert (log.lines, _known(log)) == (1, [("peer-gone", 1, 1, 1)])


def test_the_result_stays_the_same() -> None:
    reader = LogScan("x")
    reader.feed(b"Broken pipe")
    assert reader.result() is reader.result()


def test_an_empty_log() -> None:
    log = scan_text("", "x")
    assert (log.lines, log.events, log.facts, log.first_s) == (0, (), (), None)


_LINES = st.sampled_from(
    (
        b"ERROR 11-14 14:26:16 [a.py:1] boom\n",
        b"(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] Traceback (most recent call last):\n",
        b'(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842]   File "/a.py", line 1, in f\n',
        b"(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] ValueError: Free memory low\n",
        b"Traceback (most recent call last):\n",
        b"    f()\n",
        b"KeyError: 'x'\r\n",
        b"Loading: 10%|\rLoading: 20%|\rBroken pipe\n",
        b"\x1b[31mBroken pipe\x1b[0m\n",
        b"non-default args: {'max_num_seqs': 8}\n",
        b'{"log":"KV cache size: 7 tokens\\n","time":"2026-11-14T14:26:16Z"}\n',
        b"Avg generation throughput: 7.5 tokens/s\n",
        b"2026-11-14 14:26:17,250 - x - INFO - plain\n",
        b"plain\n",
        b"\n",
    )
)
_LOGS = st.lists(st.one_of(_LINES, _LINES, _LINES, st.binary(max_size=40)), max_size=40).map(b"".join)


@given(_LOGS, st.lists(st.integers(min_value=0, max_value=400), max_size=6))
@example(b"\x1b[", [1])
def test_where_it_is_cut_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    whole, parts = LogScan("x", reference_s=_REFERENCE_S), LogScan("x", reference_s=_REFERENCE_S)
    whole.feed(data)
    for piece in _pieces(data, cuts):
        parts.feed(piece)
    assert parts.result() == whole.result()


def _pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = [0, *sorted(cuts), len(data)]
    yield from (data[begin:end] for begin, end in pairwise(places) if begin < len(data))


@given(st.binary(max_size=2000))
def test_any_bytes_are_read(data: bytes) -> None:
    reader = LogScan("x")
    reader.feed(data)
    log = reader.result()
    assert log.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    json.dumps([event.first.text for event in log.events]).encode("utf-8")


@pytest.mark.parametrize(
    ("file", "engine", "asked"),
    [
        ("samples/engines/vllm-boot-0.1x-0.2x.log", "vllm", 8),
        ("samples/engines/vllm-boot-0.28+.log", "vllm", 0),
        ("samples/engines/sglang-lines.log", "sglang", 0),
        ("samples/engines/llamacpp-lines.log", "llamacpp", 0),
        ("cases/19-real-vllm-boot-log-2node/boot.log", "vllm", 33),
        ("cases/21-flag-accepted-then-resolved-away/boot.log", "vllm", 1),
    ],
)
def test_real_logs_have_their_engine_and_settings_and_no_error(file: str, engine: str, asked: int) -> None:
    log = _read(shared(file).read_text())
    assert (log.engine, len(log.asked), _unknown(log)) == (engine, asked, [])


def test_the_first_cause_of_a_real_failure_is_found_among_the_loud_lines() -> None:
    folder = "cases/09-root-error-buried-under-nccl-noise"
    assert _known(_read(shared(f"{folder}/head_rank0.log").read_text())) == [("memory-short", 2, 1, 1)]
    assert _known(_read(shared(f"{folder}/other_ranks.log").read_text()))[0] == ("peer-gone", 1, 18, 1)


def test_a_real_exception_without_a_traceback_is_an_error() -> None:
    log = _read(shared("cases/34-restart-order-and-exit-code-3/head.log").read_text())
    assert [text.partition(":")[0] for text, _, _ in _unknown(log)] == ["EngineDeadError"]
