"""What each engine is sent: exactly the fields that it knows."""

import pytest

from sparktune.engines import all_engines, by_name
from sparktune.model.engine import Engine, JsonValue
from sparktune.model.options import SendOptions, Thinking

_USAGE: JsonValue = {"include_usage": True}
_CONTINUOUS: JsonValue = {"include_usage": True, "continuous_usage_stats": True}
_OFF: JsonValue = {"thinking": False, "enable_thinking": False}
_CHAT = (("system", "Be brief."), ("user", "Hi"))
_PLAIN = (("", "Once upon"),)


def _extras(name: str, *, cold: bool, **options: object) -> dict[str, JsonValue]:
    sent = SendOptions(model="m", **options)  # type: ignore[arg-type]  # the options under test
    return by_name(name).request_extras(sent, cold=cold, nonce="n-1", output_tokens=32)


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_cold_request_of_fixed_length(name: str) -> None:
    assert _extras(name, cold=True) == {
        "stream_options": _CONTINUOUS,
        "ignore_eos": True,
        "min_tokens": 32,
        "cache_salt": "n-1",
    }


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_request_on_a_loaded_context_keeps_the_cache(name: str) -> None:
    """A salt would make a context that was loaded before unreachable."""
    assert _extras(name, cold=False, fixed_length=False) == {"stream_options": _CONTINUOUS}


def test_llamacpp_is_told_whether_to_use_its_cache() -> None:
    cold = {"stream_options": _USAGE, "timings_per_token": True, "cache_prompt": False, "ignore_eos": True}

    assert _extras("llamacpp", cold=True) == cold
    assert _extras("llamacpp", cold=False) == cold | {"cache_prompt": True}


def test_a_natural_stop_asks_for_no_length() -> None:
    assert "ignore_eos" not in _extras("llamacpp", cold=True, fixed_length=False)


@pytest.mark.parametrize("name", ["vllm", "sglang", "llamacpp"])
def test_thinking_is_sent_in_both_spellings(name: str) -> None:
    """Templates read one or the other and ignore what they do not know."""
    off = _extras(name, cold=True, thinking=Thinking.OFF)
    on = _extras(name, cold=True, thinking=Thinking.ON)

    assert off["chat_template_kwargs"] == _OFF
    assert on["chat_template_kwargs"] == {"thinking": True, "enable_thinking": True}


def test_a_generic_server_gets_nothing_of_its_own() -> None:
    assert _extras("generic", cold=True, thinking=Thinking.OFF) == {"stream_options": _USAGE}


@pytest.mark.parametrize("engine", all_engines(), ids=lambda engine: engine.name)
def test_what_is_filled_in_is_not_kept(engine: Engine) -> None:
    """Two requests of one engine must not share a nonce."""
    options = SendOptions(model="m")

    first = engine.request_extras(options, cold=True, nonce="a", output_tokens=1)
    second = engine.request_extras(options, cold=True, nonce="b", output_tokens=2)

    assert first.get("cache_salt") in {None, "a"}
    assert second.get("cache_salt") in {None, "b"}


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_chat_is_tokenized_with_its_template(name: str) -> None:
    api = by_name(name).tokenize
    assert api is not None

    assert api.route(_CHAT) == "/tokenize"
    assert api.body("m", _CHAT, SendOptions(model="m", thinking=Thinking.OFF)) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "chat_template_kwargs": _OFF,
    }


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_plain_prompt_is_tokenized_as_it_is(name: str) -> None:
    api = by_name(name).tokenize
    assert api is not None

    assert api.route(_PLAIN) == "/tokenize"
    assert api.body("m", _PLAIN, SendOptions(model="m")) == {"model": "m", "prompt": "Once upon"}


def test_llamacpp_counts_chats_and_prompts_by_two_routes() -> None:
    api = by_name("llamacpp").tokenize
    assert api is not None

    assert api.route(_CHAT) == "/v1/chat/completions/input_tokens"
    assert api.route(_PLAIN) == "/tokenize"
    assert api.body("m", _PLAIN, SendOptions(model="m")) == {"content": "Once upon", "add_special": True}
    assert api.body("m", _CHAT, SendOptions(model="m")) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    }
