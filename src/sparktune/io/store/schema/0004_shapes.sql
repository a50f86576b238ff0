-- Cells that are more than four numbers: arrivals of a wave, a household, own prompts. '' is a cell of four numbers.

ALTER TABLE trials ADD COLUMN shape TEXT NOT NULL DEFAULT '';  -- JSON, see io/store/keys.py

ALTER TABLE requests ADD COLUMN planned_ns INTEGER;            -- NULL: it belonged to the wave's first sends

ALTER TABLE warmups RENAME TO warmups_of_four;

CREATE TABLE warmups (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    shape           TEXT NOT NULL,
    outcome         TEXT NOT NULL,         -- JSON
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency, shape)
);

INSERT INTO warmups SELECT run_id, prompt_tokens, output_tokens, depth, concurrency, '', outcome FROM warmups_of_four;

DROP TABLE warmups_of_four;

ALTER TABLE cell_results RENAME TO cell_results_of_four;

CREATE TABLE cell_results (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    shape           TEXT NOT NULL,
    valid           INTEGER NOT NULL,
    trials          INTEGER NOT NULL,
    requests        INTEGER NOT NULL,
    failed          INTEGER NOT NULL,
    label           TEXT NOT NULL,
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency, shape)
);

INSERT INTO cell_results
SELECT run_id, prompt_tokens, output_tokens, depth, concurrency, '', valid, trials, requests, failed, label
FROM cell_results_of_four;

DROP TABLE cell_results_of_four;

ALTER TABLE cell_metrics RENAME TO cell_metrics_of_four;

CREATE TABLE cell_metrics (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    shape           TEXT NOT NULL,
    name            TEXT NOT NULL,
    unit            TEXT NOT NULL,
    median          REAL,                  -- NULL: unknown
    n               INTEGER NOT NULL,
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency, shape, name)
);

INSERT INTO cell_metrics
SELECT run_id, prompt_tokens, output_tokens, depth, concurrency, '', name, unit, median, n FROM cell_metrics_of_four;

DROP TABLE cell_metrics_of_four;
