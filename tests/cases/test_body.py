"""The JSON that each engine gets, whole: a field too much can change what is measured."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.body import build_body, counting_body
from sparktune.engines import by_name
from sparktune.errors import UsageError
from sparktune.model.options import Api, SendOptions, Thinking

_CASES = Path(__file__).parent / "body"
_APIS = {"chat": Api.CHAT, "completions": Api.COMPLETIONS}


@pytest.mark.parametrize(("kind", "case"), yaml_cases(_CASES))
def test_body(kind: str, case: dict[str, Any]) -> None:
    options = _options(case.get("options", {}))
    engine = by_name(case["engine"])
    messages = tuple((role, content) for role, content in case.get("messages", [["user", "Hi"]]))
    if kind == "counting":
        body = counting_body(options, engine, messages)
    else:
        body = build_body(options, engine, messages, 32, cold=case["cold"], nonce="salt-1")

    assert msgspec.json.decode(body) == case["body"]


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("{", "no JSON object"),
        ("[1]", "it is list"),
        ("null", "it is NoneType"),
        ('{"max_tokens": 5}', "set max_tokens"),
        ('{"stream": false, "model": "x"}', "set model, stream"),
    ],
)
def test_extra_fields_that_cannot_be_sent(extra: str, words: str) -> None:
    """A length or a stream that is not the cell's would make its numbers lie."""
    with pytest.raises(UsageError, match=words) as caught:
        build_body(_options({"extra_body": extra}), by_name("generic"), (("user", "Hi"),), 1, cold=True, nonce="")

    assert caught.value.hint


def _options(fields: dict[str, Any]) -> SendOptions:
    known = dict(fields)
    if "api" in known:
        known["api"] = _APIS[known["api"]]
    if "thinking" in known:
        known["thinking"] = Thinking(known["thinking"])
    return SendOptions(model="m", **known)
