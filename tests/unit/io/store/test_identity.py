"""Run ids: readable, sorted by time, different within a second."""

from hypothesis import given
from hypothesis import strategies as st

from sparktune.io.store.identity import new_run_id

_WALL = st.floats(min_value=1_700_000_000, max_value=4_000_000_000)  # two-digit years sort until 2099


def test_an_id_reads_as_its_date() -> None:
    assert new_run_id(1_795_974_616.7, bytes(8)) == "261129-175016-000"


@given(_WALL, _WALL, st.binary(min_size=2, max_size=16), st.binary(min_size=2, max_size=16))
def test_ids_sort_by_time(first: float, second: float, one: bytes, two: bytes) -> None:
    early, late = sorted((first, second))
    if int(early) < int(late):
        assert new_run_id(early, one) < new_run_id(late, two)


@given(st.binary(min_size=2, max_size=2))
def test_ids_are_easy_to_type(entropy: bytes) -> None:
    assert set(new_run_id(1_795_974_616.0, entropy)) <= set("0123456789abcdefghjkmnpqrstvwxyz-")


def test_entropy_parts_runs_of_one_second() -> None:
    assert len({new_run_id(1_795_974_616.0, bytes((high, low))) for high in range(64) for low in range(64)}) == 64 * 64
