"""``sparktune.yaml``: nodes, services and workloads, found upward from a folder; everything also works without it."""

__all__ = ["CONFIG_NAME", "Config", "NodeConfig", "ServiceConfig", "WorkloadConfig", "find_config", "load_config"]

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from sparktune.bench.corpus import Corpus
from sparktune.errors import UsageError
from sparktune.io.config_text import ConfigText, read_config_text
from sparktune.io.http.address import parse_address
from sparktune.io.workload_cells import HouseholdConfig, ReplayFile, WorkloadShape, shape_cells
from sparktune.model.cell import Cell

CONFIG_NAME = "sparktune.yaml"

_Some = Annotated[tuple[Annotated[int, msgspec.Meta(ge=1)], ...], msgspec.Meta(min_length=1)]
_SomeOrNone = Annotated[tuple[Annotated[int, msgspec.Meta(ge=0)], ...], msgspec.Meta(min_length=1)]
_EXAMPLES: Final = {
    "services": "write it like {spark: {endpoint: http://localhost:8000/v1, api_key_env: MY_KEY}}",
    "workloads": "write it like {short: {prompt_tokens: [512, 2048], output_tokens: 128, concurrency: [1, 4]}}",
    "where": "write it like launcher: compose, where: [{node: spark1, file: /srv/vllm/compose.yaml, service: vllm}]",
    "nodes": "write it like [spark1, {name: spark2, host: me@10.0.0.2}]",
}
_LISTS: Final = ("prompt_tokens", "output_tokens", "depth", "concurrency")
_AT: Final = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP: Final = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]")


class NodeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A node: what it is called here, and what ssh calls it (the same unless ``host`` says otherwise)."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    host: Annotated[str, msgspec.Meta(min_length=1)] | None = None


class ServiceConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server: where it is, which of its models is meant, and where its API key comes from (never the key itself).

    ``launcher`` and ``where`` say what starts it, as in an experiment file; ``pins`` what it is to be: ``image`` a
    digest, ``revision`` a commit of the model.
    """

    endpoint: str
    model: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    launcher: str | None = None
    where: tuple[dict[str, Any], ...] = ()
    pins: dict[Literal["image", "revision"], str] = {}


class WorkloadConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cells as lists, of which every combination is measured, fields as in ``model.cell.Cell``; or a mix.

    ``stagger`` (a time) or ``arrival_rate`` (per second) say how the streams of a wave arrive. ``prompts`` is a file of
    own prompts, ``nonce`` puts one in front of each; ``household`` are two agents; ``replay`` is a trace, of which
    ``limit`` requests are sent, their times multiplied by ``time_scale``.
    """

    prompt_tokens: _Some | None = None
    output_tokens: _Some | None = None
    depth: _SomeOrNone = (0,)
    concurrency: _Some = (1,)
    trials: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    stagger: str | Annotated[float, msgspec.Meta(ge=0)] = ""
    arrival_rate: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    household: HouseholdConfig | None = None
    prompts: str | None = None
    nonce: bool = False
    replay: str | None = None
    time_scale: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 1.0
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None


