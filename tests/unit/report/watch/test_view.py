"""What the screen shows is a function of the state: judged here without a terminal."""

from dataclasses import replace

import pytest
from tests.support import watched

from sparktune.model.finding import Finding, Severity
from sparktune.report.watch import Answered, WatchedEngine, WatchedNode
from sparktune.report.watch.details import KEYS, key_row, page_of
from sparktune.report.watch.marks import Glyphs, Span, bar, cut, line_of, wrapped
from sparktune.report.watch.state import News, WatchState, updated
from sparktune.report.watch.view import Choice, text_of, view_of

_SIZES = [(80, 23), (100, 29), (40, 8), (20, 3), (200, 60)]


def _shown(state: WatchState, **chosen: object) -> list[str]:
    choice = replace(Choice(columns=100, rows=29), **chosen)  # type: ignore[arg-type] # names of its fields
    return text_of(view_of(state, choice, watched.NOW_S), choice)


def _example() -> WatchState:
    return watched.state_of(*watched.example_news())


def test_the_example_in_eighty_columns() -> None:
    """All kinds of things are on the smallest screen: nodes, cores, memory, threads, engine, drift, findings."""
    rows = _shown(_example(), columns=80, rows=23)

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
        shown = _shown(state, columns=columns, rows=rows, node=chosen)
        assert len(shown) <= rows
        assert max(map(len, shown)) <= columns


def test_ascii_only() -> None:
    """A terminal without UTF-8 gets bars that it can draw."""
    rows = _shown(_example(), columns=80, rows=23, ascii_only=True)

    assert all(row.isascii() for row in rows)
    assert "[  #..   ..]" in "\n".join(rows)


def test_the_next_node_is_shown_and_after_the_last_the_first() -> None:
    state = _example()

    assert any(row.startswith("── spark2 ") for row in _shown(state, node=1))
    lost = _shown(state, node=2)
    place = next(at for at, row in enumerate(lost) if row.startswith("── spark3 "))
    assert lost[place + 1].startswith("no answer: spark3: ssh: connect to host")
    assert any(row.startswith("── spark1 ") for row in _shown(state, node=3))


def test_many_nodes_in_few_rows_keep_the_chosen_one_in_sight() -> None:
    """What is hidden is counted, and a node without an answer is not hidden in silence."""
    names = [watched.node(f"n{place}") for place in range(7)]
    state = watched.state_of(*watched.news(*names, replace(watched.LOST, name="n7")))

    first, last = _shown(state, columns=80, rows=23), _shown(state, columns=80, rows=23, node=6)

    assert first[1].startswith("> n0")
    assert any("more nodes, 1 of them without an answer" in row for row in first)
    assert any(row.startswith("> n6") for row in last)


def test_unknown_is_called_so() -> None:
    """A node that tells next to nothing shows no zero."""
    rows = "\n".join(_shown(watched.state_of(News(at_s=watched.NOW_S, node=watched.quiet("x")))))

    assert "cores   [??] unknown  clocks unknown  CPU 0-1" in rows
    assert "hottest zone unknown; GPU 0 use unknown, clock unknown, heat unknown, power unknown" in rows
    assert "MemAvailable unknown" in rows
    assert "use unknown, traffic unknown" in rows
    assert "0 B" not in rows


def test_below_and_near_the_guard_line_is_said_in_words() -> None:
    near = "\n".join(_shown(watched.state_of(News(at_s=1.0, node=watched.node("a", 5 * watched.GIB)))))
    below = "\n".join(_shown(watched.state_of(News(at_s=1.0, node=watched.node("a", 2 * watched.GIB)))))

    assert "2.0 GiB above the guard line 3.0 GiB: LOW" in near
    assert "1.0 GiB BELOW the guard line 3.0 GiB" in below


def test_swapping_is_said_in_words() -> None:
    node = watched.node("a")
    assert node.frame is not None
    moving = replace(node, frame=replace(node.frame, swap_out_per_s=120.0))

    assert any("120 pages/s out: SWAPPING" in row for row in _shown(watched.state_of(News(at_s=1.0, node=moving))))


