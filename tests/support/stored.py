"""Hypothesis strategies and small makers for what the store keeps."""

import math
from itertools import accumulate

from hypothesis import strategies as st

from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.engine import EngineFacts
from sparktune.model.mix import Household, OwnPrompts
from sparktune.model.options import SendOptions, Slo
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.recording import End, Recording, StampSource
from sparktune.model.run import Provenance, Run
from sparktune.model.trial import ClientHealth, Phase
from sparktune.model.warmup import WarmupOutcome, WarmupPlan
from sparktune.model.workload import Workload

_NS = st.integers(min_value=0, max_value=2**63 - 1)
_COUNT = st.integers(min_value=1, max_value=2**40)
_REAL = st.floats(allow_nan=False)
_FINITE = st.floats(allow_nan=False, allow_infinity=False)
_TEXT = st.text(max_size=20)  # any code point, lone surrogates too: arguments and OS messages can hold them
_CLEAN_TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


def cells() -> st.SearchStrategy[Cell]:
    """Make cells of every shape."""
    return st.one_of(_listed_cells(), st.builds(Cell.of_household, _households()), _own_cells())


def _households() -> st.SearchStrategy[Household]:
    sizes = ("opening_tokens", "turn_tokens", "reply_tokens", "long_tokens", "long_reply_tokens")
    return st.builds(Household, turns=st.integers(min_value=2, max_value=1024), **dict.fromkeys(sizes, _COUNT))


def _own_cells() -> st.SearchStrategy[Cell]:
    few = st.integers(min_value=1, max_value=8)
    prompts = st.builds(
        OwnPrompts,
        name=_CLEAN_TEXT,
        digest=_CLEAN_TEXT,
        count=st.integers(min_value=8, max_value=99),
        nonce=st.booleans(),
    )
    return st.builds(
        Cell, prompt_tokens=st.just(0), output_tokens=_COUNT, concurrency=few, prompts=prompts, arrivals=_arrivals()
    )


def _arrivals() -> st.SearchStrategy[Arrivals]:
    positive = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
    return st.one_of(st.builds(Arrivals, stagger_s=positive), st.builds(Arrivals, rate_per_s=positive))


def _listed_cells() -> st.SearchStrategy[Cell]:
    return st.builds(
        Cell,
        prompt_tokens=_COUNT,
        output_tokens=_COUNT,
        depth=st.integers(min_value=0, max_value=2**40),
        concurrency=st.integers(min_value=1, max_value=1024),
        arrivals=_arrivals(),
    )


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    reads = draw(st.lists(st.binary(min_size=1, max_size=40), max_size=8))
    stamps = st.lists(_NS, min_size=len(reads), max_size=len(reads)).map(tuple)
    return Recording(
        connect_start_ns=draw(_NS),
        connected_ns=draw(_NS),
        send_start_ns=draw(_NS),
        send_end_ns=draw(_NS),
        end_ns=draw(_NS),
        end=draw(st.sampled_from(End)),
        source=draw(st.sampled_from(StampSource)),
        data=b"".join(reads),
        read_ends=tuple(accumulate(len(read) for read in reads)),
        arrival_ns=draw(stamps),
        woke_ns=draw(stamps),
        detail=draw(_CLEAN_TEXT),
        planned_ns=draw(st.none() | _NS),
    )


def raw_requests() -> st.SearchStrategy[RawRequest]:
    return st.builds(
        RawRequest,
        stream=st.integers(min_value=0, max_value=1024),
        prompt_sha256=_CLEAN_TEXT,
        prompt_tokens_asked=_COUNT,
        output_tokens_asked=_COUNT,
        recording=recordings(),
        first_tokens=st.none() | st.integers(min_value=0, max_value=2**40),
    )


def healths() -> st.SearchStrategy[ClientHealth]:
    return st.builds(
        ClientHealth,
        wall_s=_REAL,
        cpu_ratio=_REAL,
        lag_p99_s=st.none() | _REAL,
        lag_max_s=st.none() | _REAL,
        send_skew_s=_REAL,
        cores=st.lists(st.integers(min_value=0, max_value=511), max_size=4).map(tuple),
        source=st.sampled_from(StampSource),
        clock_step_s=_REAL,
        reads=_COUNT,
    )


def scrapes() -> st.SearchStrategy[Scrape]:
    headers = st.dictionaries(_TEXT, _TEXT, max_size=3)
    return st.builds(Scrape, at_ns=_NS, body=st.binary(max_size=200), headers=headers)


def raw_trials() -> st.SearchStrategy[RawTrial]:
    return st.builds(
        RawTrial,
        cell=cells(),
        index=st.integers(min_value=0, max_value=10_000),
        phase=st.sampled_from(Phase),
        started_wall_s=_FINITE,
        requests=st.lists(raw_requests(), max_size=4).map(tuple),
        health=healths(),
        before=st.none() | scrapes(),
        after=st.none() | scrapes(),
        during=st.lists(scrapes(), max_size=3).map(tuple),
        complete=st.booleans(),
    )


