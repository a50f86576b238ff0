"""Answers of a node for tests: read from a folder that looks like its root, or from plain text by path."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from sparktune.model.observed import Observed, absent, present
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks, ReadNames


def readings_of_tree(root: Path, reads: Iterable[Read]) -> Readings:
    """Answer every file, pattern, link and name from below ``root``; commands are absent."""
    asked = tuple(reads)
    files = {read.path: _text(root / read.path.lstrip("/")) for read in asked if isinstance(read, ReadFile)}
    matches = {
        read.pattern: {name: _text(path) for name, path in _found(root, read.pattern) if path.is_file()}
        for read in asked
        if isinstance(read, ReadFiles)
    }
    links = {
        read.pattern: {name: str(path.readlink()) for name, path in _found(root, read.pattern) if path.is_symlink()}
        for read in asked
        if isinstance(read, ReadLinks)
    }
    names = {
        read.pattern: tuple(name for name, _ in _found(root, read.pattern))
        for read in asked
        if isinstance(read, ReadNames)
    }
    return Readings(files=files, matches=matches, links=links, names=names)


def _text(path: Path) -> Observed[str]:
    return present(path.read_text("utf-8", "replace")) if path.is_file() else absent()


def _found(root: Path, pattern: str) -> list[tuple[str, Path]]:
    return [(f"/{path.relative_to(root)}", path) for path in sorted(root.glob(pattern.lstrip("/")))]


def readings_of_text(
    reads: Iterable[Read],
    texts: Mapping[str, str],
    *,
    commands: Mapping[str, CommandOutput] | None = None,
    links: Mapping[str, str] | None = None,
    names: Iterable[str] = (),
) -> Readings:
    """Answer from text by path; a command by the words that its command line starts with.

    Whatever no read asks for raises, so that a case does not describe what nobody looks at.
    """
    asked, links, names, commands = tuple(reads), links or {}, tuple(names), commands or {}
    paths = {read.path for read in asked if isinstance(read, ReadFile)}
    argvs = [read.argv for read in asked if isinstance(read, ReadCommand)]
    readings = Readings(
        files={path: present(texts[path]) for path in paths & set(texts)},
        matches={
            read.pattern: {path: present(text) for path, text in texts.items() if _matches(path, read.pattern)}
            for read in asked
            if isinstance(read, ReadFiles)
        },
        links={
            read.pattern: {path: target for path, target in links.items() if _matches(path, read.pattern)}
            for read in asked
            if isinstance(read, ReadLinks)
        },
        names={
            read.pattern: tuple(name for name in names if _matches(name, read.pattern))
            for read in asked
            if isinstance(read, ReadNames)
        },
        commands={
            argv: present(result)
            for start, result in commands.items()
            for argv in argvs
            if " ".join(argv).startswith(start)
        },
    )
    patterns = [read.pattern for read in asked if not isinstance(read, ReadFile | ReadCommand)]
    given = (*texts, *links, *names)
    unread = [path for path in given if path not in paths and not any(_matches(path, pattern) for pattern in patterns)]
    unread += [start for start in commands if not any(" ".join(argv).startswith(start) for argv in argvs)]
    assert not unread, f"no source reads {sorted(unread)}"
    return readings


def _matches(path: str, pattern: str) -> bool:
    """Match piece by piece: a star does not reach over a slash, as in a shell."""
    pieces, wanted = path.strip("/").split("/"), pattern.strip("/").split("/")
    return len(pieces) == len(wanted) and all(
        Path(piece).match(want) for piece, want in zip(pieces, wanted, strict=True)
    )
