"""Whatever a server sends, decoding ends with a timeline: a traceback would cost the user the whole run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.decode_cases import load_cases
from tests.support.recordings import HEAD, chunked, event, recording, split_at

from sparktune.bench.decode import decode
from sparktune.bench.exposition import parse_exposition
from sparktune.engines import all_engines, detect
from sparktune.model.engine import Answer, Engine
from sparktune.model.recording import End
from sparktune.model.timeline import FailureType, Timeline

_BODIES = [case.recorded().data for case in load_cases()]
_CUTS = st.lists(st.integers(min_value=0, max_value=5_000), max_size=10)
_ENDS = st.sampled_from(list(End))
_ENGINES = st.sampled_from(all_engines())
_KEYS = st.sampled_from(
    [
        "choices",
        "delta",
        "usage",
        "timings",
        "metrics",
        "error",
        "message",
        "detail",
        "object",
        "content",
        "finish_reason",
    ]
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
_JSON = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=12
)

_SIZES = st.integers(min_value=-(2**70), max_value=2**70) | st.integers(min_value=0, max_value=9) | st.none()
_DELTAS = st.dictionaries(
    st.sampled_from(["content", "role", "reasoning", "tool_calls", "function_call", "thoughts"]), _JSON, max_size=3
)
_CHUNKS = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "delta": _DELTAS,
                    "text": st.text(max_size=3),
                    "finish_reason": st.sampled_from([None, "stop", "abort"]),
                    "token_ids": st.lists(st.integers(min_value=-1, max_value=2**63), max_size=3),
                },
            ),
            max_size=2,
        ),
        "usage": st.fixed_dictionaries({}, optional={"completion_tokens": _SIZES, "prompt_tokens_details": _JSON}),
        "timings": st.fixed_dictionaries({}, optional={"predicted_n": _SIZES, "prompt_n": _SIZES, "cache_n": _SIZES}),
        "metrics": _JSON,
    },
)


def _decode(data: bytes, cuts: list[int], end: End, engine: Engine) -> Timeline:
    reads = split_at(data, cuts)
    recorded = recording(list(enumerate(reads, start=1)), end=end)
    return decode(recorded, engine, output_tokens_asked=3, fixed_length=True, first_tokens=1)


def _holds_together(timeline: Timeline) -> None:
    assert list(timeline.output_ns) == sorted(timeline.output_ns)
    if timeline.output_tokens is not None:
        assert len(timeline.output_tokens) == len(timeline.output_ns)
        assert min(timeline.output_tokens, default=0) >= 0
    assert timeline.failure is None or "\n" not in timeline.failure.detail


@given(data=st.binary(max_size=400), cuts=_CUTS, end=_ENDS, engine=_ENGINES)
def test_any_bytes_make_a_timeline(data: bytes, cuts: list[int], end: End, engine: Engine) -> None:
    _holds_together(_decode(data, cuts, end, engine))


@given(body=st.binary(max_size=400), cuts=_CUTS, engine=_ENGINES)
def test_any_body_makes_a_timeline(body: bytes, cuts: list[int], engine: Engine) -> None:
    data = HEAD + b"".join(chunked([body]))

    _holds_together(_decode(data, cuts, End.COMPLETE, engine))


@given(values=st.lists(_JSON, max_size=4), cuts=_CUTS, engine=_ENGINES)
def test_any_json_makes_a_timeline(values: list[Any], cuts: list[int], engine: Engine) -> None:
    """Keys of the wire with values of any shape."""
    data = HEAD + b"".join(chunked(event(value) for value in values))

    _holds_together(_decode(data, cuts, End.COMPLETE, engine))


@given(chunks=st.lists(_CHUNKS, max_size=5), cuts=_CUTS, engine=_ENGINES)
def test_any_chunks_make_a_timeline(chunks: list[Any], cuts: list[int], engine: Engine) -> None:
    """The shapes of the wire with absurd counts: negative, beyond 64 bits, falling, missing here and there."""
    data = HEAD + b"".join(chunked([*map(event, chunks), event("[DONE]")]))

    _holds_together(_decode(data, cuts, End.COMPLETE, engine))


@given(data=st.data(), cuts=_CUTS, end=_ENDS, engine=_ENGINES)
def test_a_damaged_stream_makes_a_timeline(data: st.DataObject, cuts: list[int], end: End, engine: Engine) -> None:
    whole = data.draw(st.sampled_from(_BODIES))
    start = data.draw(st.integers(min_value=0, max_value=len(whole)))
    length = data.draw(st.integers(min_value=0, max_value=30))
    damaged = whole[:start] + data.draw(st.binary(max_size=6)) + whole[start + length :]

    _holds_together(_decode(damaged, cuts, end, engine))


@pytest.mark.parametrize("depth", [100, 300, 450, 500, 700, 900, 950, 990])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"text":', "}")], ids=["lists", "objects"])
@pytest.mark.parametrize("place", ['"choices":[{"delta":{"content":%s}}]', '"choices":[],"error":%s', '"error":%s'])
def test_json_just_within_what_can_be_read_is_no_trap(depth: int, opens: str, closes: str, place: str) -> None:
    """What the parser takes must not be too deep for whoever walks through it afterwards."""
    chunk = "{" + place % (opens * depth + '"a"' + closes * depth) + "}"
    data = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {chunk}\n\n".encode()

    _holds_together(_decode(data, [], End.CLOSED, all_engines()[0]))


@pytest.mark.parametrize("deep", ['{"error":' * 3000 + "1" + "}" * 3000, "[" * 100_000], ids=["closed", "open"])
def test_bottomless_json_is_a_failure(deep: str) -> None:
    """A parser that recurses must not take the run with it."""
    timeline = _decode(HEAD + b"".join(chunked([event(deep)])), [], End.COMPLETE, all_engines()[0])

    assert timeline.failure is not None
    assert timeline.failure.type is FailureType.STREAM_ERROR


@given(text=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_text_parses_as_an_exposition(text: bytes) -> None:
    samples = parse_exposition(text)

    assert len(samples) <= len(text.decode("utf-8", "replace").splitlines())
    assert all(sample.name and isinstance(sample.value, float) for sample in samples)


@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(("vllm:", "sglang:", "llamacpp:")),
            st.sampled_from(
                ("prompt_tokens_total", "spec_decode_num_accepted_tokens_per_pos_total", "cache_config_info")
            ),
            st.sampled_from(("position", "engine", "block_size", "num_gpu_blocks")),
            st.sampled_from(("0", "99999999999999999999", "-1", "٣", "None", "")),
            st.sampled_from(("1", "NaN", "+Inf", "-5", "1e400")),
        ),
        max_size=6,
    ),
    answers=st.dictionaries(
        st.sampled_from(("/version", "/v1/models", "/props", "/server_info", "/get_server_info")),
        _JSON.map(json.dumps).map(str.encode) | st.binary(max_size=40),
    ),
)
def test_any_answers_are_recognised_as_something(
    lines: list[tuple[str, str, str, str, str]], answers: dict[str, bytes]
) -> None:
    exposition = "".join(f'{p}{name}{{{label}="{value}"}} {number}\n' for p, name, label, value, number in lines)
    asked = {path: Answer(status=200, body=body) for path, body in answers.items()}
    asked["/metrics"] = Answer(status=200, body=exposition.encode())
    samples = parse_exposition(exposition.encode())

    engine, facts = detect(asked)

    assert facts.name == engine.name
    for each in all_engines():
        each.counters(samples, {})
        each.gauges(samples, 1)
