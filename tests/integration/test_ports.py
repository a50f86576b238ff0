"""Ports that tests choose before their servers bind them: two workers must never choose the same."""

import socket
import subprocess
import sys
from pathlib import Path

from tests.support.ports import free_port

_ROOT = Path(__file__).resolve().parents[2]
_ASK = "from tests.support.ports import free_port; print(*(free_port() for _ in range(200)))"


def test_another_process_is_given_other_ports_than_this_one() -> None:
    """Both are closed again at once, so that nothing but the choice keeps them apart."""
    mine = {free_port() for _ in range(200)}
    told = subprocess.run([sys.executable, "-c", _ASK], cwd=_ROOT, capture_output=True, text=True, check=True)
    others = {int(word) for word in told.stdout.split()}

    assert len(mine) > 100
    assert len(others) > 100
    assert not mine & others


def test_a_port_that_is_taken_is_passed_over() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        assert taken.getsockname()[1] not in {free_port() for _ in range(200)}


def test_the_kernel_gives_none_of_them_to_somebody_else() -> None:
    """Unless its own range was widened over them: then they are only kept apart from other workers."""
    given_out = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()
    if int(given_out[0]) >= 32_768:
        assert free_port() < int(given_out[0])
