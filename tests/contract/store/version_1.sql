-- A store as schema 1 left it, with one run of one wave.

PRAGMA application_id = 1397771092;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
INSERT INTO "requests" VALUES(1,0,0,'abababababababababababababababababababababababababababababababab',512,128,NULL,1000000000,1000100000,1000200000,1000250000,1500000000,'complete','kernel','',X'78014B492C49B452C848CDC9C9E7E202001FEA041D',X'7801E3658000000070000E',X'780163F8C4AAC5C8C0C00000079A0123',X'78010BD8CAA6C5C8C0C0000008750137');
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
INSERT INTO "runs" VALUES('250101-000000-old',1735689600.0,'http://127.0.0.1:8000/v1','example/model','llamacpp','running',1,'{"id":"250101-000000-old","created_wall_s":1735689600.0,"base_url":"http://127.0.0.1:8000/v1","workload":{"cells":[{"prompt_tokens":512,"output_tokens":128,"depth":0,"concurrency":1}],"trials":3,"options":{"model":"example/model","api":"chat/completions","fixed_length":true,"thinking":"server","temperature":null,"seed":null,"extra_body":"{}"},"warmup":{"waves":null},"slo":{"ttft_s":null,"tpot_s":null,"e2e_s":null},"seed":0,"corpus":"python","stall_s":120.0,"timeout_s":3600.0},"engine":{"name":"llamacpp","version":"b6000","models":["example/model"],"max_model_len":null,"kv_pool_tokens":null,"block_tokens":null,"slots":null,"prefix_caching":null,"has_metrics":false,"how":""},"provenance":{"tool_version":"0.1.0","python":"3.11.2","kernel":"6.14.0","machine":"aarch64","hostname":"spark-a","argv":["bench"]},"state":"running"}');
CREATE TABLE scrapes (
    trial           INTEGER NOT NULL REFERENCES trials (number),
    role            TEXT NOT NULL,         -- before, during, after
    place           INTEGER NOT NULL,
    at_ns           INTEGER NOT NULL,
    headers         TEXT NOT NULL,         -- JSON
    body            BLOB NOT NULL,         -- zlib
    PRIMARY KEY (trial, role, place)
);
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
INSERT INTO "trials" VALUES(1,'250101-000000-old',512,128,0,1,'measure',0,1795974620.5,1,'{"wall_s":0.5,"cpu_ratio":0.1,"lag_p99_s":0.0001,"lag_max_s":0.0002,"send_skew_s":0.0,"cores":[0,1],"source":"kernel","clock_step_s":0.0,"reads":1}');
CREATE TABLE warmups (
    run_id          TEXT NOT NULL REFERENCES runs (id),
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    outcome         TEXT NOT NULL,         -- JSON
    PRIMARY KEY (run_id, prompt_tokens, output_tokens, depth, concurrency)
);
CREATE INDEX runs_by_endpoint ON runs (base_url, model, created_wall_s);
CREATE INDEX trials_by_run ON trials (run_id, number);
COMMIT;
