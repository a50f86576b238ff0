"""Two experiments that end in the same second write into one earned.yaml: both entries get in."""

import json
import subprocess
import sys
from pathlib import Path

from sparktune.io.earned import read_earned

_WRITE = """
import json, sys
from pathlib import Path
from sparktune.io.earned import keep_earned
sys.stdin.read()
keep_earned(Path(sys.argv[1]), json.loads(sys.argv[2]))
"""
_WRITERS = 6


def test_all_who_write_at_once_get_in(tmp_path: Path) -> None:
    """Without a lock the last writer's file would be that of a reader who had not seen the others."""
    path = tmp_path / "earned.yaml"
    entries = [{"knob": f"k{number}", "value": number, "scope": {}, "evidence": {}} for number in range(_WRITERS)]
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITE, str(path), json.dumps(entry)], stdin=subprocess.PIPE)
        for entry in entries
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    assert [writer.wait(timeout=60) for writer in writers] == [0] * _WRITERS
    assert [one.content for one in read_earned(path)] == entries
    assert [one.name for one in tmp_path.iterdir()] == ["earned.yaml"]