def test_a_trend_needs_some_seconds_and_forgets_what_is_old() -> None:
    """A clock that was set back does not make a trend either."""
    gib = watched.GIB
    looks = [(0.0, 30), (3.0, 20), (40.0, 18), (70.0, 16)]
    state = WatchState()
    seen = []
    for at_s, available in looks:
        state = updated(state, News(at_s=at_s, node=watched.node("a", available * gib, at_s=at_s)))
        seen.append(next(row for row in _shown(state) if "guard line" in row).partition("; ")[2])
    state = updated(state, News(at_s=71.0, node=watched.node("a", gib, at_s=5.0)))

    assert seen == ["trend not known yet", "trend not known yet", "-12.0 GiB in 40 s", "-2.0 GiB in 30 s"]
    assert any("trend not known yet" in row for row in _shown(state))


def test_a_node_that_went_silent_is_not_shown_as_if_it_were_now() -> None:
    state = watched.state_of(News(at_s=watched.NOW_S - 42, node=watched.node("a")))

    assert any("no new look for 42 s" in row for row in _shown(state))
    assert not any("no new look" in row for row in _shown(watched.state_of(*watched.news(watched.node("a")))))


def test_nodes_that_are_not_there_yet() -> None:
    """The overview, too, says so, and when a node was heard of last."""
    waiting = News(at_s=watched.NOW_S, node=WatchedNode(name="a"))
    silent = News(at_s=watched.NOW_S - 42, node=watched.node("b"))
    odd = News(at_s=watched.NOW_S, node=watched.quiet("c"))
    low = News(at_s=watched.NOW_S, node=watched.node("d", watched.GIB))
    rows = _shown(watched.state_of(waiting, silent, odd, low))

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
    rows = _shown(watched.state_of(News(at_s=1.0, node=bare)))
    more = _shown(watched.state_of(News(at_s=1.0, node=many)))
    split = replace(watched.SPLIT, performance=frozenset[int](), efficiency=frozenset[int]())
    odd = _shown(watched.state_of(News(at_s=1.0, node=replace(node, split=split))))
    untyped = _shown(watched.state_of(News(at_s=1.0, node=replace(node, split=None))))

    assert "cores   unknown" in rows
    assert "heat    hottest zone 63 C; GPU unknown" in rows
    assert "        GPU 1 50.0 % used, clock unknown, heat unknown, power unknown" in more
    assert "cores   unknown" in odd
    assert any("VLLM::Worker     core 7 " in row for row in untyped)
    assert any("2.81 to 3.90 GHz  CPU 0-19" in row for row in untyped)


def test_a_long_reason_takes_a_second_row() -> None:
    """What to do stands at its end."""
    state = replace(_example(), engine=None, why_no_engine=f"{'why ' * 20}; write one with: sparktune init")
    rows = _shown(state, columns=80, rows=23)

    assert any(row.endswith("sparktune init") for row in rows)
    assert max(map(len, rows)) <= 80


def test_a_node_that_comes_back_is_shown_again() -> None:
    state = watched.state_of(News(at_s=1.0, node=replace(watched.LOST, name="a")))
    back = updated(state, News(at_s=2.0, node=watched.node("a")))

    assert any("no answer" in row for row in _shown(state))
    assert not any("no answer" in row for row in _shown(back))


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (None, "not watched: no service is named"),
        (WatchedEngine(service="chat"), "waiting for its first answer"),
        (WatchedEngine(service="chat", untold="no answer: refused"), "no answer: refused"),
    ],
)
def test_an_engine_that_is_not_there_says_why(engine: WatchedEngine | None, words: str) -> None:
    state = replace(_example(), engine=engine)

    assert any(row.startswith(words) for row in _shown(state))


