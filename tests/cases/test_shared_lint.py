"""Files of reports and of public recipes, read in place: what lint says of them is what was wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared

from sparktune.errors import UsageError
from sparktune.flows.lint import LintQuestion, lint
from sparktune.report.lint.json import lint_json

_RECIPE_OF = "seeds/004_bc98aef288f8a15b.txt"
_Found = list[dict[str, Any]]


def _lint(*paths: Path, folder: Path | None = None, image: Path | None = None) -> tuple[int, _Found]:
    asked = lint(
        LintQuestion(files=tuple(map(str, paths)), folder=folder, image_facts=image, ask_sparkrun=False),
    )
    found: _Found = json.loads(lint_json(asked.view, asked.findings))["findings"]
    return int(asked.exit_code), found


def _of(found: _Found, rule: str, severity: str = "") -> list[tuple[int | None, str]]:
    return [
        (one["line"], f"{one['evidence']}; {one['hint']}")
        for one in found
        if one["rule"] == rule and severity in {"", one["severity"]}
    ]


def test_case_11_an_index_whose_slot_is_empty() -> None:
    folder = shared("cases/11-gid-table-drifted-index3-empty")

    code, found = _lint(folder / "compose_excerpt.yaml", folder / "env.canary128", folder=folder)

    assert code == 3
    told = _of(found, "gid-index-empty", "error")
    assert [line for line, _ in told] == [4, 4]
    assert [one["node"] for one in found if one["rule"] == "gid-index-empty"] == ["node0", "node1"]
    assert "192.168.100.10 is at index 4" in told[0][1]
    assert "192.168.100.11 is at index 4" in told[1][1]
    assert all("unset" in words and "never store it" in words and "cable" not in words for _, words in told)


def test_case_13_five_variables_that_are_empty() -> None:
    code, found = _lint(shared("cases/13-empty-string-is-not-unset/docker-compose.yml"))

    assert code == 3
    told = _of(found, "empty-variable")
    assert [line for line, _ in told] == [6, 7, 8, 9, 10]
    for (_, words), consequence in zip(
        told, ("index 0", "Invalid value ''", "expected 2, got 1", "as a number", "/etc/nccl.conf"), strict=True
    ):
        assert consequence in words
        assert "without a value" in words
    assert _of(found, "memory-fraction", "warning")[0][0] == 11


def test_case_14_two_interfaces_that_are_down() -> None:
    folder = shared("cases/14-env-placeholders-and-one-concrete-ifname")

    code, found = _lint(folder / ".env.dspark", folder=folder)

    assert code == 3
    told = _of(found, "socket-without-address", "error")
    assert [line for line, _ in told] == [5, 6]
    assert all("enp1s0f1np1 has no IPv4 address and is down" in words for _, words in told)
    assert all("enp1s0f0np0 (10.0.22.1/24)" in words for _, words in told)
    assert _of(found, "pinned-gid", "error")[0][0] == 7
    assert _of(found, "placeholder-left", "error")[0][0] == 9
    assert not [one for one in found if one["line"] in {3, 4}], "the devices that are right"


def test_case_14_without_the_node() -> None:
    """The file alone tells that its interfaces differ, and not which one is right."""
    _, found = _lint(shared("cases/14-env-placeholders-and-one-concrete-ifname/.env.dspark"))

    assert sorted(line or 0 for line, _ in _of(found, "socket-interface", "warning")) == [5, 6]
    assert not _of(found, "socket-without-address")


def test_case_15_a_twin_without_an_address() -> None:
    folder = shared("cases/15-hca-list-contains-unaddressed-twin")

    code, found = _lint(folder / "effective_env.txt", folder=folder)

    assert code == 3
    ((line, words),) = _of(found, "hca-without-gid", "error")
    assert line == 1
    assert "NCCL_IB_HCA=rocep1s0f0, or give enP2p1s0f0np0 an address in a subnet of its own" in words
    assert _of(found, "gid-index-shared", "error")[0][0] == 2
    assert _of(found, "control-on-wifi", "warning")[0][0] == 3
    assert not _of(found, "socket-without-address"), "an excerpt does not tell of all interfaces"


def test_case_21_leaving_out_is_not_turning_off() -> None:
    code, found = _lint(shared("cases/21-flag-accepted-then-resolved-away/compose_without_async.txt"))

    assert code == 0
    assert "--no-async-scheduling" in _of(found, "left-out-is-on", "info")[0][1]


def test_case_21_a_flag_that_may_not_be_live(tmp_path: Path) -> None:
    """The case has the options alone; behind a serving command they are looked at."""
    options = shared("cases/21-flag-accepted-then-resolved-away/serve.txt").read_text()
    (tmp_path / "serve.sh").write_text(f"vllm serve m {options}")

    _, found = _lint(tmp_path / "serve.sh")

    ((_, words),) = _of(found, "engine-decides", "warning")
    assert "fuse_gemm_comms" in words
    assert "do not force it with sp_min_token_num" in words


def test_case_22_caches_of_root_and_a_small_graph() -> None:
    folder = shared("cases/22-recipe-jit-cache-root-owned")

    code, found = _lint(folder / "recipe.yaml", image=folder / "image_facts.json")

    assert code == 3
    written, baked = (_of(found, "jit-cache-folder", severity) for severity in ("error", "warning"))
    assert [words.partition("=")[0] for _, words in written] == ["TRITON_CACHE_DIR", "VLLM_CACHE_DIR"]
    assert [words.partition(" ")[0] for _, words in baked] == ["FLASHINFER_WORKSPACE_BASE", "XDG_CACHE_HOME"]
    assert all("root:root 0755" in words and "1000" in words for _, words in written + baked)
    ((line, words),) = _of(found, "graph-coverage", "error")
    assert line == 12
    assert "at most 1 of 128 requests" in words
    assert "the image's own is 128" in words
    assert "{attn}" in _of(found, "placeholder-left", "error")[0][1]
    assert len(_of(found, "placeholder-left", "warning")) == 2, "{host} and {port} are often given at the start"
    assert _of(found, "overridden-variable", "warning")[0][0] == 18


def test_case_23_braces_and_a_revision() -> None:
    code, found = _lint(shared("cases/23-recipe-double-braces-and-dropped-revision/recipe.yaml"))

    assert code == 3
    ((line, words),) = _of(found, "invalid-json-flag", "error")
    assert line == 16
    assert '\'{{"method":"mtp","num_speculative_tokens":{num_speculative_tokens}}}\'' in words
    assert "reasoning" not in words
    assert _of(found, "revision-not-passed", "warning")[0][0] == 3
    assert _of(found, "dead-default", "warning")[0][0] == 11
    assert _of(found, "floating-tag", "warning")[0][0] == 5
    assert _of(found, "overridden-variable", "warning")[0][0] == 13


def test_case_34_a_script_that_ends_with_3() -> None:
    code, found = _lint(shared("cases/34-restart-order-and-exit-code-3/unit.service"))

    assert code == 3
    assert "SuccessExitStatus=3 and RemainAfterExit=yes" in _of(found, "restart-policy")[0][1]


def _published() -> list[str]:
    lines = shared(_RECIPE_OF).read_text().split("\n")
    first = next(place for place, line in enumerate(lines) if line.startswith("recipe_version:"))
    last = next(place for place, line in enumerate(lines) if line.startswith("sparkrun run"))
    return lines[first:last]


def _indented(lines: list[str]) -> str:
    """Put back what the forum lost: what belongs to defaults, env and command is deeper."""
    shown, deeper = [], False
    for line in lines:
        section = line in {"defaults:", "env:", "command: |"}
        shown.append(f"  {line}" if deeper and not section else line)
        deeper = deeper or section
    return "\n".join(shown) + "\n"


def test_the_recipe_of_seed_004_as_it_was_pasted(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("\n".join(_published()))

    with pytest.raises(UsageError, match=r"recipe.yaml:6: .*lost its indentation") as refused:
        _lint(tmp_path / "recipe.yaml")
    assert "indent" in refused.value.hint


def test_the_recipe_of_seed_004_leaves_its_address_unrendered(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text(_indented(_published()))

    code, found = _lint(tmp_path / "recipe.yaml")

    assert code == 3
    left = _of(found, "placeholder-left", "warning")
    assert ["{host}" in words for _, words in left] == [True, False]
    assert ["{port}" in words for _, words in left] == [False, True]
    assert all("sparkrun recipe validate says nothing of that" in words for _, words in left)
    assert [one for one in found if one["severity"] != "info"] == [
        one for one in found if one["rule"] == "placeholder-left"
    ]


def test_the_recipe_of_seed_004_corrected_is_clean(tmp_path: Path) -> None:
    """What is left are notes: who may reach it, what is beyond its graphs, variables of a fork."""
    text = _indented(_published()).replace("defaults:\n", "defaults:\n  host: 0.0.0.0\n  port: 8000\n")
    (tmp_path / "recipe.yaml").write_text(text)

    code, found = _lint(tmp_path / "recipe.yaml")

    assert code == 0
    assert {one["rule"] for one in found} <= {"graph-coverage", "open-listener", "unknown-variable"}
    ((_, words),) = _of(found, "graph-coverage", "info")
    assert "at most 32 of 128" in words


def test_the_compose_line_of_seed_000(tmp_path: Path) -> None:
    """The lines are pasted into a service, as the article says."""
    lines = shared("seeds/000_1cedbc4fd32a2bb5.txt").read_text().split("\n")
    place = next(place for place, line in enumerate(lines) if line.strip() == "ulimit:")
    pasted = "\n".join(f"    {line.strip()}" for line in lines[place - 1 : place + 1])
    (tmp_path / "compose.yaml").write_text(f"services:\n  vllm:\n    image: x/y:1\n{pasted}\n      memlock: -1\n")

    code, found = _lint(tmp_path / "compose.yaml")

    assert code == 3
    assert "write ulimits instead of ulimit" in _of(found, "misspelt-compose-key", "error")[0][1]
