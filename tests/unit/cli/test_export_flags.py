"""Mistakes in the flags of ``export`` are said before any node is asked."""

from pathlib import Path

import pytest

from sparktune.cli._export import ExportArguments, run_export
from sparktune.errors import UsageError


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (ExportArguments(out=Path("sparktune.txt")), "node_exporter reads files that end in .prom"),
        (ExportArguments(out=Path("no-folder/sparktune.prom")), "cannot be written"),
        (ExportArguments(every="60s"), "there is no --listen"),
        (ExportArguments(listen="0", out=Path("x.prom")), "--out writes once"),
        (ExportArguments(listen="0", as_json=True), "--json writes once"),
        (ExportArguments(listen="host:name"), "not 'host:name'"),
        (ExportArguments(listen="65536"), "not '65536'"),
        (ExportArguments(listen="0", every="1s"), "busy with answering"),
        (ExportArguments(listen="0", every="often"), "--every"),
        (ExportArguments(earned=Path("none.yaml")), "there is no file none.yaml"),
        (ExportArguments(nodes=","), "names no node"),
        (ExportArguments(nodes="-oProxyCommand=x"), "is no name of a node"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_is_said_before_any_node_is_asked(
    arguments: ExportArguments, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError) as caught:
        run_export(arguments)

    assert said in str(caught.value)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []
