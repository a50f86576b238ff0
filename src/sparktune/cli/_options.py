"""Options that several commands take, each with one name, one help text and one meaning."""

__all__ = [
    "Address",
    "ApiKey",
    "ApiKeyFile",
    "ClientCores",
    "Concurrency",
    "Json",
    "Limit",
    "Model",
    "Nodes",
    "OutputTokens",
    "PromptTokens",
    "Quiet",
    "Root",
    "Seed",
    "Service",
    "Thinking",
    "Wait",
    "Yes",
]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import node_names, service_names

Json = Annotated[bool, typer.Option("--json", help="Print JSON (schema 1).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")]
Nodes = Annotated[
    str,
    typer.Option(
        "--nodes", metavar="A,B", help="Nodes as for doctor; else those of sparktune.yaml.", autocompletion=node_names
    ),
]
Root = Annotated[
    list[Path] | None, typer.Option("--root", metavar="DIR", help="A captured tree as a node; may be repeated.")
]
Address = Annotated[
    str,
    typer.Argument(help="Address of an OpenAI-compatible server, for instance http://HOST:8000/v1", show_default=False),
]
Service = Annotated[str, typer.Option("--service", help="A service of sparktune.yaml.", autocompletion=service_names)]
Model = Annotated[str, typer.Option("--model", help="The model; needed when the server serves several.")]
ApiKey = Annotated[str, typer.Option("--api-key", help="Seen by every user of this machine: better SPARKTUNE_API_KEY.")]
ApiKeyFile = Annotated[Path | None, typer.Option("--api-key-file", help="A file that holds the API key alone.")]
Wait = Annotated[
    float, typer.Option("--wait", min=0, metavar="SECONDS", help="Wait this long for the server to become ready.")
]
Thinking = Annotated[
    str, typer.Option("--thinking", metavar="server|on|off", help="Reasoning: as the server has it, on, or off.")
]
PromptTokens = Annotated[
    str, typer.Option("--prompt-tokens", "--pp", metavar="N,N..", help="Prompt lengths; 512 unless given.")
]
OutputTokens = Annotated[
    str, typer.Option("--output-tokens", "--tg", metavar="N,N..", help="Output lengths; 128 unless given.")
]
Concurrency = Annotated[str, typer.Option("--concurrency", metavar="N,N..", help="Simultaneous streams.")]
ClientCores = Annotated[
    str,
    typer.Option(
        "--client-cores",
        metavar="keep|efficiency|LIST",
        help="Where the client measures; on efficiency cores beside a server on this machine, if there are any.",
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Fixes the order, and which texts are sent.")
]
