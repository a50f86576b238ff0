-- What a run's cells came to: a cache for lists and for the cold reference, never the source of a report.

CREATE TABLE cell_results (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    valid           INTEGER NOT NULL,
    trials          INTEGER NOT NULL,
    requests        INTEGER NOT NULL,
    failed          INTEGER NOT NULL,
    label           TEXT NOT NULL,
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency)
);

CREATE TABLE cell_metrics (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    name            TEXT NOT NULL,
    unit            TEXT NOT NULL,
    median          REAL,                  -- NULL: unknown
    n               INTEGER NOT NULL,
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency, name)
);
