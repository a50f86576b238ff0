"""Settings in an engine's log: what it echoes that it was asked for, and what it says that it runs with.

Sources: vLLM 0.8 to 0.33: ``non-default args: {...}`` and ``Initializing a V1 LLM engine (v...) with config: ...``;
SGLang 0.5.23: ``server_args=ServerArgs(...)`` and ``max_total_num_tokens=...``; llama.cpp b11434 and b11669:
``llama_context:``, ``llama_kv_cache:``, ``load_model:``. Numbers of source lines in them change with every release, so
only messages are matched. Graphs, memory and speed are results, and not read here.
"""

__all__ = ["ECHO_WORDS", "Echo", "EchoReader"]

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.normal import Normal, same_named, settings_of_map
from sparktune.deploy.settings.python_repr import members_of
from sparktune.model.setting import Layer, Origin, Setting, Value
from sparktune.redact import redact_text

_Read = Callable[[re.Match[str]], Mapping[str, Value]]

# How vLLM's engine names what its command line names otherwise
_VLLM_NAMES = {"max_seq_len": "max_model_len", "num_spec_tokens": "num_speculative_tokens", "model_tag": "model"}
_SGLANG_NAMES = {"max_total_num_tokens": "max_total_tokens", "context_len": "context_length"}
_MOST = 20_000  # characters of a line that are read


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """``asked``: what the engine was started with, as it understood it. ``resolved``: what it decided to run with.

    Both by key, the last of a log; ``version`` is "" where the log has none.
    """

    engine: str
    asked: tuple[Setting, ...]
    resolved: tuple[Setting, ...]
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A kind of line: ``asked`` is whether it repeats the command line, which a new start does anew."""

    engine: str
    pattern: re.Pattern[str]
    read: _Read
    asked: bool = False


class EchoReader:
    """Takes the lines of a log that is named ``place`` one by one; lines of no kind that is known are skipped."""

    def __init__(self, place: str, *, node: str | None = None) -> None:
        self._place, self._node = place, node
        self._asked: dict[str, Setting] = {}
        self._resolved: dict[str, Setting] = {}
        self.engine = self._version = ""

    def feed(self, line: str, number: int) -> None:
        """Look at one line, of which 20,000 characters are read."""
        for kind in _LINES:
            found = kind.pattern.search(line[:_MOST])
            if found is None:
                continue
            self.engine = self.engine or kind.engine
            self._version = found.groupdict().get("version") or self._version
            if kind.asked:
                self._asked, self._resolved = {}, {}
            layer = Layer.ECHOED if kind.asked else Layer.LIVE
            origin = Origin(layer=layer, place=self._place, line=number, node=self._node)
            into = self._asked if kind.asked else self._resolved
            for setting in _settings(kind.read(found), origin, redact_text(found[0][:200])):
                into[setting.key] = setting

    def echo(self) -> Echo:
        """Return what was read so far."""
        return Echo(
            engine=self.engine,
            asked=_named(self._asked, self.engine),
            resolved=_named(self._resolved, self.engine),
            version=self._version,
        )


def _named(settings: Mapping[str, Setting], engine: str) -> tuple[Setting, ...]:
    """Return settings with the keys that command lines have, the later one where a log has both."""
    grammar = grammar_of(engine)
    if grammar is None:
        return tuple(settings.values())
    kept = {key: one for key, one in settings.items() if grammar.same.get(key) not in settings}
    return same_named(Normal(settings=tuple(kept.values())), grammar).settings


def _settings(values: Mapping[str, Value], origin: Origin, line: str) -> Iterator[Setting]:
    for setting in settings_of_map(values, origin):
        yield setting if origin.layer is Layer.ECHOED else replace(setting, written=line)


def _vllm_asked(found: re.Match[str]) -> Mapping[str, Value]:
    values = members_of(found.string, found.end())
    if "model" in values:
        values.pop("model_tag", None)
    return _renamed(values, _VLLM_NAMES)


def _vllm_config(found: re.Match[str]) -> Mapping[str, Value]:
    values = _renamed(members_of(found.string, found.end()), _VLLM_NAMES)
    if "pass_config" in values:  # an excerpt, without the map that it is in
        values["compilation_config"] = {"pass_config": values.pop("pass_config")}
    return {name: value for name, value in values.items() if value is not None}


def _renamed(values: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    return {
        names.get(name, name): _renamed(value, names) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }


def _number(name: str) -> _Read:
    return lambda found: {name: int(found[1].replace(",", ""))}


def _fixed(name: str, value: Value) -> _Read:
    return lambda _: {name: value}


def _llama_context(found: re.Match[str]) -> Mapping[str, Value]:
    name = {
        "n_ctx": "ctx_size",
        "n_batch": "batch_size",
        "n_ubatch": "ubatch_size",
        "n_seq_max": "parallel",
        "flash_attn": "flash_attn",
        "kv_unified": "kv_unified",
        "n_ctx_seq": "n_ctx_slot",
    }.get(found[1])
    return {} if name is None else {name: _llama_value(name, found[2])}


def _llama_value(name: str, text: str) -> Value:
    if name == "flash_attn":
        return {"enabled": "on", "disabled": "off", "1": "on", "0": "off"}.get(text, text)
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.isdigit() else text


def _llama_slots(found: re.Match[str]) -> Mapping[str, Value]:
    values: dict[str, Value] = {"parallel": int(found[1]), "n_ctx_slot": int(found[2])}
    return values if found[3] is None else {**values, "kv_unified": found[3] == "true"}


def _llama_cache(found: re.Match[str]) -> Mapping[str, Value]:
    return {"cache_type_k": found[1], "cache_type_v": found[2]}


def _listening(found: re.Match[str]) -> Mapping[str, Value]:
    return {"host": found[1].strip("[]"), "port": int(found[2])}


def _line(engine: str, pattern: str, read: _Read, **more: Any) -> _Line:  # noqa: ANN401 - fields of _Line
    return _Line(engine=engine, pattern=re.compile(pattern), read=read, **more)


_LINES = (
    _line("vllm", r"\bnon-default args: (?=\{)", _vllm_asked, asked=True),
    _line("vllm", r"Initializing a V1 LLM engine(?: \(v(?P<version>[^)\s]+)\))? with config: ", _vllm_config),
    _line("vllm", r"Asynchronous scheduling is enabled", _fixed("async_scheduling", value=True)),
    _line("vllm", r"Asynchronous scheduling is disabled", _fixed("async_scheduling", value=False)),
    _line("vllm", r"Truncating max_cudagraph_capture_size to (\d+)", _number("max_cudagraph_capture_size")),
    _line(
        "vllm",
        r"Chunked prefill is enabled with max_num_batched_tokens=(\d+)",
        lambda found: {"enable_chunked_prefill": True, "max_num_batched_tokens": int(found[1])},
    ),
    _line(
        "sglang",
        r"\bserver_args=ServerArgs\(",
        lambda found: members_of(found.string.rstrip().removesuffix(")"), found.end()),
        asked=True,
    ),
    _line(
        "sglang",
        r"(?=\bmax_total_num_tokens=\d+, )",
        lambda found: {
            name: value
            for name, value in _renamed(members_of(found.string, found.end()), _SGLANG_NAMES).items()
            if name not in {"available_gpu_mem", "GB"}
        },
    ),
    _line("llamacpp", r"\bllama_context: (\w+) +(?:= )?= (\S+)", _llama_context),
    _line("llamacpp", r"initializing, n_slots = (\d+), n_ctx_slot = (\d+)(?:, kv_unified = '(\w+)')?", _llama_slots),
    _line("llamacpp", r"\bllama_kv_cache: size = .* K \((\w+)\): .* V \((\w+)\): ", _llama_cache),
    _line("llamacpp", r"load_model: loading model '([^']+)'", lambda found: {"model": found[1]}),
    _line("llamacpp", r"llama threadpool init, n_threads = (\d+)", _number("threads")),
    _line("llamacpp", r"llama_server: listening on https?://(\[[^\]]+\]|[^:/\s]+):(\d+)", _listening),
)

ECHO_WORDS = (
    "non-default args: ",
    "Initializing a V1 LLM engine",
    "Asynchronous scheduling is ",
    "Truncating max_cudagraph_capture_size to ",
    "Chunked prefill is enabled with max_num_batched_tokens=",
    "server_args=ServerArgs(",
    "max_total_num_tokens=",
    "llama_context: ",
    "initializing, n_slots = ",
    "llama_kv_cache: size = ",
    "load_model: loading model ",
    "llama threadpool init, n_threads = ",
    "llama_server: listening on http",
)
"""A line without one of these has nothing for an ``EchoReader``."""
