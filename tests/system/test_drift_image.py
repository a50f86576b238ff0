"""The image that a container runs, on a real Docker, through a real agent: a tag that moves, a pin, two nodes.

As root, because a daemon of its own is started; it touches no image of the machine.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.support.dockerd import IMAGE, Docker, dockerd

from sparktune.drift.aspects import image, survives
from sparktune.host.facts import all_reads, read_facts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.merge import merge_reads
from sparktune.io.transport.session import NodeSession
from sparktune.model.drift import DriftRow, DriftStatus, DriftView, PartSeen, ServicePlace

pytestmark = [pytest.mark.root, pytest.mark.timeout(600)]


@pytest.fixture(name="docker")
def _docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Docker]:
    with dockerd() as docker:
        monkeypatch.setenv("DOCKER_HOST", docker.host)
        yield docker


async def _part(docker: Docker, container: str, node: str) -> PartSeen:
    (told,) = json.loads(docker.run("inspect", container))
    part = PartSeen(
        node=node, name="head", where={}, pid=1, container=told["Id"], image=told["Image"], image_name=IMAGE
    )
    async with NodeSession(NodeTarget(name="here")) as session:
        return replace(part, readings=await session.observe(merge_reads(image.ASPECT.reads(part))))


def _rows(*parts: PartSeen, **pins: str) -> tuple[DriftRow, ...]:
    place = ServicePlace(name="svc", launcher="compose", where=({},), pins=pins)
    return image.ASPECT.rows(DriftView(service=place, parts=parts))


async def test_a_tag_that_moves_is_not_live_until_the_container_is_made_anew(docker: Docker) -> None:
    """The third of what this must show: two nodes of one tag and two digests are named."""
    old = docker.start()
    before = await _part(docker, old, "spark1")
    (fresh,) = _rows(before)
    (pinned,) = _rows(before, image=before.image)

    docker.run("commit", "--change", "LABEL another=1", old, IMAGE)
    (moved,) = _rows(await _part(docker, old, "spark1"))
    (kept,) = _rows(await _part(docker, old, "spark1"), image=before.image)
    new = docker.start()
    pair = _rows(await _part(docker, old, "spark1"), await _part(docker, new, "spark2"))

    assert fresh.status is DriftStatus.UNEARNED
    assert pinned.status is DriftStatus.OK
    assert moved.status is DriftStatus.NOT_LIVE
    assert moved.survives is False
    assert (kept.status, kept.also) == (DriftStatus.NOT_LIVE, (DriftStatus.FILE_DRIFT,))
    assert [row.node for row in pair] == ["spark1", "spark2"]
    assert pair[0].also == (DriftStatus.NODES_DIFFER,)
    assert pair[1].status is DriftStatus.NODES_DIFFER
    assert before.image[:19] in pair[1].why

    docker.run("rm", "--force", old)
    docker.run("rmi", "--force", IMAGE)
    (gone,) = _rows(await _part(docker, new, "spark2"))
    assert gone.status is DriftStatus.NOT_LIVE
    assert "names no image on this node" in gone.why


async def test_what_docker_does_not_start_again_is_said(docker: Docker) -> None:
    ids = {"no": docker.start(), "unless-stopped": docker.start("--restart=unless-stopped")}
    async with NodeSession(NodeTarget(name="here")) as session:
        facts = read_facts("spark1", await session.observe(merge_reads(all_reads())))
    place = ServicePlace(name="svc", launcher="compose", where=({},))

    for policy, full_id in ids.items():
        part = PartSeen(node="spark1", name="head", where={}, pid=1, container=full_id)
        rows = survives.ASPECT.rows(DriftView(service=place, parts=(part,), nodes=(facts,)))
        first = next(row for row in rows if row.key == "comes back after a reboot")
        assert first.survives is (policy != "no")
        assert "made by docker run" in next(row for row in rows if row.key == "settings kept in a file").why