_Item = TypeVar("_Item", ServiceConfig, WorkloadConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A file that was read; ``path`` says which. ``guard`` are limits of guards by name, checked, as written."""

    path: Path
    nodes: tuple[NodeConfig, ...] = ()
    services: Mapping[str, ServiceConfig] = field(default_factory=dict)
    workloads: Mapping[str, WorkloadConfig] = field(default_factory=dict)
    default_service: str | None = None
    guard: Mapping[str, Any] = field(default_factory=dict)

    def service(self, name: str | None = None) -> ServiceConfig:
        """Return the service of that name, else the default one, else the only one. Raises UsageError."""
        wanted = name or self.default_service
        if wanted is None and len(self.services) == 1:
            return next(iter(self.services.values()))
        if wanted is None:
            message = f"{self.path} names {len(self.services)} services and no default_service"
            raise UsageError(message, hint=f"choose one of: {', '.join(self.services) or 'none yet'}")
        return self._named(self.services, "service", wanted)

    def workload(self, name: str) -> WorkloadConfig:
        """Return the workload of that name. Raises UsageError."""
        return self._named(self.workloads, "workload", name)

    def cells(self, name: str) -> tuple[tuple[Cell, ...], Corpus | None]:
        """Return the cells of a workload, and the corpus of its own prompts; a relative path counts from this file.

        Raises UsageError.
        """
        workload = self.workload(name)
        written = {key: value for key in _LISTS if (value := getattr(workload, key)) is not None}
        usual = {"depth": (0,), "concurrency": (1,)}
        prompts = workload.prompts
        try:
            return shape_cells(
                WorkloadShape(
                    **written,
                    stagger=workload.stagger,
                    arrival_rate=workload.arrival_rate,
                    household=workload.household,
                    prompts=self.path.parent / Path(prompts).expanduser() if prompts else None,
                    nonce=workload.nonce,
                    replay=self._replay(workload),
                    lists=frozenset(key for key, value in written.items() if usual.get(key) != value),
                )
            )
        except UsageError as error:
            message = f"{self.path}, workload {name}: {error}"
            raise UsageError(message, hint=error.hint) from None

    def _replay(self, workload: WorkloadConfig) -> ReplayFile | None:
        if not workload.replay:
            return None
        path = self.path.parent / Path(workload.replay).expanduser()
        return ReplayFile(path=path, time_scale=workload.time_scale, limit=workload.limit)

    def key_file(self, service: ServiceConfig) -> Path | None:
        """Return where the service's API key is; a relative path counts from the file that names it."""
        if service.api_key_file is None:
            return None
        return self.path.parent / Path(service.api_key_file).expanduser()

    def _named(self, items: Mapping[str, _Item], kind: str, name: str) -> _Item:
        if name not in items:
            message = f"{self.path} has no {kind} {name!r}"
            raise UsageError(message, hint=_nearest(name, items))
        return items[name]


def find_config(folder: Path) -> Path | None:
    """Return the ``sparktune.yaml`` of the folder or of the nearest one above it.

    Raises UsageError when the folder is gone.
    """
    try:
        here = folder.resolve()
    except OSError as error:
        message = f"the folder to look for {CONFIG_NAME} in cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="change to a folder that exists") from error
    return next((path for at in (here, *here.parents) if (path := at / CONFIG_NAME).is_file()), None)


def load_config(path: Path) -> Config:
    """Read a file. Raises UsageError with file, line and key for whatever is wrong in it."""
    text = read_config_text(path)
    root = text.mapping(())
    _refuse_unknown(text, (), root, ("nodes", "services", "default_service", "workloads", "guard"))
    services = _section(text, "services", ServiceConfig)
    for name, service in services.items():
        try:
            parse_address(service.endpoint)
        except UsageError as error:
            raise text.error(("services", name, "endpoint"), str(error), hint=error.hint) from None
        _check_where(text, name, service)
    default = root.get("default_service")
    if default is not None and not (isinstance(default, str) and default in services):
        known = _nearest(str(default), services)
        raise text.error(("default_service",), f"there is no service {default!r}", hint=known)
    return Config(
        path=path,
        nodes=_nodes(text, root.get("nodes")),
        services=services,
        workloads=_section(text, "workloads", WorkloadConfig),
        default_service=default,
        guard=_guard(text),
    )


def _check_where(text: ConfigText, name: str, service: ServiceConfig) -> None:
    """Refuse what the service's launcher would refuse; what only reading it knows is left aside."""
    if service.launcher is None:
        if service.where:
            raise text.error(("services", name, "where"), "where goes with launcher", hint=_EXAMPLES["where"])
        return
    # Few files name a launcher, and these are large.
    from sparktune.deploy.launchers import all_launchers  # noqa: PLC0415
    from sparktune.io.drift.layout import EXTRA_KEYS  # noqa: PLC0415
    from sparktune.model.launcher import ArmSpec  # noqa: PLC0415

    known = {one.id: one for one in all_launchers()}
    if service.launcher not in known:
        message = f"there is no launcher {service.launcher!r}"
        raise text.error(("services", name, "launcher"), message, hint=_nearest(service.launcher, tuple(known)))
    if not service.where:
        return
    where = tuple({key: value for key, value in one.items() if key not in EXTRA_KEYS} for one in service.where)
    try:
        known[service.launcher].check(ArmSpec(arms={"A": {}}, where=where))
    except ValueError as error:
        raise text.error(("services", name, "where"), str(error), hint=_EXAMPLES["where"]) from None


def _guard(text: ConfigText) -> Mapping[str, Any]:
    limits = text.mapping(("guard",))
    if limits:
        # What it checks with is large, and few files have limits.
        from sparktune.io.experiment_guard import protection_of  # noqa: PLC0415

        protection_of(limits, lambda where, message, hint: text.error(where, message, hint=hint))
    return limits


def _nodes(text: ConfigText, values: object) -> tuple[NodeConfig, ...]:
    if values is None:
        return ()
    if not isinstance(values, list):
        raise text.error(("nodes",), "a list of nodes is wanted here", hint=_EXAMPLES["nodes"])
    nodes: list[NodeConfig] = []
    for place, value in enumerate(values):
        where = ("nodes", place)
        if isinstance(value, dict):
            _refuse_unknown(text, where, value, ("name", "host"))
        try:
            node = msgspec.convert({"name": value} if isinstance(value, str) else value, NodeConfig)
        except msgspec.ValidationError as error:
            raise _located(text, where, str(error)) from None
        text.refuse_odd(where, node.name)
        if any(node.name == other.name for other in nodes):
            raise text.error(where, f"the name {node.name!r} is taken already", hint="give every node its own name")
        nodes.append(node)
    return tuple(nodes)


def _section(text: ConfigText, name: str, kind: type[_Item]) -> dict[str, _Item]:
    fields = tuple(item.name for item in msgspec.structs.fields(kind))
    items: dict[str, _Item] = {}
    for key in text.mapping((name,)):
        where = (name, key)
        values = text.mapping(where)
        _refuse_unknown(text, where, values, fields)
        try:
            # A list of one may be written as a number.
            items[key] = msgspec.convert({one: _listed(kind, one, value) for one, value in values.items()}, kind)
            _refuse_shapeless(text, where, values)
        except msgspec.ValidationError as error:
            raise _located(text, where, str(error)) from None
    return items


def _listed(kind: type[_Item], name: str, value: object) -> object:
    alone = isinstance(value, int) and kind is WorkloadConfig and name in _LISTS
    return [value] if alone else value


def _refuse_shapeless(text: ConfigText, where: tuple[Any, ...], values: Mapping[str, Any]) -> None:
    """A workload needs lengths, or a mix that has them."""
    if where[0] != "workloads" or "household" in values:
        return
    mix = next((name for name in ("prompts", "replay") if name in values), None)
    wanted = (mix,) if mix else ("prompt_tokens", "output_tokens")
    for key in wanted:
        if values.get(key) is None:
            raise text.error(where, f"Object missing required field {key}", hint=_EXAMPLES["workloads"])


def _refuse_unknown(
    text: ConfigText, where: tuple[Any, ...], values: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    for key in values:
        if key not in known:
            raise text.error((*where, key), f"unknown key {key!r}", hint=_nearest(str(key), known))


def _located(text: ConfigText, where: tuple[Any, ...], message: str) -> UsageError:
    at = _AT.search(message)
    steps = _STEP.finditer(at["path"]) if at else ()
    below = tuple(int(step["index"]) if step["index"] else step["key"] for step in steps)
    example = next(_EXAMPLES[step] for step in (*reversed(below), *reversed(where)) if step in _EXAMPLES)
    return text.error((*where, *below), _AT.sub("", message).replace("`", ""), hint=example)


def _nearest(name: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    near = get_close_matches(name, list(known), n=1)
    listed = f"known here: {', '.join(known) or 'none'}"
    return f"did you mean {near[0]}? {listed}" if near else listed
