"""A knob that is silently ignored would make a test of something else pass."""

import msgspec
import pytest

from sparktune.io.reference.knobs import Imitate, Knobs, Offer, changed, knobs_json


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"tpcx": 3}, "tpcx"),
        ({"tpc": 0}, "tpc"),
        ({"tpc": "3"}, "tpc"),
        ({"ttft_ms": -1}, "ttft_ms"),
        ({"itl_ms": 1e9}, "itl_ms"),
        ({"cached": -2}, "cached"),
        ({"models": []}, "models"),
        ({"models": [""]}, "models"),
        ({"fail_status": 200}, "fail_status"),
        ({"token_ids": "sometimes"}, "token_ids"),
        ({"tpc": 4, "spec_k": 2}, "spec_k"),
        ({"phase": "batch", "itl_ms": 0}, "phase"),
    ],
)
def test_bad_knob_is_refused_by_name(changes: dict[str, object], named: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=named):
        changed(Knobs(), changes)


def test_changes_keep_the_other_knobs() -> None:
    first = changed(Knobs(), {"ttft_ms": 5, "engine": "vllm"})

    assert changed(first, {"token_ids": "always"}) == Knobs(ttft_ms=5, engine=Imitate.VLLM, token_ids=Offer.ALWAYS)


def test_text_from_a_command_line_is_read() -> None:
    given = {"ttft_ms": "1.5", "tpc": "3", "prefix_cache": "true", "models": ["a", "b"]}

    assert changed(Knobs(), given, strict=False) == Knobs(ttft_ms=1.5, tpc=3, prefix_cache=True, models=("a", "b"))


def test_json_round_trip() -> None:
    knobs = Knobs(engine=Imitate.VLLM, usage_always=Offer.ASKED, models=("a",), itl_ms=2.5)

    assert msgspec.json.decode(knobs_json(knobs), type=Knobs) == knobs
