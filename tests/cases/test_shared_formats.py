"""Files of public reports, as captured: each is read, and comes back byte for byte."""

import pytest
from tests.support.shared import shared

from sparktune.formats.kinds import all_formats, format_of, read_text
from sparktune.model.document import NotThisFormat

_FILES = [
    ("cases/11-gid-table-drifted-index3-empty/compose_excerpt.yaml", "compose", 1),
    ("cases/11-gid-table-drifted-index3-empty/env.canary128", "env", 3),
    ("cases/13-empty-string-is-not-unset/docker-compose.yml", "compose", 9),
    ("cases/15-hca-list-contains-unaddressed-twin/effective_env.txt", "env", 3),
    ("cases/22-recipe-jit-cache-root-owned/recipe.yaml", "recipe", 28),
    ("cases/23-recipe-double-braces-and-dropped-revision/recipe.yaml", "recipe", 16),
]


@pytest.mark.parametrize(("path", "kind", "entries"), _FILES)
def test_a_reported_file_is_read_and_comes_back(path: str, kind: str, entries: int) -> None:
    text = shared(path).read_bytes().decode()

    document = read_text(path.rsplit("/", 1)[-1], text)

    assert document.format == kind
    assert len(document.entries) == entries
    assert all(one.span is not None or one.fixed for one in document.entries)
    form = next(one for one in all_formats() if one.id == kind)
    for entry in document.entries:
        if entry.text is not None:
            assert form.write(document, entry.part, entry.kind, entry.name, entry.text) == text


def test_a_recipe_pasted_in_a_forum_has_lost_its_indentation() -> None:
    """The article's recipe, as published, is no YAML that says what it meant: where that begins is told."""
    lines = shared("seeds/004_bc98aef288f8a15b.txt").read_text().split("\n")
    start = lines.index("recipe_version: '2'")
    end = next(place for place in range(start, len(lines)) if lines[place].startswith("sparkrun run"))
    text = "\n".join(lines[start:end])

    with pytest.raises(NotThisFormat, match="lost its indentation") as refused:
        format_of("dspark.yaml", text).read("dspark.yaml", text)

    assert text.split("\n")[refused.value.line - 1] == "defaults:"
    assert "pasting" in refused.value.hint
