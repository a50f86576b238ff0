"""Which entries of ``earned.yaml`` are for a service. Pure."""

__all__ = ["entries_for"]

from collections.abc import Mapping, Sequence
from typing import Any

from sparktune.model.drift import ServicePlace


def entries_for(
    entries: Sequence[Mapping[str, Any]], service: ServicePlace, *, cluster: Sequence[str] = ()
) -> tuple[Mapping[str, Any], ...]:
    """Return the entries whose scope is not somebody else's, in the order of the file.

    ``cluster`` are the names by which the cluster may be meant, its nodes among them. What a scope leaves out holds for
    all. A service is known by its name or by its address; the model only where both sides name one.
    """
    return tuple(one for one in entries if _holds(one.get("scope"), service, cluster))


def _holds(scope: object, service: ServicePlace, cluster: Sequence[str]) -> bool:
    if not isinstance(scope, Mapping):
        return True
    named = scope.get("service")
    if named and not _is_service(str(named), service):
        return False
    where = scope.get("cluster")
    if where and cluster and not _is_cluster(str(where), cluster):
        return False
    model = scope.get("model")
    return not (model and service.model and str(model) != service.model)


def _is_service(named: str, service: ServicePlace) -> bool:
    if named == service.name:
        return True
    return bool(service.endpoint) and _address(named) == _address(service.endpoint)


def _address(url: str) -> str:
    bare = url.partition("://")[2] or url
    return bare.rstrip("/").removesuffix("/v1").rstrip("/").replace("127.0.0.1", "localhost")


def _is_cluster(named: str, cluster: Sequence[str]) -> bool:
    """Tell whether a cluster is meant: by its name, or by its nodes, which an experiment writes with commas."""
    return named in cluster or bool({one.strip() for one in named.split(",")} & set(cluster))
