"""One question for all who want to know: nobody gets less than asked for."""

from sparktune.io.transport.merge import merge_reads
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles, ReadLinks, ReadNames, ReadStats


def test_the_same_subject_is_read_once_with_the_larger_limits() -> None:
    reads = (
        ReadFile(path="/a", most_bytes=10),
        ReadFiles(pattern="/p/*", lines=("A:",), most_files=5, most_bytes=7),
        ReadCommand(argv=("uname",), limit_s=1.0, most_bytes=10),
        ReadFile(path="/a", most_bytes=20),
        ReadFiles(pattern="/p/*", lines=("B:", "A:"), most_files=6, most_bytes=6),
        ReadCommand(argv=("uname",), limit_s=2.0, most_bytes=5),
    )

    assert merge_reads(reads) == (
        ReadFile(path="/a", most_bytes=20),
        ReadFiles(pattern="/p/*", lines=("A:", "B:"), most_files=6, most_bytes=7),
        ReadCommand(argv=("uname",), limit_s=2.0, most_bytes=10),
    )


def test_who_wants_all_lines_gets_all() -> None:
    reads = (ReadFiles(pattern="/p/*", lines=("A:",)), ReadFiles(pattern="/p/*"))

    assert merge_reads(reads) == (ReadFiles(pattern="/p/*"),)
    assert merge_reads(reads[::-1]) == (ReadFiles(pattern="/p/*"),)


def test_kinds_of_reads_are_kept_apart() -> None:
    patterns = tuple(kind(pattern="/p/*") for kind in (ReadFiles, ReadLinks, ReadNames, ReadStats))
    reads = (*patterns, ReadFile(path="/p/*"))

    assert merge_reads(reads) == reads
    assert merge_reads(reads + reads) == reads
