"""What Ansible gets: an inventory of exactly the nodes, playbooks that need nothing beside ansible-core."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from ruamel.yaml import YAML

from sparktune.report.ansible import ANSIBLE_GROUP, APPLY_PLAYBOOK, REVERT_PLAYBOOK, inventory_text

_WORDS = {"name", "register", "when", "vars", "changed_when", "failed_when", "block", "always"}


def _parsed(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    return YAML(typ="safe").load(StringIO(text))


def test_an_inventory_has_the_nodes_as_ssh_knows_them() -> None:
    hosts = {"spark1": "spark1", "far": "nvidia@10.0.0.2", "here": None}

    (group,) = _parsed(inventory_text(hosts)).items()

    assert group[0] == ANSIBLE_GROUP
    assert group[1]["hosts"] == {
        "spark1": {"ansible_host": "spark1"},
        "far": {"ansible_host": "10.0.0.2", "ansible_user": "nvidia"},
        "here": {"ansible_connection": "local"},
    }


@pytest.mark.parametrize("name", ["on", "1e3", "0x10", "null"])
def test_a_name_that_yaml_would_take_for_something_else_stays_a_name(name: str) -> None:
    hosts = _parsed(inventory_text({name: name}))[ANSIBLE_GROUP]["hosts"]

    assert hosts == {name: {"ansible_host": name}}


def _tasks(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for task in tasks:
        yield task
        for part in ("block", "always"):
            yield from _tasks(task.get(part, []))


@pytest.mark.parametrize("playbook", [APPLY_PLAYBOOK, REVERT_PLAYBOOK])
def test_a_playbook_is_of_the_group_and_of_modules_that_ansible_core_has(playbook: str) -> None:
    """A collection that is not installed would be found out in the middle of a fleet."""
    (play,) = _parsed(playbook)

    assert play["hosts"] == ANSIBLE_GROUP
    modules = {word for task in _tasks(play["tasks"]) for word in task if word not in _WORDS}
    assert modules
    assert {module for module in modules if not module.startswith("ansible.builtin.")} == set()
