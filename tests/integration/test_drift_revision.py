"""The revision of a model through a real agent, from a cache that is laid out as the hub's library does it.

The serving process is this one's child: what it holds open and which variables it has are read from the kernel.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sparktune.drift.aspects import ROUNDS
from sparktune.drift.aspects.revision import ASPECT
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.merge import merge_reads
from sparktune.io.transport.session import NodeSession
from sparktune.model.drift import DriftRow, DriftStatus, DriftView, PartSeen, ServicePlace
from sparktune.model.setting import Layer, Origin, Setting

_MODEL = "org/tiny"
_OLD, _NEW = "a" * 40, "b" * 40
_CONFIG, _WEIGHTS, _README, _README_NEW = "1" * 40, "2" * 64, "3" * 40, "4" * 40
_LATER_NS = 4_000_000_000_000_000_000  # so that nothing here counts as changed since the start


def _cache(home: Path, *, weights: bytes = b"w" * 999, readme: str = _README_NEW) -> Path:
    """Make a cache with two revisions that differ in README.md only; refs/main is the new one."""
    folder = home / "hub/models--org--tiny"
    blobs = {_CONFIG: b"{}", _WEIGHTS: weights, _README: b"old", readme: b"new words"}
    (folder / "blobs").mkdir(parents=True)
    for name, content in blobs.items():
        (folder / "blobs" / name).write_bytes(content)
    for commit, text in ((_OLD, _README), (_NEW, readme)):
        below = folder / "snapshots" / commit
        (below / "sub").mkdir(parents=True)
        (below / "config.json").symlink_to(f"../../blobs/{_CONFIG}")
        (below / "README.md").symlink_to(f"../../blobs/{text}")
        (below / "sub/model.safetensors").symlink_to(f"../../../blobs/{_WEIGHTS}")
    (folder / "refs").mkdir()
    (folder / "refs/main").write_text(_NEW)
    return folder


@contextmanager
def _process(home: Path, hold: Path | None = None) -> Iterator[int]:
    """Run a process whose cache is there, and which may hold a file of it open."""
    code = "import sys; held = [open(path) for path in sys.argv[1:]]; print('up', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        (sys.executable, "-c", code, *([str(hold)] if hold else [])),
        env={"HF_HOME": str(home), "HF_TOKEN": "hf_secret"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b"up\n"
        yield child.pid
        child.stdin.close()


async def _part(node: str, pid: int, *, start_ns: int = _LATER_NS, **live: str) -> PartSeen:
    """Ask as drift does: again, as long as there is more to know."""
    origin = Origin(layer=Layer.LIVE, place=f"pid {pid}")
    settings = {"model": _MODEL, **live}
    part = PartSeen(
        node=node,
        name="head",
        where={},
        engine="vllm",
        pid=pid,
        pids=(pid,),
        start_ns=start_ns,
        live={key: Setting(key=key, value=text, written=text, origin=origin) for key, text in settings.items()},
    )
    async with NodeSession(NodeTarget(name="here")) as session:
        for _round in range(ROUNDS):
            part = replace(part, readings=await session.observe(merge_reads(ASPECT.reads(part))))
    return part


def _rows(*parts: PartSeen, **pins: str) -> tuple[DriftRow, ...]:
    place = ServicePlace(name="svc", launcher="script", where=({},), pins=pins)
    return ASPECT.rows(DriftView(service=place, parts=parts))


async def test_a_file_that_is_open_tells_which_of_two_commits_is_used(tmp_path: Path) -> None:
    """refs/main was moved since; the process still has the old one."""
    folder = _cache(tmp_path)
    with _process(tmp_path, folder / f"snapshots/{_OLD}/README.md") as pid:
        part = await _part("spark1", pid)

    (row,) = _rows(part)

    assert (row.key, row.status) == ("model revision", DriftStatus.UNEARNED)
    assert row.live is not None
    assert (row.live.value, row.live.place) == (_OLD, "its open files")


async def test_another_commit_with_the_same_blobs_is_the_pinned_content(tmp_path: Path) -> None:
    """As a person found it out by hand: only README.md differs."""
    _cache(tmp_path)
    with _process(tmp_path) as pid:
        part = await _part("spark1", pid)

    (row,) = _rows(part, revision=_OLD)

    assert row.status is DriftStatus.OK
    assert row.live is not None
    assert row.live.value == _NEW
    assert "compared blob by blob it differs in README.md" in row.why


async def test_two_nodes_of_one_commit_and_a_blob_that_was_cut_off(tmp_path: Path) -> None:
    _cache(tmp_path / "one")
    _cache(tmp_path / "two", weights=b"w" * 500)
    with _process(tmp_path / "one") as first, _process(tmp_path / "two") as second:
        parts = [await _part("spark1", first), await _part("spark2", second)]

    rows = _rows(*parts)

    assert [row.status for row in rows] == [DriftStatus.NODES_DIFFER] * 2
    assert "spark1 and spark2 part in sub/model.safetensors (999 B and 500 B of one blob)" in rows[0].why


async def test_a_ref_that_moved_after_the_start_tells_nothing(tmp_path: Path) -> None:
    """Two snapshots, none of their files open: a guess would be as good as a coin."""
    folder = _cache(tmp_path)
    moved = (folder / "refs/main").stat().st_mtime_ns
    with _process(tmp_path) as pid:
        part = await _part("spark1", pid, start_ns=moved - 1)

    (row,) = _rows(part, revision=_OLD)

    assert row.status is DriftStatus.UNREADABLE
    assert "refs/main was moved after the process was started" in row.why


async def test_what_a_restart_would_not_find_is_said(tmp_path: Path) -> None:
    folder = _cache(tmp_path)
    (folder / "blobs" / _WEIGHTS).rename(folder / "blobs" / f"{_WEIGHTS}.incomplete")
    with _process(tmp_path) as pid:
        part = await _part("spark1", pid, revision=_NEW)

    (row,) = _rows(part)

    assert row.survives is False
    assert "names blobs that are not there: sub/model.safetensors" in row.why
    assert "unfinished downloads in the cache: 1" in row.why


async def test_a_local_folder_has_sizes_and_times_only(tmp_path: Path) -> None:
    for node, size in (("one", 10), ("two", 11)):
        (tmp_path / node).mkdir()
        (tmp_path / node / "model.gguf").write_bytes(b"x" * size)
    changed = (tmp_path / "one/model.gguf").stat().st_mtime_ns
    with _process(tmp_path) as pid:
        one = await _part("spark1", pid, model=str(tmp_path / "one/model.gguf"))
        late = await _part("spark1", pid, start_ns=changed - 1, model=str(tmp_path / "one/model.gguf"))
        gone = await _part("spark1", pid, model=str(tmp_path / "gone.gguf"))

    (row,), (after,), (missing,) = _rows(one), _rows(late), _rows(gone)

    assert (row.key, row.status) == ("model files", DriftStatus.UNEARNED)
    assert row.file is not None
    assert row.file.text.startswith("1 file, 10 B")
    assert "sizes and times only" in row.why
    assert after.status is DriftStatus.NOT_LIVE
    assert missing.status is DriftStatus.UNREADABLE


async def test_no_other_variable_and_no_content_leaves_the_node(tmp_path: Path) -> None:
    _cache(tmp_path)
    with _process(tmp_path) as pid:
        part = await _part("spark1", pid)

    text = repr(part.readings)

    assert "HF_HOME" in text
    assert "hf_secret" not in text
    assert "new words" not in text
