"""The first page of help: commands below what they are for, and a plain word for the value of each option."""

__all__ = ["EXAMPLES", "ORDER", "SECTIONS", "speak_plainly"]

from typing import Any, Final

SECTIONS: Final = (
    ("Begin", ("demo", "lab", "init", "status")),
    ("Look", ("doctor", "watch", "lint", "logs")),
    ("Measure", ("bench", "record", "quality", "check", "runs", "calibrate")),
    ("Decide", ("ab", "sweep", "knobs")),
    ("Keep it true", ("earned", "drift", "export")),
    ("Change and protect machines", ("host", "place", "guard", "render")),
)
"""How --help lists commands: in the order in which a person needs them."""
ORDER: Final = tuple(name for _, names in SECTIONS for name in names)

_WORDS: Final = {"url": "URL", "base_url": "URL", "api_key": "KEY"}
_KINDS: Final = {"path": "FILE", "int": "N", "float": "N"}


EXAMPLES: Final = {
    ("ab", "run"): (
        "sparktune ab slots.yaml --dry-run",
        'sparktune ab --url URL --launcher command --a "SERVE 1" --b "SERVE 4"',
        "sparktune ab --service chat --a env:LIMIT=1 --b env:LIMIT=2 --concurrency 2",
    ),
    ("bench",): (
        "sparktune bench http://spark1:8000/v1",
        "sparktune bench URL --prompt-tokens 512,4096 --concurrency 1,4 --save r.md",
    ),
    ("check",): ("sparktune check before.json after.json", "sparktune check table.csv"),
    ("doctor",): ("sparktune doctor --nodes spark1,spark2", "sparktune doctor"),
    ("drift",): ("sparktune drift", "sparktune drift --launcher systemd --where spark1:vllm.service"),
    ("earned", "accept"): ("sparktune earned accept 261130-061910-t6g",),
    ("export", "prometheus"): (
        "sparktune export prometheus --nodes spark1,spark2 --out sparktune.prom",
        "sparktune export prometheus --listen 9741 --every 60s",
    ),
    ("guard",): (
        "sparktune guard -- llama-benchy --base-url URL --pp 8192",
        "sparktune guard --nodes spark1,spark2 --stop-engine vllm-head",
    ),
    ("host", "plan"): ("sparktune host plan --nodes spark1,spark2 --explain",),
    ("lint",): ("sparktune lint compose.yaml .env --node spark1", "sparktune lint recipe.yaml --diff"),
    ("logs",): ("sparktune logs spark1=head.log spark2=worker.log", "sparktune logs --live --nodes spark1,spark2"),
    ("place", "pin"): ("sparktune place pin 2266022@spark2 --endpoint URL --dry-run",),
    ("place", "scan"): ("sparktune place scan --nodes spark1,spark2 --endpoint http://spark1:8000/v1",),
    ("place", "trial"): ("sparktune place trial 2266022@spark2 --endpoint URL --dry-run",),
    ("quality",): ("sparktune quality http://spark1:8000/v1",),
    ("record",): ("sparktune record --listen 9000 --to http://spark1:8000/v1 --out evening.jsonl",),
    ("render",): ("sparktune render --node spark1 --as env",),
    ("sweep", "run"): (
        "sparktune sweep evening.yaml --dry-run",
        "sparktune sweep --service vllm --knob max_num_seqs=4..16/4 --budget 3h",
    ),
}
"""What somebody would type, by the words of a command; only where the options alone do not tell."""


def speak_plainly(command: Any, path: tuple[str, ...]) -> None:  # noqa: ANN401 - typer's class has no public name
    """Name the values that a command takes as people do - FILE, N, NAME - and show what somebody would type.

    typer alone has <path>, <int range>, [[FILE]] and {RUN}. ``path`` are the words of the command.
    """
    for param in command.params:
        if param.param_type_name == "argument":
            _plain_argument(param)
        elif param.metavar is None and not param.is_flag and not param.type_descriptor.is_choice:
            kind = param.display_type(None).strip("<>").removeprefix("list[").partition(" ")[0].strip("]").lower()
            param.metavar = _WORDS.get(param.name) or _KINDS.get(kind, "NAME")
    if path in EXAMPLES:
        shown = "".join(f"\n  {line}" for line in EXAMPLES[path])
        command.epilog = f"\b\nExamples:{shown}\n\n{command.epilog or ''}"


def _plain_argument(param: Any) -> None:  # noqa: ANN401 - as above
    name = param.metavar or param.name.upper()
    bare = name.removesuffix("...")
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].removesuffix("...")
    param.metavar = f"{bare}..." if param.nargs != 1 else bare
    usage = param.metavar if param.required else f"[{param.metavar}]"
    param.get_usage_pieces = lambda _: [usage]
    param.display_type_rich = _nothing  # the word itself says it


def _nothing(ctx: object) -> str:  # noqa: ARG001 - as typer calls it
    return ""
