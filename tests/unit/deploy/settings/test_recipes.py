"""Recipes are rendered as sparkrun renders them, byte for byte, and every character knows where it comes from."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared
from tests.support.yaml_cases import load_yaml

from sparktune.deploy.settings.recipe import Recipe, read_recipe
from sparktune.deploy.settings.recipe_render import OLD, rendered

_CASES = Path(__file__).parents[3] / "cases" / "settings" / "recipes.yaml"


def _recipe(text: str) -> Recipe:
    found = read_recipe(text)
    assert found is not None
    return found


@pytest.mark.parametrize("case", load_yaml(_CASES), ids=lambda case: case["name"])
def test_what_sparkrun_renders(case: dict[str, Any]) -> None:
    recipe = _recipe(case["recipe"])

    assert rendered(recipe).text == case["rendered"]
    if "rendered_old" in case:
        assert rendered(recipe, version=OLD).text == case["rendered_old"]


@pytest.mark.parametrize("case", load_yaml(_CASES), ids=lambda case: case["name"])
def test_every_character_has_a_place_in_the_file(case: dict[str, Any]) -> None:
    found = rendered(_recipe(case["recipe"])).located

    assert len(found.starts) == len(found.ends) == len(found.text)
    assert all(0 <= place <= len(case["recipe"]) for place in (*found.starts, *found.ends))


def test_what_is_left_and_what_is_never_used_is_told() -> None:
    text = (
        "model: m\nruntime: vllm\ndefaults: {seqs: 8, dead: 1}\ncommand: vllm serve {model} --host {host} -n {seqs}\n"
    )

    found = rendered(_recipe(text))

    assert (found.unresolved, found.unused) == (("host",), ("dead",))
    at = found.text.index("8")
    assert text[found.located.starts[at]] == "8"


def test_doubled_braces_stay_invalid_json_with_the_old_sparkrun() -> None:
    """Case 23: there the option comes out as it was written; today's sparkrun fills it in."""
    recipe = _recipe(shared("cases/23-recipe-double-braces-and-dropped-revision/recipe.yaml").read_text())

    old, new = rendered(recipe, version=OLD), rendered(recipe)

    assert """'{{"method":"mtp","num_speculative_tokens":{num_speculative_tokens}}}'""" in old.text
    assert old.unresolved == ("num_speculative_tokens",)
    assert """'{"method":"mtp","num_speculative_tokens":2}'""" in new.text
    assert new.unused == ("max_num_partial_prefills",)
    assert "--revision" not in new.text


def _published() -> str:
    """Return the recipe of seed 004, with the indents that the forum took away put back."""
    lines = shared("seeds/004_bc98aef288f8a15b.txt").read_text().splitlines()
    start, end = (
        lines.index("recipe_version: '2'"),
        next(i for i, one in enumerate(lines) if one.startswith("sparkrun run ")),
    )
    top = ("recipe_version", "model:", "runtime:", "min_nodes", "container", "defaults:", "env:", "command:")
    return "".join(f"{'' if line.startswith(top) else '  '}{line}\n" for line in lines[start:end])


def test_the_published_recipe_leaves_host_and_port_and_says_so() -> None:
    text = _published()

    found = rendered(_recipe(text))

    assert found.unresolved == ("host", "port")
    assert "--host {host} --port {port}" in found.text
    fixed = text.replace("defaults:\n", "defaults:\n  host: 0.0.0.0\n  port: 8000\n")
    assert rendered(_recipe(fixed)).unresolved == ()


@pytest.mark.parametrize(
    "text", ["", "- 1\n", "a: b\n", "model: [\n", "model: x\ncommand: [a]\n", "\0", "defaults: 3\nmodel: x\n"]
)
def test_what_is_no_recipe_is_none_or_plain(text: str) -> None:
    found = read_recipe(text)

    assert found is None or rendered(found).text.startswith("vllm serve x")


def test_values_that_multiply_do_not_fill_the_memory() -> None:
    text = "model: m\nruntime: vllm\ndefaults: {a: '" + "{a}" * 50 + "'}\ncommand: vllm serve {model} {a}\n"

    assert len(rendered(_recipe(text)).text) < 1_000_000