def workloads() -> st.SearchStrategy[Workload]:
    options = st.builds(SendOptions, model=_TEXT, temperature=st.none() | _REAL, extra_body=_TEXT)
    return st.builds(
        Workload,
        cells=st.lists(cells(), min_size=1, max_size=3, unique=True).map(tuple),
        trials=_COUNT,
        options=options,
        warmup=st.builds(WarmupPlan, waves=st.none() | st.integers(min_value=0, max_value=9)),
        slo=st.builds(Slo, ttft_s=st.none() | _REAL, tpot_s=st.none() | _REAL, e2e_s=st.none() | _REAL),
        seed=st.integers(min_value=-(2**60), max_value=2**60),
        corpus=_TEXT,
        stall_s=_REAL,
        timeout_s=_REAL,
    )


def runs() -> st.SearchStrategy[Run]:
    optional = st.none() | st.integers(min_value=0, max_value=2**40)
    engine = st.builds(
        EngineFacts,
        name=_CLEAN_TEXT,
        version=st.none() | _TEXT,
        models=st.lists(_TEXT, max_size=3).map(tuple),
        max_model_len=optional,
        kv_pool_tokens=optional,
        prefix_caching=st.none() | st.booleans(),
        how=_TEXT,
    )
    run_id = st.text("0123456789abcdefghjkmnpqrstvwxyz-", min_size=1, max_size=17)
    return st.builds(Run, id=run_id, created_wall_s=_FINITE, workload=workloads(), engine=engine)


def outcomes() -> st.SearchStrategy[WarmupOutcome]:
    return st.builds(
        WarmupOutcome,
        waves=st.integers(min_value=0, max_value=99),
        steady=st.none() | st.booleans(),
        spread=st.none() | _REAL,
        why=_TEXT,
    )


def make_cell(prompt_tokens: int = 512, output_tokens: int = 128, depth: int = 0, concurrency: int = 1) -> Cell:
    return Cell(prompt_tokens=prompt_tokens, output_tokens=output_tokens, depth=depth, concurrency=concurrency)


def make_run(
    run_id: str = "261129-175016-k3f",
    *,
    created_wall_s: float = 1_795_974_616.0,
    cells: tuple[Cell, ...] = (make_cell(),),
    base_url: str = "http://127.0.0.1:8000/v1",
    model: str = "example/model",
    argv: tuple[str, ...] = ("bench",),
) -> Run:
    return Run(
        id=run_id,
        created_wall_s=created_wall_s,
        base_url=base_url,
        workload=Workload(cells=cells, trials=3, options=SendOptions(model=model)),
        engine=EngineFacts(name="vllm", version="0.19.0", models=(model,)),
        provenance=Provenance(
            tool_version="0.1.0",
            python="3.11.2",
            kernel="6.14.0",
            machine="aarch64",
            hostname="spark-a",
            argv=argv,
        ),
    )


def make_request(stream: int = 0, *, data: bytes = b"data: x\n\n", start_ns: int = 1_000_000_000) -> RawRequest:
    recording = Recording(
        connect_start_ns=start_ns,
        connected_ns=start_ns + 100_000,
        send_start_ns=start_ns + 200_000,
        send_end_ns=start_ns + 250_000,
        end_ns=start_ns + 500_000_000,
        end=End.COMPLETE,
        source=StampSource.KERNEL,
        data=data,
        read_ends=(len(data),) if data else (),
        arrival_ns=(start_ns + 400_000_000,) if data else (),
        woke_ns=(start_ns + 400_050_000,) if data else (),
    )
    return RawRequest(
        stream=stream, prompt_sha256="ab" * 32, prompt_tokens_asked=512, output_tokens_asked=128, recording=recording
    )


def make_trial(
    index: int = 0,
    *,
    cell: Cell | None = None,
    phase: Phase = Phase.MEASURE,
    requests: tuple[RawRequest, ...] = (make_request(),),
    started_wall_s: float = 1_795_974_620.5,
) -> RawTrial:
    health = ClientHealth(
        wall_s=0.5,
        cpu_ratio=0.1,
        lag_p99_s=0.0001,
        lag_max_s=0.0002,
        send_skew_s=0.0,
        cores=(0, 1),
        source=StampSource.KERNEL,
        reads=len(requests),
    )
    return RawTrial(
        cell=cell or make_cell(),
        index=index,
        phase=phase,
        started_wall_s=started_wall_s,
        requests=requests,
        health=health,
    )


def plain(value: object) -> object:
    """Reduce a record to what can be compared: any sequence of integers is a tuple, NaN equals NaN."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if hasattr(value, "__dataclass_fields__"):
        return type(value), tuple((name, plain(getattr(value, name))) for name in value.__dataclass_fields__)
    if isinstance(value, (str, bytes, int, float, dict)) or value is None or not hasattr(value, "__iter__"):
        return value
    return tuple(plain(item) for item in value)
