"""What a server answers about its own settings; what it does not answer is not known from it."""

__all__ = ["read_answers"]

from typing import Final

from sparktune.bench.exposition import parse_exposition
from sparktune.deploy.settings.live import answered_settings, metric_settings
from sparktune.errors import EndpointError
from sparktune.io.http.address import parse_address
from sparktune.io.http.client import Client
from sparktune.io.secrets import Secret
from sparktune.io.together import together
from sparktune.model.setting import Setting
from sparktune.units import Seconds

_PATHS: Final = ("/v1/models", "/props", "/server_info?config_format=json")
_METRICS: Final = "/metrics"
_LIMIT_S: Seconds = 5.0
_OK: Final = 200


async def read_answers(endpoint: str, api_key: Secret | None, node: str) -> tuple[Setting, ...]:
    """Return the settings of all answers, none of a server that does not answer. Raises UsageError for no address."""
    address = parse_address(endpoint)
    async with Client(address, api_key) as client:
        bodies = await together(*(_body(client, path) for path in (*_PATHS, _METRICS)))
    found = [
        setting
        for path, body in zip(_PATHS, bodies, strict=False)
        for setting in answered_settings(path, body, address.root, node=node)
    ]
    samples = parse_exposition(bodies[-1])
    return (*found, *metric_settings(samples, f"{address.root}{_METRICS}", node=node))


async def _body(client: Client, path: str) -> bytes:
    try:
        answer = await client.get(path, timeout_s=_LIMIT_S)
    except EndpointError:
        return b""
    return answer.body if answer.status == _OK else b""
