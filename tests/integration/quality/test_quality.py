"""``sparktune quality`` against servers that answer well, refuse tools, ignore them, or do not answer."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support.chat_server import Chat, chat_server, chunk, completion
from tests.support.cli import Finished, run_sparktune

_KEY = "sk-test-0123456789abcdef"


def _plain(fields: Mapping[str, Any]) -> tuple[int, object]:
    """Answer in words, from a template that has tools in it."""
    if fields["stream"]:
        return 200, chunk("A lemon is yellow.")
    return 200, completion("A plain answer in words.", prompt_tokens=90 if "tools" in fields else 9)


def _ignoring(fields: Mapping[str, Any]) -> tuple[int, object]:
    """Leave tools out of the prompt without a word."""
    return 200, chunk("Yes.") if fields["stream"] else completion("A plain answer.")


def _refusing(fields: Mapping[str, Any]) -> tuple[int, object]:
    words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    return (400, {"error": {"message": words}}) if "tools" in fields else (200, completion("A plain answer."))


def _quality(chat: Chat, *flags: str, key: str = "") -> tuple[Finished, dict[str, Any]]:
    with chat_server(chat, key=key) as url:
        finished = run_sparktune("quality", url, "--json", "--quiet", *flags)
    return finished, json.loads(finished.out) if finished.out else {}


def test_a_server_that_answers_in_words_calls_nothing() -> None:
    """Tools reach the model and it does not call: that is 0 of all, not unknown."""
    finished, told = _quality(_plain, "--only", "tools")
    assert finished.code == 0, finished.err
    assert (told["tools"]["calls"]["count"], told["tools"]["calls"]["total"]) == (0, 22)
    assert told["tools"]["calls"]["high"] == pytest.approx(0.154, abs=0.001)
    states = {item["id"]: (item["state"], item["why"]) for item in told["tools"]["items"]}
    assert states["one-function"] == ("fail", "no call, only text")
    assert states["no-call-word"] == ("pass", "")
    assert told["canary"]["whole"] is None
    assert told["canary"]["why"] == "not asked"


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        (_refusing, '400: "auto" tool choice requires --enable-auto-tool-choice'),
        (_ignoring, "never reach the model: its prompt has 9 tokens with them and without them"),
    ],
)
def test_a_server_without_tools_is_unknown_in_its_own_words(chat: Chat, words: str) -> None:
    finished, told = _quality(chat)
    assert finished.code == 5, finished.err
    assert told["tools"]["right"] is None
    assert words in told["tools"]["why"]
    assert {item["state"] for item in told["tools"]["items"]} == {"unknown"}
    assert told["canary"]["whole"]["count"] == 20
    assert told["canary"]["identical_share"] == 1.0


def test_one_question_that_the_server_cannot_read_is_wrong_and_the_rest_is_judged() -> None:
    """llama.cpp answers 500 when a model's call cannot be parsed."""

    def chat(fields: Mapping[str, Any]) -> tuple[int, object]:
        broken = "Lima" in str(fields["messages"])
        return (500, {"error": {"message": "Failed to parse input at pos 12"}}) if broken else _plain(fields)

    finished, told = _quality(chat, "--only", "tools")
    assert finished.code == 0, finished.err
    (broken,) = [item for item in told["tools"]["items"] if item["id"] == "parallel-same"]
    assert broken["state"] == "fail"
    assert broken["why"] == "the server answers 500: Failed to parse input at pos 12"


def test_answers_that_change_and_look_broken_are_told() -> None:
    seen: list[object] = []

    def chat(fields: Mapping[str, Any]) -> tuple[int, object]:
        seen.append(fields)
        half = len(seen) > 20
        return 200, completion("the " * 40 if half else "A plain answer.")

    with chat_server(chat) as url:
        finished = run_sparktune("quality", url, "--only", "canary", "--quiet")
    assert finished.code == 0, finished.err
    assert "canary: not garbled 0/20" in finished.out
    assert "the same letter by letter in 0.0 %" in " ".join(finished.out.split())
    assert "'the' follows itself 40 times" in finished.out
    assert "It does not prove quality" in " ".join(finished.out.split())
    assert all(fields["temperature"] == 0 for fields in seen)  # type: ignore[index]


def test_time_is_bounded_and_what_was_not_asked_is_unknown() -> None:
    finished, told = _quality(_plain, "--only", "tools", "--limit", "1", "--answer-tokens", "3")
    assert finished.code in {0, 5}  # a quick machine asks all of it within a second
    assert told["took_s"] < 30


def test_the_key_is_sent_and_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_API_KEY", _KEY)
    finished, told = _quality(_plain, "--only", "tools", key=_KEY)
    assert finished.code == 0, finished.err
    assert told["tools"]["right"]["total"] == 26
    assert _KEY not in finished.out + finished.err


def test_without_the_key_the_server_cannot_be_asked() -> None:
    finished, told = _quality(_plain, key=_KEY)
    assert finished.code == 1
    assert not told
    assert "wants an API key" in finished.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--only", "speed"), "neither tools nor canary"),
        (("--thinking", "hard"), "none of server, on, off"),
        (("--extra-body", "[]"), "no JSON object"),
    ],
)
def test_a_mistake_of_the_command_line_is_told(flags: tuple[str, ...], words: str) -> None:
    finished, _ = _quality(_plain, *flags)
    assert finished.code == 2, finished.err
    assert words in finished.err
