-- The memory of each node over a visit, as its guards saw it: kept whatever became of the visit.

CREATE TABLE memory_curves (
    experiment_id   TEXT NOT NULL REFERENCES experiments (id),
    block           INTEGER NOT NULL,
    attempt         INTEGER NOT NULL,
    place           INTEGER NOT NULL,
    node            TEXT NOT NULL,
    record          BLOB NOT NULL,         -- JSON, shrunk with zlib
    PRIMARY KEY (experiment_id, block, attempt, place, node)
);
