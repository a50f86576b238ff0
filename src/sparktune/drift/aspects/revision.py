"""The revision of the model that a process uses: beside what is pinned, what its files say, and the other nodes.

Compared blob by blob: by the names of blobs, which are hashes of their content, and by their sizes. No blob is opened,
so that one that was damaged on the disk and kept its size is not found. A folder that is in no cache has no revision:
there are sizes and times only. Source: ``sparktune.drift.model_cache``.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator, Sequence
from typing import Final

from sparktune.drift.aspects._shared import differing, judged, live_text, stamp
from sparktune.drift.model_blobs import broken_files, content_words, only_documents, parting_files, size_differences
from sparktune.drift.models import Used, local_stats, model_reads, models_of, used_model
from sparktune.drift.rows import cell, closed_cell
from sparktune.model.drift import DriftAspect, DriftCell, DriftRow, DriftView
from sparktune.model.observed import State
from sparktune.model.reads import FileStat
from sparktune.units import format_bytes

_ID: Final = "revision"
_SHORT: Final = 12
_LEAST: Final = 7  # letters of a commit that name one
_FILE_KEYS: Final = ("revision", "model_revision", "key.model_revision")
_FETCH: Final = "fetch the same revision on every node (hf download MODEL --revision COMMIT) and start the parts anew"


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    used = [used_model(part, model) for part in view.parts if part.pid for model in models_of(part)]
    pinned = bool(view.service.pins.get("revision"))
    cached = [one for one in used if one.commit.state is not State.ABSENT or (pinned and not one.model.path)]
    local = [one for one in used if one.commit.state is State.ABSENT and one.model.path]
    return (*(_row(view, one, cached) for one in cached), *_local_rows(local))


def _row(view: DriftView, one: Used, others: Sequence[Used]) -> DriftRow:
    live = closed_cell(one.commit.why or one.how or "it is no model of a hub", one.how)
    if one.commit.value is not None:
        live = cell(one.commit.value, one.how, text=one.commit.value[:_SHORT])
    earned, said = _pinned(view, one)
    apart, alike = _apart(one, others)
    file = _of_file(one)
    return judged(
        f"{one.model.kind} revision",
        one.part.node,
        _ID,
        part=one.part.name,
        earned=earned,
        file=file,
        live=live,
        differ=bool(apart),
        why="; ".join(text for text in (said, file.why if file else "", apart or alike, *_troubles(one)) if text),
        hint=_FETCH if apart else "",
        survives=_survives(one),
    )


def _pinned(view: DriftView, one: Used) -> tuple[DriftCell | None, str]:
    """Return the pinned revision, and what the blobs say of it; the same content under two commits is the same."""
    pin = view.service.pins.get("revision", "") if one.model.kind == "model" else ""
    if not pin:
        return None, ""
    commit = one.commit.value
    if commit is None or (len(pin) >= _LEAST and commit.startswith(pin)):
        return cell(commit or pin, "pins.revision", text=pin[:_SHORT]), ""
    snapshots = one.cache.snapshots if one.cache is not None else {}
    mine, meant = snapshots.get(commit), snapshots.get(pin)
    if mine is None or meant is None:
        which = "the pinned snapshot" if meant is None else "its own snapshot"
        return cell(pin, "pins.revision", text=pin[:_SHORT]), (
            f"it uses {commit[:_SHORT]} instead of the pinned {pin[:_SHORT]}; {which} is not in this cache, so that "
            "they cannot be compared blob by blob"
        )
    files = parting_files(mine, meant)
    if only_documents(files):
        what = f"differs in {content_words(files)} only" if files else "is the same"
        return cell(commit, "pins.revision", text=pin[:_SHORT]), (
            f"another commit than the pinned one, but compared blob by blob it {what}"
        )
    return cell(pin, "pins.revision", text=pin[:_SHORT]), f"it is not the pinned content: {content_words(files)}"


def _of_file(one: Used) -> DriftCell | None:
    """Return what the revision in the files means in this cache now; None where the files name none."""
    found = next((said for key in _FILE_KEYS if (said := one.part.file.get(key)) is not None), None)
    if one.model.kind != "model" or found is None or not isinstance(found.value, str):
        return None
    asked, place = found.value, found.origin.place
    refs = one.cache.refs if one.cache is not None else {}
    commit = refs.get(asked, asked)
    given = live_text(one.part, "revision")
    if not given and one.commit.value != commit:
        # A recipe may name a revision that nobody hands to the engine.
        return cell(commit, place, text=asked[:_SHORT], why="the process was not started with it")
    return cell(commit, place, text=asked[:_SHORT])


def _apart(one: Used, others: Sequence[Used]) -> tuple[str, str]:
    """Return how other nodes use another content of the model; and that they use the same under another commit."""
    found: list[str] = []
    alike: list[str] = []
    for other in others:
        same_model = other.model.kind == one.model.kind and other.model.name == one.model.name
        if other is one or not same_model or other.part.node == one.part.node:
            continue
        words, same = _between(one, other)
        (alike if same else found).append(words)
    return "; ".join(text for text in found if text), "; ".join(text for text in alike if text)


def _between(one: Used, other: Used) -> tuple[str, bool]:
    first, second = one.commit.value, other.commit.value
    if first is None or second is None or one.cache is None or other.cache is None:
        return "", True
    mine, theirs = one.cache.snapshots.get(first), other.cache.snapshots.get(second)
    commits = f"{one.part.node} uses {first[:_SHORT]}, {other.part.node} {second[:_SHORT]}"
    if mine is None or theirs is None:
        return (commits, False) if first != second else ("", True)
    files = parting_files(mine, theirs)
    if first == second:
        files |= size_differences(one.cache, other.cache, first)
    matter = {name: how for name, how in files.items() if not only_documents([name])}
    if matter:
        words = f"{one.part.node} and {other.part.node} part in {content_words(matter)}"
        return (f"{commits}; {words}" if first != second else words), False
    return (f"{commits}: compared blob by blob the same" if first != second else ""), True


def _troubles(one: Used) -> Iterator[str]:
    if one.cache is None or one.commit.value is None:
        return
    broken = broken_files(one.cache, one.commit.value)
    if broken and not one.cache.unread:
        yield f"its snapshot names blobs that are not there: {', '.join(broken[:_SHORT])}"
    if one.commit.value not in one.cache.snapshots and not one.cache.unread:
        yield "its snapshot is not in the cache: the next start has to fetch it, or fails"
    if one.cache.unfinished:
        yield f"unfinished downloads in the cache: {len(one.cache.unfinished)}"


def _survives(one: Used) -> bool | None:
    """Whether a restart uses the same: one that is asked for by its commit and is there."""
    if one.commit.value is None or one.cache is None or one.cache.unread:
        return None
    if one.commit.value not in one.cache.snapshots or broken_files(one.cache, one.commit.value):
        return False
    fixed = one.commit.value in {one.model.revision, *one.model.name.split("/")}
    # Without the network refs/main stays; with it the hub has the last word, and nobody here knows it.
    return True if fixed else None


def _local_rows(local: Sequence[Used]) -> Iterator[DriftRow]:
    sizes: dict[str, dict[str, str]] = {}
    for one in local:
        found = local_stats(one.part, one.model.path).value or {}
        for name, seen in found.items():
            if not only_documents([name]):
                sizes.setdefault(f"{one.model.name}: {name}", {})[one.part.node] = f"{seen.size} bytes"
    apart = {name: words for name, nodes in sizes.items() if (words := differing(nodes))}
    for one in local:
        mine = [f"{name}: {words}" for name, words in apart.items() if name.startswith(f"{one.model.name}: ")]
        yield _local_row(one, "; ".join(mine[:_LEAST]))


def _local_row(one: Used, apart: str) -> DriftRow:
    key, place = f"{one.model.kind} files", one.model.name
    found = local_stats(one.part, one.model.path)
    if found.value is None:
        return judged(key, one.part.node, _ID, part=one.part.name, live=closed_cell(found.why, place))
    newest = max(found.value.values(), key=lambda seen: seen.mtime_ns)
    late = bool(one.part.start_ns) and newest.mtime_ns > one.part.start_ns
    text = _summary(list(found.value.values()), newest)
    why = "a file of the model was changed after the process was started" if late else ""
    return judged(
        key,
        one.part.node,
        _ID,
        part=one.part.name,
        file=cell("changed" if late else "as loaded", place, text=text),
        live=cell("as loaded", f"pid {one.part.pid}", text="as it was at the start"),
        differ=bool(apart),
        why="; ".join(said for said in (why, apart, "no revision here: sizes and times only") if said),
        hint=f"copy the same files to every node: {place}" if apart else "",
    )


def _summary(files: Sequence[FileStat], newest: FileStat) -> str:
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    return f"{count}, {format_bytes(sum(seen.size for seen in files))}, newest {stamp(newest.mtime_ns)}"


ASPECT = DriftAspect(
    id=_ID,
    title="the revision of the model, blob by blob",
    why="A name without a commit is another model after the next download; two nodes with two of them load, and answer "
    "wrongly or not at all.",
    source="https://huggingface.co/docs/huggingface_hub/guides/manage-cache",
    rows=_rows,
    reads=model_reads,
)
