"""What the screen shows is a function of the state: judged here without a terminal."""

from dataclasses import replace

import pytest
from tests.support import watched

from sparktune.report.watch import WatchedNode
from sparktune.report.watch.details import page_of
from sparktune.report.watch.marks import line_of
from sparktune.report.watch.state import News, WatchState, updated

_SIZES = [(80, 23), (100, 29), (40, 8), (20, 3), (200, 60)]


def test_the_example_in_eighty_columns() -> None:
    """All kinds of things are on the smallest screen: nodes, cores, memory, threads, engine, drift, findings."""
    rows = watched.shown(watched.example_state(), columns=80, rows=23)

    assert len(rows) <= 23
    assert rows[0] == "sparktune watch  node 1 of 3, every 1 s  1 without an answer"
    assert rows[1] == "> spark1       fast  15 %  slow   6 %  21.0 GiB free  63 C  GPU 94 % 61 W"
    assert "5.2 GiB free LOW" in rows[2]
    assert rows[3].startswith("  spark3       no answer: spark3: ssh: connect")
    text = "\n".join(rows)
    for words in (
        "fast    [  █▁▁   ▁▁]  15.4 %  3.90 GHz  CPU 5-9,15-19",
        "hottest zone 63 C; GPU 0 94.0 % used, 2411 MHz, 66 C, 61.3 W",
        "82.5 % used, MemAvailable 21.0 GiB of 119.7 GiB",
        "18.0 GiB above the guard line 3.0 GiB; -1.4 GiB in 1 min 00 s",
        "  99.8 %  VLLM::Worker     fast core 7   process/thread 4711/4790",
        "queue   6 running, 2 waiting   KV 61.3 % of its pool used",
        "in 15 s output 148.3 tok/s, prompts 2,210 tok/s, TTFT mean 412.0 ms of 9",
        "drafts  71.0 % accepted, 2.42 tokens a round",
        "drift   1 of 3 rows differs  (asked 3 min 05 s ago, again in 6 min 55 s)",
        "NOT LIVE     max_num_seqs on spark1: earned 8, file 8, live 4",
        "doctor  1 error, 1 warning, 1 note",
        "ERROR    gid-index-empty spark2: NCCL_IB_GID_INDEX=5",
    ):
        assert words in text


@pytest.mark.parametrize(("columns", "rows"), _SIZES)
@pytest.mark.parametrize("nodes", [0, 1, 2, 8])
def test_nothing_is_wider_or_higher_than_the_screen(columns: int, rows: int, nodes: int) -> None:
    """A line too many would push the keys off the screen."""
    state = watched.state_of(*watched.news(*(watched.node(f"spark{place}") for place in range(nodes))))

    for chosen in range(max(1, nodes)):
        shown = watched.shown(state, columns=columns, rows=rows, node=chosen)
        assert len(shown) <= rows
        assert max(map(len, shown)) <= columns


def test_ascii_only() -> None:
    """A terminal without UTF-8 gets bars that it can draw."""
    rows = watched.shown(watched.example_state(), columns=80, rows=23, ascii_only=True)

    assert all(row.isascii() for row in rows)
    assert "[  #..   ..]" in "\n".join(rows)


def test_the_next_node_is_shown_and_after_the_last_the_first() -> None:
    state = watched.example_state()

    assert any(row.startswith("── spark2 ") for row in watched.shown(state, node=1))
    lost = watched.shown(state, node=2)
    place = next(at for at, row in enumerate(lost) if row.startswith("── spark3 "))
    assert lost[place + 1].startswith("no answer: spark3: ssh: connect to host")
    assert any(row.startswith("── spark1 ") for row in watched.shown(state, node=3))


def test_many_nodes_in_few_rows_keep_the_chosen_one_in_sight() -> None:
    """What is hidden is counted, and a node without an answer is not hidden in silence."""
    names = [watched.node(f"n{place}") for place in range(7)]
    state = watched.state_of(*watched.news(*names, replace(watched.LOST, name="n7")))

    first, last = watched.shown(state, columns=80, rows=23), watched.shown(state, columns=80, rows=23, node=6)

    assert first[1].startswith("> n0")
    assert any("more nodes, 1 of them without an answer" in row for row in first)
    assert any(row.startswith("> n6") for row in last)


def test_unknown_is_called_so() -> None:
    """A node that tells next to nothing shows no zero."""
    rows = "\n".join(watched.shown(watched.state_of(News(at_s=watched.NOW_S, node=watched.quiet("x")))))

    assert "cores   [??] unknown  clocks unknown  CPU 0-1" in rows
    assert "hottest zone unknown; GPU 0 use unknown, clock unknown, heat unknown, power unknown" in rows
    assert "MemAvailable unknown" in rows
    assert "use unknown, traffic unknown" in rows
    assert "0 B" not in rows


def test_below_and_near_the_guard_line_is_said_in_words() -> None:
    near = "\n".join(watched.shown(watched.state_of(News(at_s=1.0, node=watched.node("a", 5 * watched.GIB)))))
    below = "\n".join(watched.shown(watched.state_of(News(at_s=1.0, node=watched.node("a", 2 * watched.GIB)))))

    assert "2.0 GiB above the guard line 3.0 GiB: LOW" in near
    assert "1.0 GiB BELOW the guard line 3.0 GiB" in below


