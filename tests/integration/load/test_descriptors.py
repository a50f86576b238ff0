"""A wave whose connections cannot all be opened measures something else than what was asked for."""

import resource
from collections.abc import Iterator

import pytest

from sparktune.errors import UsageError
from sparktune.io.load.descriptors import reserve_descriptors


@pytest.fixture
def hard_limit() -> Iterator[int]:
    """Lower the soft limit for the test; what it raised is put back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_takes_more_files_where_the_system_allows_them(hard_limit: int) -> None:
    if hard_limit != -1 and hard_limit < 1_128:
        pytest.skip(f"the hard limit here is {hard_limit}")

    reserve_descriptors(1_000)

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (1_128, hard_limit)


def test_says_what_is_missing_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1_024))

    with pytest.raises(
        UsageError, match="5000 streams at once need 5128 open files, this process may have 1024"
    ) as told:
        reserve_descriptors(5_000)

    assert "ulimit -Hn 5128" in told.value.hint
