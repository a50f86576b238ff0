"""What llama.cpp says of the link to its RPC servers. Only "RDMA activated" proves RDMA; without it the link is TCP.

Source: llama.cpp b11434, ggml-rpc.cpp and transport.cpp.
"""

__all__ = ["READER"]

from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine


def _link(line: LogLine) -> Iterator[LogFact]:
    if "RDMA activated: " in line.text:
        yield fact("transport", "rdma", line)
    if "Accepted client connection" in line.text:
        yield fact("rpc_client", True, line)


READER = pattern_reader(
    "llamacpp",
    ("RDMA activated: ", "RDMA probed: ", "Starting RPC server v", "transport ", "Accepted client connection"),
    (
        r"RDMA probed: dev=(?P<transport_devices>[\w.-]{1,60}) gid=(?P<transport_gid>\d{1,4})",
        r"^ *transport +: (?P<transport_offered>\w.{0,80})",
    ),
    (_link,),
)
