"""A benchmark whose store is full ends with what was measured, and says how to go on with the rest."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sparktune.cli import _bench
from sparktune.errors import StoreError


class _FullStore:
    def save_result_summary(self, _result: object) -> None:
        message = "the store is full"
        raise StoreError(message)


@pytest.mark.parametrize("hint", ["free some space there", ""])
def test_it_names_the_command_that_goes_on(hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def opened(*_arguments: object) -> AsyncIterator[tuple[None, object]]:
        yield None, SimpleNamespace(id="261130-181149-0d1")

    async def full(*_arguments: object) -> None:
        message = "the store is full"
        raise StoreError(message, hint=hint)

    monkeypatch.setattr(_bench, "open_bench", opened)
    monkeypatch.setattr(_bench, "run_bench", full)
    monkeypatch.setattr(_bench, "rebuild", lambda _store, run: run)
    shown: list[tuple[Any, bool]] = []
    with pytest.raises(StoreError, match="the store is full") as caught:
        asyncio.run(
            _bench._measure_and_show(
                cast("Any", None), cast("Any", _FullStore()), cast("Any", None), lambda *told: shown.append(told)
            )
        )

    assert caught.value.hint.startswith(hint)
    assert caught.value.hint.endswith("then go on with: sparktune bench --resume 261130-181149-0d1")
    assert [told for _, told in shown] == [True]
