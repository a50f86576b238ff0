"""llama-benchy's command lines must run unchanged; a rewritten word in the wrong place would measure something else."""

import pytest

from sparktune.cli._argv import join_lists

CASES = [
    ("bench --pp 128 512 2048 --tg 32 128", "bench --pp 128,512,2048 --tg 32,128"),
    ("bench --depth 0 4096 --runs 3", "bench --depth 0,4096 --runs 3"),
    ("bench --concurrency 1 2 4 6 http://h:1/v1", "bench --concurrency 1,2,4,6 http://h:1/v1"),
    ("bench --pp 128,512 1024", "bench --pp 128,512,1024"),
    ("bench --pp=128 512", "bench --pp=128 512"),
    ("bench --runs 3 4", "bench --runs 3 4"),
    ("bench --pp", "bench --pp"),
    ("bench --pp --tg 4", "bench --pp --tg 4"),
    ("guard -- tool --pp 1 2", "guard -- tool --pp 1 2"),
    ("", ""),
]


@pytest.mark.parametrize(("given", "expected"), CASES)
def test_lists_after_list_flags_are_joined(given: str, expected: str) -> None:
    assert join_lists(given.split()) == expected.split()
