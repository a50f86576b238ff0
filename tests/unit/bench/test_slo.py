"""A misread objective would count the wrong requests as good."""

import pytest

from sparktune.bench.slo import parse_slo
from sparktune.errors import UsageError
from sparktune.model.options import Slo


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Slo()),
        ("ttft=2s", Slo(ttft_s=2.0)),
        ("ttft=1.5,tpot=50ms", Slo(ttft_s=1.5, tpot_s=0.05)),
        (" e2e = 30 s , ttft=.5s ", Slo(e2e_s=30.0, ttft_s=0.5)),
    ],
)
def test_reads(text: str, expected: Slo) -> None:
    assert parse_slo(text) == expected


@pytest.mark.parametrize(
    "text", ["ttft", "ttft=", "ttft=fast", "ttft=-1s", "ttft=0", "tokens=3", "ttft=1s,ttft=2s", "ttft=1h"]
)
def test_refuses_with_an_example(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_slo(text)

    assert "ttft=2s" in caught.value.hint
