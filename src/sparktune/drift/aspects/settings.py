"""The settings of a service in four layers: as earned, as its files say them, as its log echoes them, as they are live.

Sources: proc(5): ``environ`` is what a process was started with, so a file that was edited since says nothing of it;
vLLM 0.33.0, ``engine/arg_utils.py`` and ``config``: what is asked for may be resolved to something else, and what is
not asked for has a default of that version and that machine.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sparktune.deploy.settings.earned import earned_settings
from sparktune.deploy.settings.grammars import grammar_of
from sparktune.drift.compare import same_value
from sparktune.drift.fallback import effective
from sparktune.drift.rows import absent_cell, cell, closed_cell, row_of
from sparktune.drift.status import Layers
from sparktune.model.drift import DriftAspect, DriftCell, DriftRow, DriftView, PartSeen
from sparktune.model.setting import Grammar, Setting
from sparktune.redact import MASK

_ID: Final = "settings"
_KEYS: Final = "key."
_ENV: Final = "env."
_NO_GRAMMAR: Final = Grammar(engine="", version="", commands=(), options=())
_UNSAID: Final = "not set"
_SAY_WHERE: Final = "say what starts it: launcher and where of the service in sparktune.yaml, or --launcher and --where"

_Earned = Mapping[str, Setting]


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    return tuple(row for part in view.parts for row in _rows_of(view, part, _earned(view, part)))


def _earned(view: DriftView, part: PartSeen) -> _Earned:
    """Return what was earned for a part: another engine than that of the first part has settings of its own."""
    if part.engine != view.parts[0].engine:
        return {}
    grammar = grammar_of(part.engine) or _NO_GRAMMAR
    settings = earned_settings(view.earned, grammar, _base(view.earned_file) or "earned.yaml")
    return {one.key: one for said in settings for one in _all_of(said, part)}


def _all_of(said: Setting, part: PartSeen) -> tuple[Setting, ...]:
    """Return a setting; one that is to be absent is so with all of its map's names that a file or a process has."""
    inside = dict.fromkeys(key for layer in (part.file, part.asked) for key in layer if key.startswith(f"{said.key}."))
    return tuple(replace(said, key=key) for key in inside) if said.absent and inside else (said,)


def _rows_of(view: DriftView, part: PartSeen, earned: _Earned) -> Iterator[DriftRow]:
    keys = dict.fromkeys((*earned, *part.file, *part.asked, *part.live))
    closed: dict[str, None] = {}
    for key in keys:
        if key.startswith(_KEYS) and key not in earned and key not in part.live:
            continue  # a key of the service, which no process has
        if key not in earned and (why := _closed(part, key)):
            closed[why] = None
        elif not _secret(key, part):
            yield _row(view, part, key, earned.get(key))
    if closed or (not keys and part.unread):
        yield _unreadable(part, closed or dict.fromkeys(part.unread.values()))


def _unreadable(part: PartSeen, whys: Mapping[str, None]) -> DriftRow:
    """Return one row for all settings that nobody earned and of which a layer could not be read."""
    layers = {name: closed_cell(why) if (why := part.unread.get(name)) else None for name in ("file", "live")}
    live = layers["live"] or (None if layers["file"] else closed_cell("; ".join(whys)))
    unsaid = layers["file"] is not None and not part.where and not part.files
    hint = _SAY_WHERE if unsaid else ""
    shown = Layers(file=layers["file"], live=live)
    return row_of("all other settings", part.node, _ID, shown, part=part.name, hint=hint)


def _closed(part: PartSeen, key: str) -> str:
    return part.unread.get("file", "") or ("" if key.startswith(_KEYS) else _unread(part, key))


def _row(view: DriftView, part: PartSeen, key: str, earned: Setting | None) -> DriftRow:
    file, undecided = _file(part, key)
    live, words = _live(part, key)
    layers = Layers(
        earned=None if earned is None else _cell(earned),
        file=file,
        echoed=_echoed(part, key),
        live=live,
        asked=_asked(part, key),
    )
    told = (undecided if earned is not None else "", words, _default(part, key, layers))
    return row_of(
        key,
        part.node,
        _ID,
        layers,
        _others(view, part, key),
        part=part.name,
        why="; ".join(filter(None, told)),
        survives=_survives(layers),
    )


