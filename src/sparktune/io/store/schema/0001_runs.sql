-- Runs, their waves and the bytes of every request: what all reports are rebuilt from.
-- Instants end in _ns (CLOCK_MONOTONIC of the measuring host) or _wall_s (Unix time).

CREATE TABLE runs (
    id              TEXT PRIMARY KEY,
    created_wall_s  REAL NOT NULL,
    base_url        TEXT NOT NULL,
    model           TEXT NOT NULL,
    engine          TEXT NOT NULL,
    state           TEXT NOT NULL,
    cells           INTEGER NOT NULL,
    record          TEXT NOT NULL  -- JSON: the whole run; the columns before repeat what is searched for
);

CREATE INDEX runs_by_endpoint ON runs (base_url, model, created_wall_s);

CREATE TABLE trials (
    number          INTEGER PRIMARY KEY,  -- order of arrival
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    phase           TEXT NOT NULL,
    place           INTEGER NOT NULL,     -- index within cell and phase
    started_wall_s  REAL NOT NULL,
    complete        INTEGER NOT NULL,
    health          TEXT NOT NULL         -- JSON
);

CREATE INDEX trials_by_run ON trials (run_id, number);

CREATE TABLE requests (
    trial               INTEGER NOT NULL REFERENCES trials (number),
    place               INTEGER NOT NULL,  -- order within the wave
    stream              INTEGER NOT NULL,
    prompt_sha256       TEXT NOT NULL,
    prompt_tokens_asked INTEGER NOT NULL,
    output_tokens_asked INTEGER NOT NULL,
    first_tokens        INTEGER,
    connect_start_ns    INTEGER NOT NULL,
    connected_ns        INTEGER NOT NULL,
    send_start_ns       INTEGER NOT NULL,
    send_end_ns         INTEGER NOT NULL,
    end_ns              INTEGER NOT NULL,
    end_reason          TEXT NOT NULL,
    stamp_source        TEXT NOT NULL,
    detail              TEXT NOT NULL,
    data                BLOB NOT NULL,     -- zlib: every byte received
    read_ends           BLOB NOT NULL,     -- packed integers, see codec.pack
    arrival_ns          BLOB NOT NULL,
    woke_ns             BLOB NOT NULL,
    PRIMARY KEY (trial, place)
);

CREATE TABLE scrapes (
    trial           INTEGER NOT NULL REFERENCES trials (number),
    role            TEXT NOT NULL,         -- before, during, after
    place           INTEGER NOT NULL,
    at_ns           INTEGER NOT NULL,
    headers         TEXT NOT NULL,         -- JSON
    body            BLOB NOT NULL,         -- zlib
    PRIMARY KEY (trial, role, place)
);

CREATE TABLE warmups (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    outcome         TEXT NOT NULL,         -- JSON
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency)
);
