-- Sweeps and their visits. A sweep has the id of an experiment that holds what its visits touch, and has no blocks.

CREATE TABLE sweeps (
    id              TEXT PRIMARY KEY REFERENCES experiments (id),
    created_wall_s  REAL NOT NULL,
    record          TEXT NOT NULL          -- JSON: the plan, never changed; where the sweep stands, and its winner
);

CREATE TABLE sweep_visits (
    sweep_id        TEXT NOT NULL REFERENCES sweeps (id),
    number          INTEGER NOT NULL,      -- from 1, in the order in which they were made
    record          TEXT NOT NULL,         -- JSON
    PRIMARY KEY (sweep_id, number)
);
