"""Ask whether locked packages have known vulnerabilities, and say so when nobody could be asked.

    audit.py               fail on a known vulnerability, and where the index of vulnerabilities cannot be reached
    audit.py --if-possible "skipped" with its reason where it cannot be reached, for make check

The question is pip-audit's; an answer without a finding is kept for a day in .cache/, for the same locks. pip-audit
ends with success where the index knew no package at all (a mirror has no such list): that is no answer, and said here.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
_LOCK = _ROOT / "requirements" / "dev.lock"  # everything that runs, and the tools of the tests
_KEPT = _ROOT / ".cache" / "audit.json"
_DAY_S = 86_400.0
_LONGEST_S = 90.0
_UNREACHABLE = "the index of vulnerabilities cannot be reached"
IGNORED: Mapping[str, str] = {}  # id of a vulnerability: why it does not matter here


def judge(report: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    """Return ``ok``, ``found`` or ``unknown`` and the lines that say why, from pip-audit's JSON.

    Source: pip-audit 2.10, ``--format json``: each dependency has ``vulns``, or ``skip_reason`` when it was not asked.
    """
    asked = [one for one in report["dependencies"] if "skip_reason" not in one]
    found = [
        f"{one['name']} {one['version']}: {bug['id']}, fixed in {', '.join(bug['fix_versions']) or 'no version yet'}"
        for one in asked
        for bug in one["vulns"]
        if not {bug["id"], *bug.get("aliases", ())} & set(IGNORED)
    ]
    if found:
        return "found", found
    if not asked:
        return "unknown", [f"{_UNREACHABLE}: it knows none of {len(report['dependencies'])} packages"]
    left = [one["name"] for one in report["dependencies"] if "skip_reason" in one]
    return "ok", [
        f"no known vulnerability in {len(asked)} packages" + (f"; not asked: {', '.join(left)}" if left else "")
    ]


def _ask(program: Path) -> tuple[str, Sequence[str]]:
    options = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json", "--timeout", "5")
    command = (str(program), *options, "-r", str(_LOCK))
    try:
        # The program is that of this project's own environment.
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LONGEST_S)  # noqa: S603
        return judge(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return "unknown", [f"{_UNREACHABLE} within {_LONGEST_S:.0f} s"]
    except OSError as error:
        return "unknown", [f"pip-audit cannot be run: {error}"]
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return "unknown", [f"{_UNREACHABLE}: {last[:200]}"]


def _kept(fingerprint: str) -> Sequence[str] | None:
    try:
        kept = json.loads(_KEPT.read_text())
    except (OSError, ValueError):
        return None
    return kept["lines"] if kept["of"] == fingerprint and 0 <= time.time() - kept["at_s"] < _DAY_S else None


def main() -> int:
    """Print what is known; return 1 for a vulnerability, and without --if-possible where nothing can be known."""
    fingerprint = hashlib.sha256(_LOCK.read_bytes() + repr(sorted(IGNORED)).encode()).hexdigest()
    may_skip = "--if-possible" in sys.argv[1:]
    lines = _kept(fingerprint) if may_skip else None
    if lines is not None:
        print(f"audit: {'; '.join(lines)} (asked within the last day)")
        return 0
    answer, lines = _ask(Path(os.environ.get("PIP_AUDIT") or _ROOT / ".venv-tools" / "bin" / "pip-audit"))
    if answer == "ok":
        _KEPT.parent.mkdir(exist_ok=True)
        _KEPT.write_text(json.dumps({"of": fingerprint, "at_s": time.time(), "lines": lines}))
    word = {"ok": "", "found": "known vulnerabilities: ", "unknown": "skipped: " if may_skip else "error: "}[answer]
    print(f"audit: {word}{'; '.join(lines)}", file=sys.stdout if answer == "ok" or may_skip else sys.stderr)
    if answer == "unknown" and not may_skip:
        print("hint: ask where the index of packages itself can be reached", file=sys.stderr)
    return int(answer == "found" or (answer == "unknown" and not may_skip))


if __name__ == "__main__":
    sys.exit(main())
