"""Files of a report in a folder, read as a case."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparktune.io.case_files import CaseFiles, read_case_files
from sparktune.model.node import NodeFacts


@pytest.fixture(name="report")
def case_report(tmp_path: Path) -> Callable[[dict[str, str]], CaseFiles]:
    """Return what writes files by name, and reads their folder."""

    def read(files: dict[str, str]) -> CaseFiles:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return read_case_files(tmp_path)

    return read


def only_node(files: CaseFiles) -> NodeFacts:
    """Return the node of a report that is of one."""
    (node,) = files.cluster.nodes
    return node
