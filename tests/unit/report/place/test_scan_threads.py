"""Many threads of a busy machine want a core for the same reasons: a page of one line hides the one that differs."""

from tests.support.pin_views import pin_poller

from sparktune.model.place import Poller
from sparktune.report.place.scan_threads import thread_lines

_LIKELY = {"process": "backup", "windows": {"idle": None}, "evidence": []}


def _likely(tid: int, **more: object) -> Poller:
    return pin_poller({**_LIKELY, "tid": tid, **more})


def test_a_reason_is_said_once_with_the_threads_that_it_is_for() -> None:
    in_kernel = {"windows": {"idle": None, "system": 0.9}}
    lines = list(thread_lines([_likely(11), _likely(12), _likely(111, **in_kernel)]))

    assert [line.split(" (")[0] for line in lines[:3]] == ["  likely: tid 11", "  likely: tid 12", "  likely: tid 111"]
    why, other, first, then = lines[3:]
    assert why.startswith("    why (tid 11, 12): it wanted a whole core")
    assert other.startswith("    why (tid 111): it wanted a whole core")
    assert first.startswith("    first (all 3): find out what it does")
    assert then.startswith("    then (all 3): see whether moving that thread alone helps")
    assert "place trial TID@spark2; to move it: sparktune place pin TID@spark2" in then


def test_what_is_for_one_thread_can_be_copied_with_its_number() -> None:
    lines = list(thread_lines([_likely(11), _likely(12, process="llama-server", engine="llamacpp")]))
    assert any(line.startswith("    why (all 2): ") for line in lines)
    own = [line for line in lines if "place trial" in line or "do not move" in line]
    assert own
    alone = list(thread_lines([_likely(11)]))[-1]
    assert alone.startswith("    then: ")
    assert "sparktune place trial 11@spark2" in alone


def test_a_long_list_of_threads_is_cut() -> None:
    many = [_likely(tid) for tid in range(100, 120)]
    lines = list(thread_lines([*many, _likely(200, windows={"idle": None, "system": 0.9})]))
    assert sum(line.startswith("    why") for line in lines) == 2
    assert "100, 101" in lines[21]
    assert " 111 and 8 more): " in lines[21]
