"""The score of a server for people and programs: what it proves stands first, and unknown is never 0."""

import json
from collections.abc import Sequence

import pytest
from tests.support.schemas import promised

from sparktune.bench.quality.ask import canary_body, reach_bodies, tool_body
from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.canary_prompts import CANARY
from sparktune.bench.quality.score import QualityScore, scored
from sparktune.engines import all_engines
from sparktune.model.engine import EngineFacts
from sparktune.model.options import SendOptions, Thinking
from sparktune.model.quality import CanaryAnswer, ItemResult, ItemState, Quality
from sparktune.report.quality import quality_json, quality_text

_VLLM = next(engine for engine in all_engines() if engine.name == "vllm")


def _items(
    wrong: int = 0, *, why: str = "no call, only text", state: ItemState = ItemState.FAIL
) -> tuple[ItemResult, ...]:
    return tuple(
        ItemResult(
            id=item.id,
            calls=bool(item.wanted),
            state=state if place < wrong else ItemState.PASS,
            why=why if place < wrong else "",
        )
        for place, item in enumerate(BATTERY)
    )


def _canary(text: str | None = "fine", garbled: str = "", why: str = "") -> tuple[CanaryAnswer, ...]:
    return tuple(CanaryAnswer(id=name, text=text, garbled=garbled, why=why) for name in CANARY)


def _score(*asked: Quality) -> QualityScore:
    return scored(asked, base_url="http://s:8000/v1", model="m", engine=EngineFacts(name="vllm", version="0.33"))


def _lines(*asked: Quality) -> Sequence[str]:
    return quality_text(_score(*asked)).splitlines()


def test_the_first_line_says_what_the_count_proves() -> None:
    lines = _lines(Quality(items=_items(2), canary=_canary()), Quality(canary=_canary()))
    assert lines[0] == "tool calls: 24/26 right, which proves 74.9 % or more (95.0 % interval 74.9 % to 99.1 %)"
    assert lines[1] == "  where a call is right: 20/22 [70.8 %, 98.9 %]"
    assert lines[2] == "  where none is: 4/4 [39.8 %, 100.0 %]"
    assert lines[3] == "  fail     one-function         a call at all: no call, only text"
    assert (
        "canary: not garbled 20/20 [83.2 %, 100.0 %]; answers of 2 askings are the same letter by letter in 100.0 %"
        in lines
    )


def test_none_right_proves_how_few_there_can_be() -> None:
    assert _lines(Quality(items=_items(26)))[0].startswith("tool calls: 0/26 right, which proves 13.2 % or less")


def test_a_server_without_tools_is_unknown_and_no_list_of_failures() -> None:
    why = "the server answers 400: no tools here"
    asked = Quality(items=_items(26, why=why, state=ItemState.UNKNOWN), unknown=why)
    assert _lines(asked)[0] == f"tool calls: UNKNOWN: {why}"
    assert len(_lines(asked)) == 2
    assert _score(asked).open
    told = promised("quality", quality_json(_score(asked)))
    assert told["tools"]["right"] is None
    assert told["tools"]["why"] == why


def test_answers_that_never_came_are_unknown() -> None:
    late = "s:8000 did not answer within 60 s"
    asked = Quality(items=_items(3, why=late, state=ItemState.UNKNOWN), canary=_canary(None, why=late))
    score, lines = _score(asked), _lines(asked)
    assert score.right is not None
    assert score.right.total == 23
    assert lines[0].startswith("tool calls: 23/23 right")
    assert f"canary: UNKNOWN: {late}" in lines
    assert score.open


def test_a_garbled_prompt_counts_once_however_often_it_was_asked() -> None:
    """Two askings of one prompt are no two prompts."""
    lines = _lines(Quality(canary=_canary()), Quality(canary=_canary("the \x1b[31m", garbled="loops")))
    assert lines[0].startswith("canary: not garbled 0/20 [0.0 %, 16.8 %]")
    assert "in 0.0 %" in lines[0]
    assert lines[1].startswith("  count: garbled, loops")
    assert "  and 14 more; --json has every answer" in lines
    assert "\x1b" not in "".join(lines)


def test_asked_once_says_nothing_of_repeating() -> None:
    assert "whether answers repeat is unknown" in _lines(Quality(canary=_canary()))[0]


def test_json_has_every_answer_and_nothing_that_was_not_asked() -> None:
    told = promised("quality", quality_json(_score(Quality(canary=_canary()), Quality(canary=_canary("other")))))
    assert told["tools"] == {"right": None, "calls": None, "restraint": None, "why": "not asked", "items": []}
    assert [len(asked) for asked in told["canary"]["askings"]] == [20, 20]
    assert told["canary"]["identical_share"] == 0.0


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_is_greedy_and_offers_its_tools(*, stream: bool) -> None:
    item = next(item for item in BATTERY if item.stream is stream and item.wanted)
    options = SendOptions(model="m", thinking=Thinking.OFF, extra_body='{"top_p": 0.5, "temperature": 2}')
    fields = json.loads(tool_body(item, options, _VLLM, 77))
    assert (fields["temperature"], fields["max_tokens"], fields["stream"]) == (0, 77, stream)
    assert fields["top_p"] == 0.5
    assert [tool["function"]["name"] for tool in fields["tools"]] == list(item.tools)
    assert fields["chat_template_kwargs"]["enable_thinking"] is False
    assert "ignore_eos" not in fields, "a fixed length would cut or stretch an answer"


def test_a_result_of_a_call_is_sent_with_its_call() -> None:
    item = next(item for item in BATTERY if item.id == "next-call")
    messages = json.loads(tool_body(item, SendOptions(model="m"), _VLLM, 64))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"]


def test_prompts_of_the_canary_and_of_counting_have_no_more_than_they_need() -> None:
    canary = json.loads(canary_body("count", SendOptions(model="m"), _VLLM))
    assert canary["messages"] == [{"role": "user", "content": CANARY["count"]}]
    assert "tools" not in canary
    with_tools, without = map(json.loads, reach_bodies(SendOptions(model="m"), _VLLM))
    assert {key for key in with_tools if key not in without} == {"tools", "tool_choice"}
    assert with_tools["max_tokens"] == 1
