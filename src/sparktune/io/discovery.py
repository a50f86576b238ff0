"""Look around on this machine: sparkrun's clusters, ssh's names, servers on the usual ports. Reads only.

Sources: ssh_config(5) for ``Host``; the default ports of vLLM (8000), llama-server (8080) and SGLang (30000).
"""

__all__ = ["discover"]

import http.client
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sparktune.errors import UsageError
from sparktune.io.cluster import find_nodes, sparkrun_clusters
from sparktune.model.discovery import Discovery, FoundCluster, FoundServer
from sparktune.units import Bytes, Seconds

_USUAL_PORTS = (8000, 8080, 30_000)
_PATIENCE: Seconds = 1.0
_MOST_BYTES: Bytes = 1024 * 1024
_MOST_NAMES = 50
_HOST = re.compile(r"^\s*Host(?:\s+|\s*=\s*)(?P<names>.+)$", re.IGNORECASE | re.MULTILINE)


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


def discover(ports: Iterable[int] = _USUAL_PORTS) -> Discovery:
    """Return what is there. Nothing is raised: what cannot be read is among the problems."""
    clusters: list[FoundCluster] = []
    problems: list[str] = []
    for name in sparkrun_clusters():
        try:
            nodes = find_nodes((f"sparkrun:{name}",), None)
        except UsageError as error:
            problems.append(str(error))
        else:
            clusters.append(FoundCluster(name=name, nodes=tuple((node.name, node.host) for node in nodes)))
    servers = [server for port in ports if (server := _server(port)) is not None]
    return Discovery(clusters=tuple(clusters), ssh_names=_ssh_names(), servers=tuple(servers), problems=tuple(problems))


def _ssh_names() -> tuple[str, ...]:
    """Return the names of ``~/.ssh/config`` that stand for one host."""
    try:
        text = (Path.home() / ".ssh" / "config").read_text(encoding="utf-8", errors="replace")[:_MOST_BYTES]
    except OSError:
        return ()
    names = (name.strip('"') for found in _HOST.finditer(text) for name in found["names"].split("#")[0].split())
    return tuple(dict.fromkeys(name for name in names if name and not set(name) & set("*?!")))[:_MOST_NAMES]


def _server(port: int) -> FoundServer | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        body = answer.read(_MOST_BYTES)
        models = msgspec.json.decode(body, type=_Models)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError, UnicodeError):
        return None
    finally:
        connection.close()
    return FoundServer(endpoint=f"http://127.0.0.1:{port}/v1", models=tuple(model.id for model in models.data))