def test_an_engine_that_tells_little() -> None:
    """Each thing by its name, and no number in its place."""
    assert watched.ENGINE.look is not None
    bare = replace(
        watched.ENGINE.look,
        running=None,
        waiting=None,
        kv_use=None,
        output_tok_s=None,
        prompt_tok_s=None,
        first_tokens=None,
        ttft_s=None,
        drafts=None,
    )
    rows = _shown(replace(_example(), engine=replace(watched.ENGINE, look=bare)))

    assert "queue   running unknown, waiting unknown   KV unknown" in rows
    assert "in 15 s output unknown, prompts unknown, TTFT unknown" in rows
    assert "drafts  acceptance unknown" in rows


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"window_s": 0.0}, "rates   not known before the second look"),
        ({"window_s": 0.0, "restarted": True}, "rates   the server was restarted"),
        ({"first_tokens": 0.0, "ttft_s": None}, "TTFT: no first token"),
        ({"preemptions": 3.0}, "3 PREEMPTED"),
        ({"drafts": 0.0}, "drafts  none drafted"),
        ({"accepted_share": None, "accepted_length": None}, "drafts  share unknown, length unknown"),
    ],
)
def test_rates_that_are_not_there_yet(changed: dict[str, float | None], words: str) -> None:
    assert watched.ENGINE.look is not None
    look = replace(watched.ENGINE.look, **changed)  # type: ignore[arg-type] # names of its fields

    assert any(words in row for row in _shown(replace(_example(), engine=replace(watched.ENGINE, look=look))))


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (Answered(every_s=600.0, asking=True), "drift   unknown  (asking now)"),
        (Answered(every_s=600.0), "drift   unknown  (not asked yet)"),
        (
            Answered(every_s=0.0, items=watched.ROWS, at_s=990.0),
            "drift   1 of 3 rows differs  (asked 10 s ago, again with r)",
        ),
        (Answered(every_s=600.0, why="spark1: gone"), "drift   unknown: spark1: gone"),
        (Answered(every_s=600.0, items=(), at_s=990.0), "drift   there is nothing to compare  (asked 10 s ago"),
        (
            Answered(every_s=600.0, items=watched.ROWS[2:], at_s=990.0, asking=True),
            "drift   none of 1 row differs  (asked 10 s ago, asking again now)",
        ),
        (Answered(every_s=600.0, items=watched.ROWS[1:], at_s=990.0), "drift   1 of 2 rows could not be read"),
    ],
)
def test_drift_says_when_it_was_asked_and_what_is_not_known(answered: Answered[object], words: str) -> None:
    """Old or missing answers are never shown as if they were new."""
    state = replace(_example(), drift=answered)

    assert any(row.startswith(words) for row in _shown(state))


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (None, "doctor  not asked: switched off"),
        (Answered(every_s=600.0, items=(), at_s=990.0), "doctor  nothing found  (asked 10 s ago"),
        (
            Answered(every_s=600.0, items=watched.FINDINGS[2:], at_s=990.0, why="no answer from spark3"),
            "doctor  1 note; no answer from spark3",
        ),
        (Answered(every_s=600.0, why="no way"), "doctor  unknown: no way"),
        (Answered(every_s=600.0, items=watched.FINDINGS[1:2], at_s=990.0), "doctor  1 warning"),
    ],
)
def test_doctor_says_when_it_was_asked(answered: Answered[Finding] | None, words: str) -> None:
    state = replace(_example(), doctor=answered)

    assert any(row.startswith(words) for row in _shown(state))


def test_what_is_new_since_the_answer_before_is_marked() -> None:
    """The first answer marks nothing: nobody knows since when it is so."""
    first = watched.state_of(*watched.news(watched.node("a")))
    more = (*watched.FINDINGS, Finding(rule="hot", severity=Severity.WARNING, node="a", evidence="95 C", hint="look"))
    asking = replace(watched.DOCTOR, asking=True)
    second = updated(first, News(at_s=1001.0, doctor=replace(watched.DOCTOR, items=more)))
    third = updated(second, News(at_s=1002.0, doctor=replace(asking, items=more)))

    assert not any("NEW" in row for row in _shown(first))
    assert [row for row in _shown(second) if "NEW" in row] == ["  NEW WARNING  hot a: 95 C"]
    assert any("NEW" in row for row in _shown(third))
    gone = updated(third, News(at_s=1003.0, doctor=replace(watched.DOCTOR, items=watched.FINDINGS)))
    assert not any("NEW" in row for row in _shown(gone))