def _file(part: PartSeen, key: str) -> tuple[DriftCell | None, str]:
    """Return what the files say; None, and why, where only the shell that starts the server knows it."""
    if why := part.unread.get("file"):
        return closed_cell(why), ""
    said = part.file.get(key)
    if said is None:
        return absent_cell(_UNSAID, part.files[0] if part.files else ""), ""
    if isinstance(said.value, str) and "$" in said.value and not key.startswith(_KEYS):
        return None, f"{_place(said)}: what {said.value} comes to is decided when the service starts"
    return _cell(said), ""


def _live(part: PartSeen, key: str) -> tuple[DriftCell | None, str]:
    """Return what is live, and in words what a malformed value counts as."""
    said = part.live.get(key)
    if said is None:
        if key.startswith(_KEYS):
            return None, ""
        if why := _unread(part, key):
            return closed_cell(why), ""
        return absent_cell(_UNSAID, _pid(part)), ""
    value, words = effective(key, said.value)
    if not words:
        return _cell(said), ""
    return cell(value, said.origin.place, text=f"{value} (from {said.value!r})", key=key), words


def _asked(part: PartSeen, key: str) -> DriftCell | None:
    """Return what the process was started with; None where that is what is live anyway."""
    if key.startswith(_KEYS):
        return None
    said = part.asked.get(key)
    if said is not None:
        return _cell(said)
    return closed_cell(why) if (why := _unread(part, key)) else absent_cell(_UNSAID, _pid(part))


def _echoed(part: PartSeen, key: str) -> DriftCell | None:
    if key.startswith((_KEYS, _ENV)):
        return None  # no log has these
    said = part.echoed.get(key)
    if said is not None:
        return _cell(said)
    if why := part.unread.get("echoed"):
        return closed_cell(why)
    return absent_cell(_UNSAID) if part.echoed else None


def _unread(part: PartSeen, key: str) -> str:
    """Return why it is not known what the process has of a setting, "" where it is known."""
    layer = "environ" if key.startswith(_ENV) else "live"
    return part.unread.get(layer) or part.unread.get("live") or ("" if part.pid else "nothing serves")


def _others(view: DriftView, part: PartSeen, key: str) -> dict[str, DriftCell | None]:
    """Return what processes of the same engine on other nodes were started with."""
    return {
        one.node: _asked(one, key)
        for one in view.parts
        if one.node != part.node and one.engine == part.engine and one.pid
    }


def _default(part: PartSeen, key: str, layers: Layers) -> str:
    """Say that an engine decided itself what no file says, where it could be told to do otherwise."""
    grammar = grammar_of(part.engine)
    option = next((one for one in grammar.options if one.name == key), None) if grammar else None
    unsaid = key not in part.file and key not in part.asked and not part.unread.get("file")
    if option is None or option.kind != "tristate" or not unsaid or layers.live is None or key not in part.live:
        return ""
    is_on = part.live[key].value is True
    other = f"--no-{option.flag.removeprefix('--')}" if is_on else option.flag
    way = "on" if is_on else "off"
    return f"no file sets it, and the engine turned it {way} by itself; {other} would change that"


def _survives(layers: Layers) -> bool | None:
    """Tell whether the live value comes back when the service is started anew from its files."""
    file, asked = layers.file, layers.asked
    if file is None or asked is None or "unreadable" in {file.state.value, asked.state.value}:
        return None
    return file.state is asked.state and (file.value is None or same_value("", file.value, asked.value))


def _cell(said: Setting) -> DriftCell:
    if said.absent:
        return absent_cell(_UNSAID, _place(said))
    return cell(said.value, _place(said), key=said.key)


def _place(said: Setting) -> str:
    return f"{said.origin.place}:{said.origin.line}" if said.origin.line else said.origin.place


def _pid(part: PartSeen) -> str:
    return f"pid {part.pid} of {part.node}" if part.pid else ""


def _secret(key: str, part: PartSeen) -> bool:
    """Tell whether a setting is, or holds, a secret: it is hidden on both sides, and compares to nothing."""
    return any(
        key in layer and MASK in str(layer[key].value) for layer in (part.file, part.live, part.asked, part.echoed)
    )


def _base(path: str) -> str:
    return path.rpartition("/")[2]


ASPECT = DriftAspect(
    id=_ID,
    title="settings of the service: earned, in its files, echoed by its log, live",
    why="A value that was measured and kept is worth nothing while a file, or a process that is older than it, says "
    "another; two nodes that differ in one fail late and far from the cause.",
    source="proc(5); https://docs.vllm.ai/en/latest/configuration/engine_args/",
    rows=_rows,
)
