"""A first ``sparktune.yaml``: what was found is written, what could be is a comment. Pure."""

__all__ = ["starter_config"]

import json
from collections.abc import Iterator

from sparktune.model.discovery import Discovery, FoundCluster, FoundServer

_WORKLOADS = """\
# Workloads by name: every combination of the lists is measured (sparktune bench --workload short).
workloads:
  short:
    prompt_tokens: [512, 2048]
    output_tokens: 128
    concurrency: [1, 4]
"""
_STARTED_BY = (
    "    # What starts it (compose, systemd, sparkrun, script) and where its parts are, for ab, sweep and drift:",
    "    # launcher: compose",
    "    # where: [{node: spark1, file: /srv/vllm/compose.yaml, service: vllm}]",
)


def starter_config(found: Discovery) -> str:
    """Return the file's text; it can be read back as it is."""
    return "\n".join(("\n".join(_nodes(found)) + "\n", "\n".join(_services(found)) + "\n", _WORKLOADS))


def _nodes(found: Discovery) -> Iterator[str]:
    yield "# Nodes: names that ssh knows, or {name: ..., host: user@address}; local is this machine."
    if found.ssh_names:
        yield f"# ssh knows: {', '.join(found.ssh_names)}"
    for cluster in found.clusters[1:]:
        yield f"# sparkrun's cluster {cluster.name}: {', '.join(name for name, _ in cluster.nodes)}"
    yield "nodes:"
    yield from _cluster(found.clusters[0]) if found.clusters else ("  - local",)


def _cluster(cluster: FoundCluster) -> Iterator[str]:
    yield f"  # from sparkrun's cluster {cluster.name}"
    for name, host in cluster.nodes:
        if host == name:
            yield f"  - {json.dumps(name)}"
        else:
            yield f"  - {{name: {json.dumps(name)}, host: {json.dumps(host or 'local')}}}"


def _services(found: Discovery) -> Iterator[str]:
    yield "# Servers by name (sparktune bench --service NAME). A key never stands here: name its variable or its file."
    if not found.servers:
        yield "# services:"
        yield "#   main:"
        yield "#     endpoint: http://127.0.0.1:8000/v1"
        yield "#     api_key_env: SPARKTUNE_API_KEY"
        about, *example = _STARTED_BY
        yield f"# {about}"
        yield from (f"# {line.replace('# ', '')}" for line in example)
        return
    yield "services:"
    for number, server in enumerate(found.servers, start=1):
        yield from _service("main" if number == 1 else f"server{number}", server)
    if len(found.servers) > 1:
        yield "default_service: main"


def _service(name: str, server: FoundServer) -> Iterator[str]:
    yield f"  {name}:"
    yield f"    endpoint: {server.endpoint}"
    if len(server.models) == 1:
        yield f"    model: {json.dumps(server.models[0])}"
    elif server.models:
        yield f"    # it serves {', '.join(map(json.dumps, server.models))}; choose one:"
        yield f"    # model: {json.dumps(server.models[0])}"
    yield from _STARTED_BY
