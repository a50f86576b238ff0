"""What is kept of whole logs: starts, facts, messages, and how many of those that repeat."""

import pytest
from tests.support.scanned import at, known, read, unknown
from tests.support.shared import shared

pytestmark = pytest.mark.usefixtures("own_messages")


def test_facts_events_and_settings_of_a_boot() -> None:
    log = read(
        "(APIServer pid=1) INFO 11-14 14:26:10 [utils.py:233] non-default args: {'max_num_seqs': 8}\n"
        "(EngineCore pid=9) INFO 11-14 14:26:16 [kv.py:1] GPU KV cache size: 463,136 tokens\n"
        "(Worker_TP0 pid=10) WARNING 11-14 14:26:17 [w.py:1] SymmMem 12 is not supported\n"
        "(Worker_TP1 pid=11) WARNING 11-14 14:26:18 [w.py:1] SymmMem 13 is not supported\n"
    )
    assert (log.engine, log.starts, log.lines, log.node) == ("vllm", 1, 4, "spark1")
    assert (log.first_s, log.last_s) == (at("2026-11-14T14:26:10"), at("2026-11-14T14:26:18"))
    fact = log.fact("kv_pool_tokens")
    assert fact is not None
    assert (fact.value, fact.line.number, fact.line.process) == (463136, 2, "EngineCore")
    assert [(setting.key, setting.value) for setting in log.asked] == [("max_num_seqs", 8)]
    assert known(log) == [("harmless", 3, 2, 1)]
    assert (log.events[0].told, log.events[0].last.number) == ("told 12", 4)


def test_facts_are_those_of_the_last_start_and_events_of_all() -> None:
    start = "(APIServer pid=1) INFO 11-14 14:2{0}:10 [utils.py:233] non-default args: {{'max_num_seqs': {0}}}\n"
    log = read(
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
    assert known(log) == [("memory-short", 3, 1, 1), ("memory-short", 5, 1, 2)]
    assert [event.first.time_s for event in log.events] == [at("2026-11-14T14:21:10"), at("2026-11-14T14:22:10")]


def test_several_api_servers_are_one_start() -> None:
    line = "({} pid=1) INFO 11-14 14:21:10 [utils.py:233] non-default args: {{'max_num_seqs': 8}}\n"
    assert read(line.format("ApiServer_0") + line.format("ApiServer_1")).starts == 1


def test_the_banner_and_the_arguments_after_it_are_one_start() -> None:
    banner = "INFO 11-14 14:21:10 [utils.py:2] █▀ █  version 0.19.0\n"
    arguments = "INFO 11-14 14:21:10 [utils.py:2] non-default args: {'max_num_seqs': 8}\n"
    assert read(banner + arguments).starts == 1
    assert read(2 * (banner + arguments)).starts == 2


def test_containers_in_one_log_start_on_their_own() -> None:
    start = "non-default args: {'max_num_seqs': 8}"
    log = read(
        f"head-1    | {start}\nhead-1    | KV cache size: 7 tokens\n"
        f"worker-1  | {start}\nworker-1  | KV cache size: 8 tokens\nworker-1  | Free memory low\n"
        f"worker-1  | {start}\nhead-1    | Free memory low\n"
    )
    assert log.starts == 2
    assert [fact.value for fact in log.all_of("kv_pool_tokens")] == [7]
    assert known(log) == [("memory-short", 5, 1, 1), ("memory-short", 7, 1, 2)]


def test_what_is_not_kept_is_counted() -> None:
    words = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400)]
    log = read("".join(f"ERROR 11-14 14:26:16 [a.py:1] {word} failed\n" for word in words))
    assert (len(log.events), log.more_events) == (300, 100)


def test_of_very_many_starts_the_first_and_the_last_events_stay() -> None:
    log = read("non-default args: {'max_num_seqs': 8}\nFree memory low\n" * 1000)
    starts = [event.start for event in log.events]
    assert (log.starts, len(starts), log.more_events) == (1000, 600, 400)
    assert (starts[0], starts[1], starts[-1]) == (1, 402, 1000)


def test_signatures_of_another_engine_do_not_explain() -> None:
    text = "ERROR 11-14 14:26:16 [a.py:1] watchdog timeout\n"
    assert known(read(text)) == [("sglang-only", 1, 1, 1)]
    log = read(f"KV cache size: 7 tokens\n{text}")
    assert (known(log), unknown(log)) == ([], [("watchdog timeout", 2, 1)])


def test_the_first_and_the_last_of_what_a_server_repeats() -> None:
    log = read("".join(f"Avg generation throughput: {n}.5 tokens/s\n" for n in range(5000)))
    values = [fact.value for fact in log.all_of("generation_tok_s")]
    assert values == [n + 0.5 for n in (*range(100), *range(4600, 5000))]
    assert log.more_facts > 0


def test_a_flood_of_one_message_is_counted_to_the_last_line() -> None:
    line = "(Worker pid=1) WARNING 11-14 14:{}:{:02d} [a.py:1] {} Broken pipe {}\n"
    log = read("".join(line.format(26 + n // 1000, n % 60, n, "x") for n in range(5000)) + "Broken pipe y\n")
    assert known(log) == [("peer-gone", 1, 5001, 1)]
    flood = read("".join(line.format(26 + n // 1000, n % 60, n, "x") for n in range(5000)))
    last = flood.events[0].last
    assert (last.text, last.number, last.process, last.time_s) == (
        "4999 Broken pipe x",
        5000,
        "Worker",
        at("2026-11-14T14:30:19"),
    )


def test_a_pattern_that_wants_digits_is_asked_in_a_flood_too() -> None:
    log = read("".join(f"WARNING: SymmMem {n if n % 2 or n < 3000 else ''} no\n" for n in range(6000)))
    assert known(log) == [("harmless", 1, 4500, 1)]


def test_what_is_put_off_is_forgotten_with_its_start() -> None:
    speeds = "".join(f"Avg generation throughput: {n}.5 tokens/s\n" for n in range(2000))
    start = "non-default args: {'max_num_seqs': 8}\n"
    log = read(f"{start}{speeds}{start}Avg generation throughput: 7.5 tokens/s\n")
    assert [fact.value for fact in log.all_of("generation_tok_s")] == [7.5]


def test_secrets_are_not_kept() -> None:
    log = read("ERROR 11-14 14:26:16 [a.py:1] no: --api-key verysecret\nValueError: Free memory token=verysecret\n")
    assert len(log.events) == 2
    assert "verysecret" not in repr(log)


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
    log = read(shared(file).read_text())
    assert (log.engine, len(log.asked), unknown(log)) == (engine, asked, [])


def test_the_first_cause_of_a_real_failure_is_found_among_the_loud_lines() -> None:
    folder = "cases/09-root-error-buried-under-nccl-noise"
    assert known(read(shared(f"{folder}/head_rank0.log").read_text())) == [("memory-short", 2, 1, 1)]
    assert known(read(shared(f"{folder}/other_ranks.log").read_text()))[0] == ("peer-gone", 1, 18, 1)


def test_a_real_exception_without_a_traceback_is_an_error() -> None:
    log = read(shared("cases/34-restart-order-and-exit-code-3/head.log").read_text())
    assert [text.partition(":")[0] for text, _, _ in unknown(log)] == ["EngineDeadError"]
