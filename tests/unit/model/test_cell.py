import pytest

from sparktune.model.cell import Cell


@pytest.mark.parametrize(
    ("depth", "concurrency", "label", "total"),
    [(0, 1, "pp512 tg128 c1", 512), (4096, 4, "pp512 tg128 @ d4096 c4", 4608)],
)
def test_a_cell_names_its_row_and_what_a_request_carries(depth: int, concurrency: int, label: str, total: int) -> None:
    cell = Cell(prompt_tokens=512, output_tokens=128, depth=depth, concurrency=concurrency)

    assert (cell.label, cell.total_prompt_tokens) == (label, total)


@pytest.mark.parametrize(
    "change", [{"prompt_tokens": 0}, {"output_tokens": 0}, {"depth": -1}, {"concurrency": 0}], ids=str
)
def test_a_cell_that_cannot_be_sent_is_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="needs positive prompt, output and concurrency"):
        Cell(**{"prompt_tokens": 1, "output_tokens": 1, **change})
