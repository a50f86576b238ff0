"""Every stream in ``tests/cases/decode`` decodes to what is written beside it."""

import pytest
from tests.support.decode_cases import DecodeCase, load_cases

from sparktune.bench.decode import decode
from sparktune.model.timeline import CountMethod, FailureType, ServerTimings, Timeline, Usage

_NS_PER_MS = 1_000_000


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_stream_decodes_to_the_truth(case: DecodeCase) -> None:
    timeline = decode(
        case.recorded(),
        case.engine,
        output_tokens_asked=case.asked,
        fixed_length=case.fixed,
        first_tokens=case.first_tokens,
    )

    assert _told(timeline) == _expected(case)


def _told(timeline: Timeline) -> dict[str, object]:
    failure = timeline.failure
    return {
        "status": timeline.status,
        "method": timeline.count_method,
        "output_ms": [at / _NS_PER_MS for at in timeline.output_ns],
        "tokens": None if timeline.output_tokens is None else list(timeline.output_tokens),
        "first_tokens": timeline.first_tokens,
        "visible_ms": None if timeline.visible_ns is None else timeline.visible_ns / _NS_PER_MS,
        "usage": timeline.usage,
        "timings": timeline.timings,
        "finish": timeline.finish_reason,
        "first_text": timeline.first_text,
        "fingerprint": timeline.fingerprint,
        "unknown_fields": list(timeline.unknown_fields),
        "notes": list(timeline.notes),
        "failure": failure.type if failure else None,
        "detail": failure.detail if failure else None,
    }


def _expected(case: DecodeCase) -> dict[str, object]:
    said = case.expect
    tokens = said.get("tokens")
    return {
        "status": said.get("status", 200),
        "method": CountMethod(said["method"]),
        "output_ms": said["output_ms"],
        "tokens": tokens,
        "first_tokens": said.get("first_tokens", tokens[0] if tokens else None),
        "visible_ms": said.get("visible_ms"),
        "usage": Usage(**said.get("usage", {})),
        "timings": ServerTimings(**said["timings"]) if "timings" in said else None,
        "finish": said.get("finish"),
        "first_text": said.get("first_text", ""),
        "fingerprint": said.get("fingerprint"),
        "unknown_fields": said.get("unknown_fields", []),
        "notes": said.get("notes", []),
        "failure": FailureType(said["failure"]) if "failure" in said else None,
        "detail": said.get("detail"),
    }
