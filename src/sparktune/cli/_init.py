"""Put ``sparktune init`` together: look around, show the file, ask, write."""

__all__ = ["run_init"]

import sys
from pathlib import Path

from sparktune.errors import UsageError
from sparktune.io.config import CONFIG_NAME, find_config
from sparktune.io.discovery import discover
from sparktune.io.files import check_writable, write_new
from sparktune.report.starter import starter_config


def run_init(*, yes: bool, dry_run: bool) -> None:
    """Show the file and, when it is wanted, write it. Raises UsageError when one is there or nobody can be asked."""
    path = Path(CONFIG_NAME)
    if path.exists() and not dry_run:
        message = f"{path.resolve()} is there already"
        raise UsageError(message, hint="see what would be written with: sparktune init --dry-run")
    if not dry_run:
        check_writable(path)
    found = discover()
    for problem in found.problems:
        sys.stderr.write(f"note: left aside: {problem}\n")
    above = find_config(Path.cwd())
    if above is not None and above.parent != Path.cwd().resolve():
        sys.stderr.write(f"note: until now {above} counts here\n")
    text = starter_config(found)
    sys.stdout.write(text)
    sys.stdout.flush()
    if dry_run:
        return
    if not (yes or _agreed(path)):
        sys.stderr.write("nothing was written\n")
        return
    write_new(path, text)
    sys.stderr.write(f"wrote {path.resolve()}\nnext: sparktune doctor\n")


def _agreed(path: Path) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = f"{path} is not written without a terminal to ask on"
        raise UsageError(message, hint="add --yes")
    sys.stderr.write(f"write {path.resolve()}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
