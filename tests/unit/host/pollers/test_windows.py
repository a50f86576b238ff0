"""What two looks at a thread tell: on a loaded machine the kernel's counts lag behind what the thread wants."""

import pytest

from sparktune.host.pollers.windows import looks_of, survey, window_between
from sparktune.model.place import ThreadWindow
from sparktune.model.sample import Sample

_KEY = (10, 11)
_NS = 1_000_000_000


def _sample(
    at_s: float,
    *,
    state: str = "R",
    ran_s: float = 0.0,
    waited_s: float = 0.0,
    voluntary: int = 0,
    user: int = 0,
    system: int = 0,
    started: int = 900,
    io: str | None = "rchar: 5\nwchar: 7\n",
) -> Sample:
    stat = f"11 (a (b) c) {state} 1 1 1 0 -1 64 0 0 0 0 {user} {system} 0 0 20 0 9 0 {started} 0 0 0 0 0 0 0"
    texts = {
        "schedstat": f"{int(ran_s * _NS)} {int(waited_s * _NS)} 5\n",
        "stat": f"{stat} 0 0 0 0 0 0 0 0 17 7 0 0 0 0 0\n",
        "status": f"Cpus_allowed_list:\t5-9\nvoluntary_ctxt_switches:\t{voluntary}\n",
    } | ({"io": io} if io is not None else {})
    folder = "/proc/10/task/11"
    return Sample(
        tick=0,
        monotonic_ns=int(at_s * _NS),
        wall_ns=0,
        texts={f"{folder}/{name}": text for name, text in texts.items()},
    )


def _window(first: Sample, last: Sample) -> ThreadWindow | None:
    return window_between(looks_of(first), looks_of(last), _KEY, asked_s=2.0, idle=None)


def test_one_that_never_slept_wanted_a_whole_core_however_little_was_counted() -> None:
    """A third of the spins was missed when a wait that had not ended yet counted as sleep."""
    window = _window(_sample(0), _sample(2, ran_s=0.1, waited_s=0.7))

    assert window is not None
    assert window.demand == 1.0
    assert window.ran == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ({"state": "S"}, {"state": "R"}),
        ({"state": "R"}, {"state": "S"}),
        ({"state": "R"}, {"state": "R", "voluntary": 1}),
    ],
)
def test_one_that_slept_wanted_what_was_counted(first: dict[str, str], last: dict[str, str]) -> None:
    window = _window(_sample(0, **first), _sample(2, ran_s=0.1, waited_s=0.7, **last))  # type: ignore[arg-type]

    assert window is not None
    assert window.demand == pytest.approx(0.4)


def test_a_wait_that_began_earlier_makes_up_for_what_its_window_lacks() -> None:
    window = _window(_sample(0), _sample(2, ran_s=0.5, waited_s=1.9, voluntary=1))

    assert window is not None
    assert window.demand == pytest.approx(1.2)


def test_the_share_of_the_kernel_and_what_was_moved() -> None:
    window = _window(_sample(0), _sample(2, user=10, system=30, io="rchar: 2000005\nwchar: 7\nsyscr: 1\n"))

    assert window is not None
    assert window.system == pytest.approx(0.75)
    assert window.moved_bytes_per_s == pytest.approx(1e6)
    assert window.core == 7


def test_what_is_not_told_stays_unknown() -> None:
    """Only root and its own user may read a thread's io; no tick of time says nothing of where it was spent."""
    window = _window(_sample(0, io=None), _sample(2))

    assert window is not None
    assert window.moved_bytes_per_s is None
    assert window.system is None


@pytest.mark.parametrize("last", [_sample(2, started=901), _sample(20), _sample(0)])
def test_another_thread_or_no_such_window_tells_nothing(last: Sample) -> None:
    assert _window(_sample(0), last) is None


def test_the_first_look_takes_those_that_wait_all_the_time() -> None:
    """On a machine that is loaded enough a spin may not get a core for a second: nothing is counted yet."""
    assert survey(looks_of(_sample(0)), looks_of(_sample(1)), 0.1) == [_KEY]
    assert survey(looks_of(_sample(0, state="S")), looks_of(_sample(1, state="S")), 0.1) == []
    assert survey(looks_of(_sample(0, state="S")), looks_of(_sample(1, state="S", ran_s=0.2)), 0.1) == [_KEY]
