-- Experiments, their visits, and what they hold of the world: enough to go on, or to bring everything back, after a kill.

CREATE TABLE experiments (
    id              TEXT PRIMARY KEY,
    created_wall_s  REAL NOT NULL,
    base_url        TEXT NOT NULL,
    name            TEXT NOT NULL,
    knob            TEXT NOT NULL,
    metric          TEXT NOT NULL,         -- the primary
    state           TEXT NOT NULL,
    why             TEXT NOT NULL,         -- why it ended before its plan did
    verdict         TEXT NOT NULL,         -- for lists; the visits are the source
    deviation       REAL,                  -- of the blocks' log ratios, for planning later ones; NULL: unknown
    afterwards      TEXT NOT NULL,         -- what was set in the end, and how it was seen to be live
    record          TEXT NOT NULL,         -- JSON: the whole plan, never changed
    held            TEXT NOT NULL          -- JSON: what was started or applied and not yet taken back
);

CREATE INDEX experiments_by_endpoint ON experiments (base_url, created_wall_s);

CREATE TABLE visits (
    experiment_id   TEXT NOT NULL REFERENCES experiments (id),
    block           INTEGER NOT NULL,
    attempt         INTEGER NOT NULL,
    place           INTEGER NOT NULL,
    record          TEXT NOT NULL,         -- JSON
    PRIMARY KEY (experiment_id, block, attempt, place)
);
