"""What controller and node say to each other: one JSON object per line, both ways.

A request is ``{"id": N, "verb": VERB, ...}``. Answers carry the same id: any number of ``{"id": N, "part": {...}}`` for
a stream, then one ``{"id": N, "ok": {...}}`` or ``{"id": N, "error": {"kind": WORD, "message": TEXT}}``.

``hello``: -> protocol, boot_id, uid, python, monotonic_ns and wall_ns read together.
``observe``: reads, a list of ``{"kind": "file"|"files"|"links"|"names"|"command", ...}`` with the fields of
``sparktune.model.reads`` -> results in that order: ``{"state": "present"|"absent"|"unreadable", "value"?, "why"?}``.
The value is text for "file"; an object by path for "files" (of such results) and "links" (of targets); a list for
"names"; ``{"stdout", "stderr", "code"}`` for "command".
``sample``: sources, interval_s, count -> a part per tick, with raw text by path and the tick's two clocks.
"""

__all__ = ["COMMANDS", "KINDS", "LONGEST_LINE_BYTES", "PROTOCOL", "VERBS"]

PROTOCOL = 1
VERBS = ("hello", "observe", "sample")
KINDS = ("file", "files", "links", "names", "command")
LONGEST_LINE_BYTES = 64 * 1024 * 1024

# Read-only commands that a node runs; everything else is refused. The first words must match exactly.
COMMANDS = (
    ("docker", "inspect"),
    ("docker", "ps"),
    ("dmesg",),
    ("ethtool",),
    ("fwupdmgr", "get-devices"),
    ("ibdev2netdev",),
    ("ip", "-j"),
    ("journalctl",),
    ("lscpu",),
    ("nvidia-smi",),
    ("runc", "--version"),
    ("systemctl", "get-default"),
    ("systemctl", "is-active"),
    ("systemctl", "is-enabled"),
    ("systemctl", "list-units"),
    ("systemctl", "show"),
    ("uname",),
)
