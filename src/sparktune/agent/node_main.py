"""``python3 /var/lib/sparktune/agent.pyz``: the agent by hand, at boot or from a playbook, with no controller."""

__all__ = ["main"]

import argparse
import json
import os
import sys
import time
from typing import Any, NoReturn

from sparktune.agent.engine import Engine
from sparktune.agent.follow import run as follow
from sparktune.agent.node_give_up import not_agreed, to_give_up
from sparktune.agent.refusal import ROOT, Refused
from sparktune.agent.say import lines_of
from sparktune.agent.tree import Tree

_DONE, _FAILED, _USAGE, _FOREIGN = 0, 1, 2, 3
_WAIT_S = 60.0
_TICK_S = 1.0


def main() -> NoReturn:
    """Run one command and exit: 0 done, 1 failed or incomplete, 2 usage, 3 something was left as it is."""
    # Not as defaults of the parser: the part of a command would set them once more, over what stands before it.
    options = _parser().parse_args(namespace=argparse.Namespace(root="", json=False))
    try:
        answer = follow(Tree(options.root)) if options.command == "follow" else _run(options)
    except Refused as error:
        answer = {"error": {"kind": error.kind, "message": str(error)}}
    if options.json:
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        (sys.stderr if "error" in answer else sys.stdout).write(
            "".join(f"{line}\n" for line in lines_of(answer, options.command))
        )
    sys.exit(_code(answer))


def _run(options: argparse.Namespace) -> dict[str, Any]:
    tree = Tree(options.root)
    if not tree.root and os.geteuid() != 0:
        raise Refused(ROOT, "this needs root: sudo python3 /var/lib/sparktune/agent.pyz ...")
    engine = Engine(tree, _archive())
    request = {"who": _who(), "wait_s": _WAIT_S}
    match options.command:
        case "transact":
            parts, end = engine.transact({"label": "transact", **request, **_plan(options.plan)})
            changed = any(said["outcome"] not in _UNCHANGED for part in parts for said in part["items"].values())
            kept = bool(end["transaction"]) and end["state"] in _APPLIED  # a rule is, whatever it finds today
            return {**end, "steps": parts, "changed": changed or kept}
        case "revert":
            return _revert(engine, {**request, "transaction": options.transaction}, options)
        case "confirm":
            return engine.confirm({**request, "transaction": options.transaction})[1]
        case "reapply":
            parts, end = engine.reapply(request)
            return {**end, "reapplied": parts}
        case "expire":
            return _expire(engine, options)
    return engine.journal({})[1]


def _revert(engine: Engine, request: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    if not options.give_up:
        parts, end = engine.revert(request)
        return {**end, "undone": parts}
    items = to_give_up(engine, options.transaction, quiet=options.json)
    why = "" if options.yes or not items else not_agreed(may_ask=not options.json)
    if why:
        _usage(why)
    parts, end = engine.give_up({**request, "items": items})
    return {**end, "undone": parts}


_APPLIED = ("committed", "unconfirmed")
_UNCHANGED = frozenset({"already", "managed", "gone", "refused"})


def _expire(engine: Engine, options: argparse.Namespace) -> dict[str, Any]:
    end = time.clock_gettime(time.CLOCK_BOOTTIME) + options.after
    while (left := end - time.clock_gettime(time.CLOCK_BOOTTIME)) > 0:
        if not engine.unconfirmed(options.transaction):
            return {"transactions": 0, "state": "nothing"}
        time.sleep(min(left, _TICK_S))
    parts, answer = engine.expire(options.transaction)
    return {**answer, "undone": parts}


def _plan(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
    except (OSError, ValueError) as error:
        _usage(f"{path} is no plan: {error}")
    if not isinstance(plan, dict) or not isinstance(plan.get("steps"), list):
        _usage(f"{path} is no plan: it has no steps")
    return plan


def _usage(message: str) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    sys.exit(_USAGE)


def _archive() -> bytes:
    """Return this very program: it is what a transaction leaves on the node."""
    with open(sys.argv[0], "rb") as file:
        return file.read()


def _who() -> str:
    return os.environ.get("SUDO_USER") or os.environ.get("USER") or f"user {os.getuid()}"


def _code(answer: dict[str, Any]) -> int:
    if "error" in answer or answer.get("state") in {"incomplete", "rolled_back", "open"}:
        return _FAILED
    undone = [*answer.get("undone", []), *answer.get("recovered", [])]
    left = (said for one in undone for step in one.get("steps", []) for said in step["items"].values())
    if answer.get("state") == "given_up":
        return _FOREIGN
    return _FOREIGN if any(said["outcome"] == "foreign" for said in left) else _DONE


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--root", metavar="DIR", help="work on the tree below DIR, execute nothing")
    shared.add_argument("--json", action="store_true", help="print one JSON object")
    parser = argparse.ArgumentParser(
        prog="agent.pyz",
        description="What sparktune did on this machine: undo it, list it, keep it.",
        epilog="Exit codes: 0 done, 1 failed or incomplete, 2 usage, 3 something was left as it is.",
        parents=[shared],
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text, argument in _COMMANDS:
        command = commands.add_parser(name, help=text, description=text, parents=[shared])
        if argument:
            command.add_argument(argument, metavar=argument.upper(), **_ARGUMENTS[name])
    revert = commands.choices["revert"]
    revert.add_argument("--give-up", action="store_true", help="let go of what of it can never be undone, and say what")
    revert.add_argument("--yes", action="store_true", help="do not ask")
    commands.choices["expire"].add_argument("--after", type=float, default=0.0, metavar="SECONDS")
    return parser


_COMMANDS = (
    ("revert", "undo a transaction, or all of them: what was there before comes back", "transaction"),
    ("status", "list the transactions", ""),
    ("journal", "list the transactions with every item that they changed", ""),
    ("confirm", "keep a transaction that would be undone otherwise", "transaction"),
    ("reapply", "do again what a boot or a device that came back has undone", ""),
    ("follow", "do again for threads that came since what a rule for threads says (a timer does this)", ""),
    ("transact", "carry out a plan", "plan"),
    ("expire", "undo a transaction unless it was confirmed (the node's clock does this)", "transaction"),
)
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "revert": {"nargs": "?", "default": "", "help": "its name; without it all of them"},
    "confirm": {"help": "its name"},
    "expire": {"help": "its name"},
    "transact": {"help": "a JSON file"},
}
