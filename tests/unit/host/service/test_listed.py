"""What people paste of ``docker ps -a``: columns are as wide as their longest text, and ports may stand between."""

from sparktune.host.service.listed import listed_containers

_TABLE = """\
CONTAINER ID   IMAGE       COMMAND        CREATED       STATUS                         PORTS      NAMES
aa11           vllm:1.0    "vllm serve"   6 days ago    Up 6 days (healthy)            8000/tcp   worker
bb22           vllm:1.0    "vllm serve"   2 hours ago   Exited (137) 2 hours ago                  head
cc33           vllm:1.0    "vllm serve"   2 hours ago   Restarting (1) 3 seconds ago              third
"""


def test_states_and_exit_codes() -> None:
    found = [(one.name, one.status, one.exit_code) for one in listed_containers(_TABLE)]
    assert found == [("worker", "running", None), ("head", "exited", 137), ("third", "restarting", 1)]


def test_another_text_has_no_containers() -> None:
    assert listed_containers("") == ()
    assert listed_containers("permission denied while trying to connect\nCONTAINER\n") == ()
