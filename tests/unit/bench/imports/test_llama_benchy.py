"""A llama-benchy report is read with its numbers as they are, and with what cannot be believed about them."""

import json
from typing import Any

import pytest

from sparktune.bench.imports.llama_benchy import BenchyRow, FlagKind, RowKind, read_llama_benchy
from sparktune.errors import UsageError


def _series(*values: float) -> dict[str, Any]:
    return {"mean": sum(values) / len(values), "std": 1.0, "values": list(values)}


def _report(*, caching: bool = False, **fields: Any) -> bytes:  # noqa: ANN401 - any field of the report
    item = {
        "concurrency": 1,
        "context_size": 0,
        "prompt_size": 512,
        "response_size": 32,
        "is_context_prefill_phase": False,
        **fields,
    }
    return json.dumps(
        {"version": "0.4.0", "model": "m", "prefix_caching_enabled": caching, "benchmarks": [item], "new_key": 1}
    ).encode()


def _rows(**fields: Any) -> tuple[BenchyRow, ...]:  # noqa: ANN401 - any field of the report
    return read_llama_benchy(_report(**fields), source="r.json").rows


def _kinds(row: BenchyRow) -> list[FlagKind]:
    return [flag.kind for flag in row.flags]


def test_one_benchmark_is_a_prefill_and_a_decode_row() -> None:
    prefill, decode = _rows(
        pp_throughput=_series(100, 104),
        tg_throughput=_series(10, 12, 14),
        tg_req_throughput=_series(5, 6),
        peak_throughput=_series(20),
        ttfr=_series(200),
        e2e_ttft=_series(250),
    )

    assert (prefill.name, prefill.kind, decode.name, decode.kind) == (
        "pp512 (c1)",
        RowKind.PREFILL,
        "tg32 (c1)",
        RowKind.DECODE,
    )
    assert prefill.first_response_s is not None
    assert prefill.first_response_s.values == (0.2,)
    assert prefill.ttft_s is not None
    assert prefill.ttft_s.median == 0.25
    assert (decode.rate_tok_s.median, decode.rate_tok_s.n, decode.rate_tok_s.sd, decode.rate_tok_s.stated_sd) == (
        12.0,
        3,
        2.0,
        1.0,
    )
    assert decode.stream_tok_s is not None
    assert decode.peak_tok_s is not None
    assert (prefill.peak_tok_s, decode.ttft_s) == (None, None)
    assert prefill.flags == decode.flags == ()


def test_loading_a_context_is_neither_prefill_nor_decode() -> None:
    """Its tokens per second would drown those of the measured requests."""
    rows = _rows(
        context_size=512,
        is_context_prefill_phase=True,
        pp_throughput=_series(9),
        tg_throughput=_series(5),
        caching=True,
    )

    assert [(row.name, row.kind) for row in rows] == [
        ("ctx_pp @ d512 (c1)", RowKind.CONTEXT_PREFILL),
        ("ctx_tg @ d512 (c1)", RowKind.CONTEXT_DECODE),
    ]
    assert [row.flags for row in rows] == [(), ()]


def test_a_series_without_values_is_no_row() -> None:
    assert _rows(pp_throughput=None, tg_throughput={"mean": 0, "std": 0, "values": []}) == ()


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"tg_throughput": _series(70, 71, 70)}, []),
        ({"tg_throughput": _series(58.1, 70.9, 71.4)}, [FlagKind.WARM_UP]),
        ({"tg_throughput": _series(70, 71), "peak_throughput": _series(14, 15)}, [FlagKind.PEAK_COUNTS_CHUNKS]),
        ({"tg_throughput": _series(70, 71), "peak_throughput": _series(72, 75)}, []),
        ({"tg_throughput": _series(70, 110)}, [FlagKind.UNSTABLE]),
        ({"tg_throughput": _series(0, 70)}, [FlagKind.UNSTABLE]),
        ({"tg_throughput": _series(0.5, 0.6)}, []),
        ({"pp_throughput": _series(70, 71), "context_size": 512, "caching": True}, [FlagKind.NOT_COLD]),
        ({"pp_throughput": _series(70, 71), "context_size": 512, "caching": False}, []),
        ({"pp_throughput": _series(70, 71), "context_size": 0, "caching": True}, []),
        ({"tg_throughput": _series(70, 71), "context_size": 512, "caching": True}, []),
    ],
    ids=[
        "nothing to say",
        "first value far below",
        "peak below mean",
        "peak above mean",
        "no one measurement",
        "a rate of 0",
        "slow is not unstable",
        "context loaded before",
        "context sent along",
        "no context",
        "decode does not care for the context",
    ],
)
def test_flags(fields: dict[str, Any], flags: list[FlagKind]) -> None:
    (row,) = _rows(**fields)

    assert _kinds(row) == flags
    assert all(flag.evidence for flag in row.flags)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"| model | test |", "r.json is no llama-benchy report: JSON is malformed"),
        (b'{"version": "0.4.0"}', "missing required field `model`"),
        (_report(concurrency="two"), "$.benchmarks[0].concurrency"),
        (b"[]", "Expected `object`, got `array`"),
        (b"", "r.json is no llama-benchy report"),
        (b"\xff\xfe", "r.json is no llama-benchy report"),
    ],
)
def test_another_file_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_llama_benchy(data, source="r.json")

    assert message in str(error.value)
    assert "--save-result" in error.value.hint
