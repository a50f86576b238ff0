"""``docker run`` and its like in a command line: what a container gets, and the server's command behind the image.

Options have the names that compose gives them, so that a rule reads both alike.

Source: the reference of docker run; podman and nerdctl take the same options.
"""

__all__ = ["ContainerRun", "Given", "container_run", "script_in_container", "served_in_container"]

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparktune.formats.located import Located
from sparktune.formats.serving import CONTAINER_PROGRAMS, Call, CallWord, served, served_script

_VERBS = frozenset({"run", "create"})
# Options that take no value
_SWITCHES = {
    "-d": "detach", "--detach": "detach", "-i": "stdin_open", "--interactive": "stdin_open", "-t": "tty",
    "--tty": "tty", "--rm": "auto_remove", "--init": "init", "--privileged": "privileged", "--read-only": "read_only",
    "-P": "publish_all", "--publish-all": "publish_all", "--no-healthcheck": "no_healthcheck", "-q": "quiet",
    "--quiet": "quiet", "--oom-kill-disable": "oom_kill_disable", "--disable-content-trust": "disable_content_trust",
    "--sig-proxy": "sig_proxy", "--replace": "replace",
}  # fmt: skip
# Options by the compose key of the same meaning; [] where they may come several times, {} where they name NAME=value
_OPTIONS = {
    "-v": "volumes[]", "--volume": "volumes[]", "--mount": "mounts[]", "--tmpfs": "tmpfs[]", "--device": "devices[]",
    "-p": "ports[]", "--publish": "ports[]", "--env-file": "env_file[]", "--cap-add": "cap_add[]",
    "--cap-drop": "cap_drop[]", "--security-opt": "security_opt[]", "--add-host": "extra_hosts[]", "--dns": "dns[]",
    "--group-add": "group_add[]", "--expose": "expose[]", "--network": "network_mode", "--net": "network_mode",
    "--ulimit": "ulimits{}", "-l": "labels{}", "--label": "labels{}", "--sysctl": "sysctls{}",
    "--name": "container_name", "-u": "user", "--user": "user", "-w": "working_dir", "--workdir": "working_dir",
    "-h": "hostname", "--hostname": "hostname", "--cpuset-cpus": "cpuset", "-m": "mem_limit", "--memory": "mem_limit",
    "--memory-swap": "memswap_limit", "--pid": "pid", "--ipc": "ipc", "--shm-size": "shm_size", "-c": "cpu_shares",
}  # fmt: skip
_ENV = frozenset({"-e", "--env"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An option of the container: ``first`` to ``last`` are its words, ``value`` the one that an edit replaces.

    ``prefix`` is what stands before the value in that word (``--ipc=``, ``memlock=``), ``text`` None without a value.
    """

    name: str
    text: str | None
    first: CallWord
    last: CallWord
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRun:
    """A container's options; ``env`` are its variables, ``options`` the words up to the image."""

    keys: tuple[Given, ...]
    env: tuple[Given, ...]
    image: CallWord | None
    options: tuple[CallWord, ...]
    command: tuple[CallWord, ...]
    launcher: tuple[CallWord, ...] = ()


def container_run(words: Sequence[CallWord]) -> ContainerRun | None:
    """Return what a ``docker run`` among words says, None when there is none."""
    for place, word in enumerate(words):
        if word.text.rsplit("/", 1)[-1] in CONTAINER_PROGRAMS:
            verb = next((at for at in range(place + 1, len(words)) if words[at].text in _VERBS), None)
            if verb is not None and all(_may_precede(one.text) for one in words[place + 1 : verb]):
                return _run(words, verb + 1)
    return None


def _may_precede(text: str) -> bool:
    return text.startswith("-") or text == "container" or "/" in text


def _run(words: Sequence[CallWord], start: int) -> ContainerRun:
    keys: list[Given] = []
    env: list[Given] = []
    place = start
    while place < len(words) and words[place].text.startswith("-") and len(words[place].text) > 1:
        place, name, value, glued = _option(words, place)
        last = words[place - 1]
        first = last if glued or value is None else words[place - 2]
        prefix = f"{first.text.partition('=')[0]}=" if glued else ""
        if name in _ENV and value is not None:
            key, sign, said = value.partition("=")
            prefix += f"{key}=" if sign else key
            env.append(Given(name=key, text=said if sign else None, first=first, last=last, prefix=prefix))
        elif value is None and name not in _SWITCHES and _only_switches(name):
            together = replace(first, fixed="it is one word with other options")
            keys += [_key(f"-{letter}", None, together, together, "", keys) for letter in name[1:]]
        else:
            keys.append(_key(name, value, first, last, prefix, keys))
    image = words[place] if place < len(words) else None
    if image is not None:
        keys.append(Given(name="image", text=image.text, first=image, last=image))
    return ContainerRun(
        keys=tuple(keys),
        env=tuple(env),
        image=image,
        options=tuple(words[start:place]),
        command=tuple(words[place + 1 :]),
        launcher=tuple(words[:start]),
    )


def _option(words: Sequence[CallWord], place: int) -> tuple[int, str, str | None, bool]:
    """Return where the next option begins, the name and value of this one, and whether they are one word."""
    text = words[place].text
    name, sign, value = text.partition("=")
    if sign and text.startswith("--"):
        return place + 1, name, value, True
    if text in _SWITCHES or _only_switches(text):
        return place + 1, text, None, False
    if place + 1 >= len(words):
        return place + 1, text, None, False
    return place + 2, text, words[place + 1].text, False


_SHORT = 2


def _only_switches(text: str) -> bool:
    return len(text) > _SHORT and text[1] != "-" and all(f"-{letter}" in _SWITCHES for letter in text[1:])


def _key(name: str, value: str | None, first: CallWord, last: CallWord, prefix: str, before: Sequence[Given]) -> Given:
    known = _SWITCHES.get(name) or _OPTIONS.get(name) or name.lstrip("-").replace("-", "_")
    if known.endswith("{}") and value is not None:
        key, sign, said = value.partition("=")
        full = f"{known[:-2]}.{key}"
        return Given(name=full, text=said if sign else None, first=first, last=last, prefix=f"{prefix}{key}{sign}")
    base = known.removesuffix("[]").removesuffix("{}")
    if known.endswith("[]"):
        count = sum(one.name.startswith(f"{base}[") for one in before)
        base = f"{base}[{count}]"
    return Given(name=base, text="true" if value is None else value, first=first, last=last, prefix=prefix)


def served_in_container(words: Sequence[CallWord]) -> Call:
    """Return the server's command among words, that of a container when they start one.

    Raises ValueError for a script that cannot be split into words.
    """
    run = container_run(words)
    if run is None:
        return served(words)
    entry = next((one for one in run.keys if one.name == "entrypoint"), None)
    call = served(run.command)
    if entry is not None and not call.program and entry.text:
        call = replace(served((*_entry_words(entry), *run.command)), assignments=call.assignments)
    return call


def script_in_container(source: Located) -> tuple[Call, ContainerRun | None]:
    """Return the server's command of a shell script, and the container that it starts for it.

    Raises ValueError for what cannot be split into words.
    """
    call = served_script(source)
    run = container_run(call.starter)
    if run is None:
        return call, None
    inner = served_in_container(call.starter)
    before = [one for one in call.assignments if one.word not in run.command]
    return replace(
        inner,
        in_shell=True,
        starter=call.starter,
        lost=(*inner.lost, *call.lost),
        assignments=(*before, *inner.assignments),
        others=(*call.others, *inner.others),
    ), run


def _entry_words(entry: Given) -> tuple[CallWord, ...]:
    """Return the words of ``--entrypoint``, which no edit of the command reaches."""
    return (replace(entry.last, text=entry.text or "", fixed="it is the entrypoint", word=None, source=None),)
