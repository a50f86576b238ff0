"""Variables of a process -> settings: twins of options, and ``env.NAME`` for all others.

Source: llama.cpp b11434, ``common/arg.cpp``: the command line wins over a variable; a switch is on for ``on``,
``enabled``, ``true`` and ``1`` only; ``LLAMA_ARG_NO_X``, whatever it says, is no. vLLM 0.33.0: ``--api-key`` wins over
``VLLM_API_KEY``.
"""

__all__ = ["env_setting", "with_environment"]

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sparktune.deploy.settings.normal import Normal
from sparktune.deploy.settings.values import value_of
from sparktune.model.setting import Dropped, Grammar, Option, Origin, Setting, Value
from sparktune.redact import redact_value

_YES = frozenset(("on", "enabled", "true", "1"))
_NO = frozenset(("off", "disabled", "false", "0"))
_WINS = "the command line wins over a variable"


def env_setting(name: str, text: str | None, origin: Origin, part: str = "") -> Setting:
    """Return a variable as a setting; a secret in it is gone."""
    value = None if text is None else redact_value(name, text)
    written = name if text is None else f"{name}={value}"
    return Setting(key=f"env.{name}", value=value, written=written, origin=origin, part=part)


def with_environment(normal: Normal, variables: Iterable[Setting], grammar: Grammar | None) -> Normal:
    """Return settings of a command line with those of variables (``env.NAME``) beside them."""
    twins = {option.variable: option for option in grammar.options if option.variable} if grammar else {}
    given = {setting.key.split(".")[0]: setting for setting in reversed(normal.settings)}
    settings, dropped = list(normal.settings), list(normal.dropped)
    for variable in variables:
        twin = _twin(variable, twins, grammar)
        if twin is None:
            settings.append(variable)
        elif twin.key in given:
            dropped.append(Dropped(setting=twin, by=given[twin.key], why=_WINS))
        else:
            settings.append(twin)
    return Normal(settings=tuple(settings), dropped=tuple(dropped))


def _twin(variable: Setting, twins: Mapping[str, Option], grammar: Grammar | None) -> Setting | None:
    name = variable.key.removeprefix("env.")
    option, denied = twins.get(name), False
    if option is None and name.startswith("LLAMA_ARG_NO_"):
        option = twins.get(name.replace("LLAMA_ARG_NO_", "LLAMA_ARG_", 1))
        denied = option is not None and option.kind == "tristate"
    if option is None or grammar is None or not isinstance(variable.value, str):
        return None
    value: Value = False if denied else _value(option, variable.value, grammar)
    if option.kind == "tristate" and not isinstance(value, bool):
        return None
    if option.kind == "switch" and value is not True:
        return None
    return replace(variable, key=option.name, value=value)


def _value(option: Option, text: str, grammar: Grammar) -> Value:
    if option.kind in {"switch", "tristate"}:
        return True if text in _YES else False if text in _NO else text
    if option.kind in {"list", "ints"}:
        return (text,)
    return value_of(text, option.kind, grammar.suffixes, option.words)