def test_more_drift_than_there_is_room_for_is_counted() -> None:
    rows = tuple(replace(watched.ROWS[0], key=f"k{place}") for place in range(40))
    shown = _shown(replace(_example(), drift=replace(watched.DRIFT, items=rows)))

    assert any(row.strip().endswith("more: d shows all") for row in shown)
    assert any("ERROR" in row for row in shown)


def test_pause_is_said() -> None:
    assert "PAUSED for 1 min 05 s: p goes on" in _shown(_example(), paused_s=65.0)[0]


def test_names_cannot_steer_the_terminal() -> None:
    node = watched.node("a\x1b[2J")
    assert node.frame is not None
    thread = replace(node.frame.threads[0], name="\x1b]0;x\x07")
    node = replace(node, frame=replace(node.frame, threads=(thread,)))
    state = replace(
        watched.state_of(*watched.news(node, replace(watched.LOST, failure="\x1b[1m"))),
        engine=replace(watched.ENGINE, engine="\x1b[3m", model="\x07"),
    )
    shown = [*_shown(state), *(line_of(line) for key in "tdf?" for line in page_of(key, state, 1.0, columns=80))]

    assert all(row.isprintable() for row in shown)


def test_pages() -> None:
    """Every page has what a person opens it for, also before anything was asked."""
    state = _example()
    text = {key: "\n".join(line_of(line) for line in page_of(key, state, watched.NOW_S, columns=80)) for key in "tdf?"}
    empty = {key: "\n".join(line_of(line) for line in page_of(key, WatchState(), 0.0, columns=80)) for key in "tdf"}

    assert text["t"].count("nccl-watchdog") == 2
    assert "no answer: spark3" in text["t"]
    assert "next: sparktune drift --restore max_num_seqs" in text["d"]
    assert "earned from earned.yaml, file from compose.yaml:12, live from pid 4711" in text["d"]
    assert "kernel on spark2: permission denied" in text["d"]
    assert "why: The kernel numbers GIDs anew" in text["f"]
    assert "fix: set it in netplan, too" in text["f"]
    assert all(what in text["?"] for _, _, what in KEYS)
    assert empty == {"t": "", "d": "not asked: no service is named", "f": "not asked: switched off"}


def test_pages_without_an_answer_yet() -> None:
    asked = replace(WatchState(), drift=Answered(every_s=60.0, asking=True), doctor=Answered(every_s=60.0, why="gone"))

    assert [line_of(line) for line in page_of("d", asked, 0.0, columns=80)] == ["asking now"]
    assert [line_of(line) for line in page_of("f", asked, 0.0, columns=80)] == ["gone"]
    fine = replace(asked, doctor=Answered(every_s=60.0, items=(), at_s=0.0))
    assert line_of(page_of("f", fine, 0.0, columns=80)[-1]) == "nothing found"


def test_threads_before_and_without_any() -> None:
    idle = replace(watched.node("b"), frame=replace(watched.frame(1), threads=()))
    state = watched.state_of(News(at_s=0.0, node=WatchedNode(name="a")), News(at_s=0.0, node=idle))
    lines = [line_of(line) for line in page_of("t", state, 0.0, columns=80)]

    assert lines == ["a", "  waiting for the second look", "b", "  no thread took 5 % of a core or more"]


def test_the_keys_fit_the_narrowest_screen() -> None:
    assert line_of(key_row(page=False)).split("  ")[:2] == ["q quit", "n next"]
    assert all(len(line_of(key_row(page=page)).rstrip()) <= 80 for page in (True, False))


def test_lines_break_between_words() -> None:
    line = (Span("one two "), Span("three four"), Span(" " + "x" * 20))

    assert [line_of(one) for one in wrapped(line, 10, indent=2)] == ["one two ", "  three ", "  four ", "  " + "x" * 20]
    assert line_of(cut(line, 10)) == "one two .."
    assert line_of(cut(line, 1)) == "."
    assert bar(0.5, 4, Glyphs.of(ascii_only=True)) == "##.."
