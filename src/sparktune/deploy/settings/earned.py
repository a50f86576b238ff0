"""Settings that experiments earned: entries of ``earned.yaml`` in the form in which files and processes have theirs."""

__all__ = ["earned_settings"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparktune.deploy.settings.environment import env_setting, with_environment
from sparktune.deploy.settings.normal import normal_form
from sparktune.deploy.settings.values import plain, word_of
from sparktune.model.document import Word
from sparktune.model.setting import Grammar, Layer, Origin, Setting


def earned_settings(entries: Sequence[Mapping[str, Any]], grammar: Grammar, place: str) -> tuple[Setting, ...]:
    """Return the settings of all entries of one service, of which later ones win.

    An entry's ``value`` is an arm of an experiment: ``command`` or ``flags``, ``env`` and ``keys``; what else a
    launcher sets with it is no setting of an engine. ``null`` is "not there". ``place`` is the file.
    """
    origin = Origin(layer=Layer.EARNED, place=place)
    found: dict[str, Setting] = {}
    for entry in entries:
        value = entry.get("value")
        if isinstance(value, Mapping):
            for setting in _settings(value, grammar, origin):
                found[setting.key] = setting
    return tuple(found.values())


def _settings(value: Mapping[str, Any], grammar: Grammar, origin: Origin) -> Iterator[Setting]:
    command, flags = value.get("command"), value.get("flags")
    words = [str(word) for word in command] if isinstance(command, list | tuple) else []
    named_flags = flags if isinstance(flags, Mapping) else {}
    words += [word for name, said in named_flags.items() if said is not None for word in _words(str(name), said)]
    normal = normal_form([Word(text=word, line=0) for word in words], grammar, origin=origin)
    gone = [Word(text=str(name), line=0) for name, said in named_flags.items() if said is None]
    yield from (_gone(one) for word in gone for one in normal_form([word], grammar, origin=origin).settings)
    variables = value.get("env")
    named = variables.items() if isinstance(variables, Mapping) else ()
    given = [env_setting(str(name), word_of(plain(said)), origin) for name, said in named if said is not None]
    twins = {option.variable: option.name for option in grammar.options if option.variable}
    for name in (str(name) for name, said in named if said is None):
        gone_one = _gone(env_setting(name, None, origin))
        yield replace(gone_one, key=twins.get(name, gone_one.key))
    yield from with_environment(normal, given, grammar).settings
    keys = value.get("keys")
    for name, said in keys.items() if isinstance(keys, Mapping) else ():
        key = Setting(key=f"key.{name}", value=plain(said), written=f"{name}={said}", origin=origin)
        yield _gone(key) if said is None else key


def _gone(setting: Setting) -> Setting:
    return replace(setting, value=None, absent=True)


def _words(name: str, said: Any) -> Iterator[str]:  # noqa: ANN401 - what a file has
    yield name
    if isinstance(said, list | tuple):
        yield from (word_of(plain(one)) for one in said)
    elif said is not True:
        yield word_of(plain(said))
