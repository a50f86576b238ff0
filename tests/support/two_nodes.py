"""Two made-up nodes of one cluster, and plans for them: one that can be carried out, and one that fails."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.plans import plan_of

from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import NodePlan
from sparktune.model.profile import Profile
from sparktune.model.step import FileStep, ValueStep

SWAPPINESS = "/proc/sys/vm/swappiness"
_BOOT = "00000000-0000-4000-8000-000000000001"
_SWAP_LESS = ValueStep(path=SWAPPINESS, text="1", lasting=True, expect={SWAPPINESS: "60"})
CONFIG = FileStep(path="/etc/sysctl.d/99-zz-sparktune.conf", text="vm.swappiness = 1\n")
_IN_A_FILE = FileStep(path="/proc/version/none.conf", text="x\n")  # a folder that is a file
FINE = (CONFIG, _SWAP_LESS)
FAILS = (_SWAP_LESS, _IN_A_FILE)
_NOTHING_ELSE = Profile(without=("irq-affinity",), allow_slow=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Two made-up nodes, and what their trees were at first."""

    targets: tuple[NodeTarget, NodeTarget]
    before: tuple[str, str]

    def path(self, node: int, path: str) -> Path:
        """Return where a path of a node really is."""
        root = self.targets[node].root
        assert root is not None
        return root / path.lstrip("/")

    def as_before(self, node: int) -> bool:
        """Tell whether a node's tree is what it was, byte for byte."""
        return tree_hash(self.path(node, "/")) == self.before[node]

    def swappiness(self, node: int) -> str:
        """Return the live value on a node."""
        return self.path(node, SWAPPINESS).read_text().strip()

    def plans(
        self, one: tuple[FileStep | ValueStep, ...], other: tuple[FileStep | ValueStep, ...]
    ) -> dict[str, NodePlan]:
        """Return plans of these steps for both nodes."""
        return {
            target.name: replace(plan_of(*steps, node=target.name, boot_id=_BOOT), profile=_NOTHING_ELSE)
            for target, steps in zip(self.targets, (one, other), strict=True)
        }


@pytest.fixture(name="cluster")
def two_nodes(tmp_path: Path) -> Cluster:
    """Return two nodes on trees of their own, with nothing applied."""
    one = write_node(tmp_path / "spark1", last=11, idle=True)
    two = write_node(tmp_path / "spark2", last=12, idle=True)
    return Cluster(targets=(one, two), before=(tree_hash(tmp_path / "spark1"), tree_hash(tmp_path / "spark2")))
