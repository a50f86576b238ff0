"""Servers that whoever reaches the machine may use."""

__all__ = ["RULE"]

from collections.abc import Iterator
from ipaddress import ip_address

from sparktune.deploy.rules._shared import Found, part_rule, text
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_ALL = {"vllm": True, "llamacpp": False, "sglang": False}  # whether it listens everywhere when it is told nothing
_KEYS = {"vllm": "VLLM_API_KEY", "llamacpp": "LLAMA_API_KEY"}
_RPC = ("rpc-server", "ggml-rpc-server")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    command = part.command
    if command is None or not command.words or _only_local(part):
        return
    if command.words[0].text.rsplit("/", 1)[-1] in _RPC:
        yield from _rpc(part)
        return
    if part.engine not in _ALL or _has_key(part):
        return
    host = text(part, "host")
    if not (_everywhere(host) if host else _ALL[part.engine]):
        return
    dev = part.environment.get("VLLM_SERVER_DEV_MODE")
    development = dev is not None and str(dev.value) == "1"
    place = part.settings.get("host")
    yield Found(
        severity=Severity.WARNING if development else Severity.INFO,
        evidence=f"it listens on {host or 'every interface, its default,'} without an API key"
        + (", and VLLM_SERVER_DEV_MODE=1 opens routes that run code and reset caches" if development else ""),
        hint="give it an API key from a file or a secret, or bind it to the address that is meant (--host)"
        + ("; take VLLM_SERVER_DEV_MODE out" if development else ""),
        file=part.document.name,
        line=place.origin.line if place is not None else command.words[0].line,
    )


def _rpc(part: Part) -> Iterator[Found]:
    words = [word.text for word in part.command.words] if part.command is not None else []
    for flag in ("-H", "--host"):
        if flag in words[:-1]:
            host = words[words.index(flag) + 1]
            if _everywhere(host) and part.command is not None:
                yield Found(
                    severity=Severity.WARNING,
                    evidence=f"the RPC server listens on {host}, and it has no key at all",
                    hint="bind it to the address of the fabric that only the other node reaches",
                    file=part.document.name,
                    line=part.command.words[words.index(flag)].line,
                )


def _everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _has_key(part: Part) -> bool:
    variable = part.environment.get(_KEYS.get(part.engine, ""))
    files = ("api_key", "api_key_file")
    return any(key in part.settings for key in files) or (variable is not None and bool(variable.value))


def _only_local(part: Part) -> bool:
    ports = [str(one.value) for name, one in part.keys.items() if name.startswith("ports[")]
    return bool(ports) and all(one.startswith(("127.", "[::1]", "localhost:")) for one in ports)


RULE = part_rule(
    "open-listener",
    title="a server without a key that everybody reaches",
    why="Whoever is on the network may use it, and change what it measures; an RPC server runs what it is sent.",
    source="docs.vllm.ai, security; llama.cpp tools/rpc/README.md (never expose it to an open network)",
    judge=_judge,
)