def test_swapping_is_said_in_words() -> None:
    node = watched.node("a")
    assert node.frame is not None
    moving = replace(node, frame=replace(node.frame, swap_out_per_s=120.0))

    assert any(
        "120 pages/s out: SWAPPING" in row for row in watched.shown(watched.state_of(News(at_s=1.0, node=moving)))
    )


def test_a_trend_needs_some_seconds_and_forgets_what_is_old() -> None:
    """A clock that was set back does not make a trend either."""
    gib = watched.GIB
    looks = [(0.0, 30), (3.0, 20), (40.0, 18), (70.0, 16)]
    state = WatchState()
    seen = []
    for at_s, available in looks:
        state = updated(state, News(at_s=at_s, node=watched.node("a", available * gib, at_s=at_s)))
        seen.append(next(row for row in watched.shown(state) if "guard line" in row).partition("; ")[2])
    state = updated(state, News(at_s=71.0, node=watched.node("a", gib, at_s=5.0)))

    assert seen == ["trend not known yet", "trend not known yet", "-12.0 GiB in 40 s", "-2.0 GiB in 30 s"]
    assert any("trend not known yet" in row for row in watched.shown(state))


def test_a_node_that_went_silent_is_not_shown_as_if_it_were_now() -> None:
    state = watched.state_of(News(at_s=watched.NOW_S - 42, node=watched.node("a")))

    assert any("no new look for 42 s" in row for row in watched.shown(state))
    assert not any("no new look" in row for row in watched.shown(watched.state_of(*watched.news(watched.node("a")))))


def test_nodes_that_are_not_there_yet() -> None:
    """The overview, too, says so, and when a node was heard of last."""
    waiting = News(at_s=watched.NOW_S, node=WatchedNode(name="a"))
    silent = News(at_s=watched.NOW_S - 42, node=watched.node("b"))
    odd = News(at_s=watched.NOW_S, node=watched.quiet("c"))
    low = News(at_s=watched.NOW_S, node=watched.node("d", watched.GIB))
    rows = watched.shown(watched.state_of(waiting, silent, odd, low))

    assert rows[1] == "> a            waiting for the second look"
    assert rows[2].endswith("no new look for 42 s")
    assert rows[3] == "  c            cores     ?  free unknown  heat ?  GPU ?"
    assert "1.0 GiB free BELOW GUARD" in rows[4]
    assert rows[6] == "waiting for the second look"


def test_a_machine_that_tells_no_cores_and_no_gpu() -> None:
    node = watched.node("a")
    assert node.frame is not None
    two = replace(watched.gpu(utilization=0.5), index=1)
    bare = replace(node, frame=replace(node.frame, cores=(), gpus=()))
    many = replace(node, frame=replace(node.frame, gpus=(*node.frame.gpus, two)))
    rows = watched.shown(watched.state_of(News(at_s=1.0, node=bare)))
    more = watched.shown(watched.state_of(News(at_s=1.0, node=many)))
    split = replace(watched.SPLIT, performance=frozenset[int](), efficiency=frozenset[int]())
    odd = watched.shown(watched.state_of(News(at_s=1.0, node=replace(node, split=split))))
    untyped = watched.shown(watched.state_of(News(at_s=1.0, node=replace(node, split=None))))

    assert "cores   unknown" in rows
    assert "heat    hottest zone 63 C; GPU unknown" in rows
    assert "        GPU 1 50.0 % used, clock unknown, heat unknown, power unknown" in more
    assert "cores   unknown" in odd
    assert any("VLLM::Worker     core 7 " in row for row in untyped)
    assert any("2.81 to 3.90 GHz  CPU 0-19" in row for row in untyped)


def test_a_long_reason_takes_a_second_row() -> None:
    """What to do stands at its end."""
    state = replace(
        watched.example_state(), engine=None, why_no_engine=f"{'why ' * 20}; write one with: sparktune init"
    )
    rows = watched.shown(state, columns=80, rows=23)

    assert any(row.endswith("sparktune init") for row in rows)
    assert max(map(len, rows)) <= 80


def test_a_node_that_comes_back_is_shown_again() -> None:
    state = watched.state_of(News(at_s=1.0, node=replace(watched.LOST, name="a")))
    back = updated(state, News(at_s=2.0, node=watched.node("a")))

    assert any("no answer" in row for row in watched.shown(state))
    assert not any("no answer" in row for row in watched.shown(back))


def test_pause_is_said() -> None:
    assert "PAUSED for 1 min 05 s: p goes on" in watched.shown(watched.example_state(), paused_s=65.0)[0]


def test_names_cannot_steer_the_terminal() -> None:
    node = watched.node("a\x1b[2J")
    assert node.frame is not None
    thread = replace(node.frame.threads[0], name="\x1b]0;x\x07")
    node = replace(node, frame=replace(node.frame, threads=(thread,)))
    state = replace(
        watched.state_of(*watched.news(node, replace(watched.LOST, failure="\x1b[1m"))),
        engine=replace(watched.ENGINE, engine="\x1b[3m", model="\x07"),
    )
    shown = [*watched.shown(state), *(line_of(line) for key in "tdf?" for line in page_of(key, state, 1.0, columns=80))]

    assert all(row.isprintable() for row in shown)
