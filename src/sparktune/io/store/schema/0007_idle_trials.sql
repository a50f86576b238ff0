-- Trials of a thread at idle: the plan, the visits, and what is held of the world, enough to take it back after a kill.

CREATE TABLE idle_trials (
    id              TEXT PRIMARY KEY,
    created_wall_s  REAL NOT NULL,
    state           TEXT NOT NULL,         -- running, done or interrupted
    why             TEXT NOT NULL,         -- why it ended before its plan did
    experiment_id   TEXT NOT NULL,         -- the experiment under load that goes with it, '' for none
    record          TEXT NOT NULL,         -- JSON: the whole plan, never changed
    visits          TEXT NOT NULL,         -- JSON: every visit that began
    held            TEXT NOT NULL          -- JSON: what was applied and not yet taken back
);
