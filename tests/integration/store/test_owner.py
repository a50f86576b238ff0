"""Who works on an experiment is known while it does, and by nobody's word but its lock."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from sparktune.io.store.owner import owned, owner_of

_OWNS = """
import sys, time
from pathlib import Path
from sparktune.io.store.owner import owned
with owned(Path(sys.argv[1]), "e1"):
    print("owned", flush=True)
    time.sleep(60)
"""


def test_the_owner_is_named_while_it_lives(tmp_path: Path) -> None:
    database = tmp_path / "runs.sqlite3"
    with subprocess.Popen([sys.executable, "-c", _OWNS, str(database)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "owned\n"

        assert owner_of(database, "e1") == f"pid {child.pid} on {socket.gethostname()}"
        assert owner_of(database, "e2") == ""

        child.send_signal(signal.SIGKILL)
        child.wait()
    assert owner_of(database, "e1") == "", "a killed process left its file, and holds no lock"
    with owned(database, "e1"):
        assert owner_of(database, "e1") == f"pid {os.getpid()} on {socket.gethostname()}"
    assert owner_of(database, "e1") == ""
