"""Services that a compose file declares, in the form of containers: what will run, before it runs.

Source: the compose specification (services, short and long forms, interpolation with defaults).
"""

__all__ = ["services_of"]

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sparktune.engines import engine_of_image
from sparktune.formats.broken import parsed_yaml
from sparktune.formats.interpolation import filled
from sparktune.host.environment import kept_environment
from sparktune.host.facts.containers import Container
from sparktune.model.observed import Observed, absent, present
from sparktune.redact import redact_argv

_UNLIMITED = -1


def services_of(text: str, file: str, variables: Mapping[str, str]) -> tuple[Container, ...]:
    """Return the services of a compose file; ``variables`` replace ``${NAME}`` in it.

    A variable without value and default is the empty text, as compose makes it. Raises ValueError when the text is no
    compose file.
    """
    values = parsed_yaml(text, ())[0]
    services = values.get("services") if isinstance(values, dict) else None
    found = services.items() if isinstance(services, dict) else ()
    if not found:
        message = "no services in it"
        raise ValueError(message)
    return tuple(
        _service(str(name), settings, file, variables) for name, settings in found if isinstance(settings, dict)
    )


def _service(name: str, settings: Mapping[Any, Any], file: str, variables: Mapping[str, str]) -> Container:
    def text(key: str) -> str:
        value = settings.get(key)
        return "" if value is None else filled(str(value), variables)

    command = (*_words(settings.get("entrypoint"), variables), *_words(settings.get("command"), variables))
    memlock = _memlock(settings.get("ulimits"))
    environment = dict(_pairs(settings.get("environment"), variables))
    return Container(
        id="",
        name=name,
        image=text("image"),
        engine=engine_of_image(text("image"), command),
        declared_in=file,
        running=False,
        restart_policy=text("restart"),
        network_mode=text("network_mode"),
        privileged=settings.get("privileged") is True,
        user=text("user"),
        cpuset=text("cpuset"),
        cgroup_parent=text("cgroup_parent"),
        capabilities=tuple(one.removeprefix("CAP_") for one in _words(settings.get("cap_add"), variables)),
        devices=tuple(_sources(settings.get("devices"), variables)),
        mounts=tuple(_sources(settings.get("volumes"), variables)),
        memlock_bytes=absent() if memlock.value == _UNLIMITED else memlock,
        unlimited_memlock=memlock.value == _UNLIMITED,
        environment=kept_environment(environment),
        command=redact_argv(command),
        complete="extends" not in settings and ("image" in settings or "build" in settings),
    )


def _words(value: Any, variables: Mapping[str, str]) -> tuple[str, ...]:  # noqa: ANN401 - what the file's author wrote
    if isinstance(value, list):
        return tuple(filled(str(one), variables) for one in value)
    if not isinstance(value, str):
        return ()
    text = filled(value, variables)
    try:
        return tuple(shlex.split(text))
    except ValueError:  # a quote that is never closed
        return tuple(text.split())


def _pairs(value: Any, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - see above
    """Yield name and value; a name without a value takes that of the caller, and is not set when he has none."""
    if isinstance(value, dict):
        entries = [(str(name), None if given is None else str(given)) for name, given in value.items()]
    elif isinstance(value, list):
        split = [str(one).partition("=") for one in value]
        entries = [(name, given if sign else None) for name, sign, given in split]
    else:
        entries = []
    for name, given in entries:
        known = variables.get(name) if given is None else filled(given, variables)
        if known is not None:
            yield name, known


def _sources(value: Any, variables: Mapping[str, str]) -> Iterator[str]:  # noqa: ANN401 - see above
    for one in value if isinstance(value, list) else ():
        source = one.get("source", "") if isinstance(one, dict) else str(one).split(":", 1)[0]
        yield filled(str(source), variables)


def _memlock(limits: Any) -> Observed[int]:  # noqa: ANN401 - see above
    value = limits.get("memlock") if isinstance(limits, dict) else None
    if isinstance(value, dict):
        value = value.get("soft")
    return absent() if value is None else present(str(value)).map(int)
