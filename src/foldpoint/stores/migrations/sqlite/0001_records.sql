CREATE TABLE request (
    id TEXT PRIMARY KEY,
    time REAL NOT NULL,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    session TEXT NOT NULL,
    transcript TEXT NOT NULL,
    surface TEXT NOT NULL,
    model TEXT NOT NULL,
    mode TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    strategy TEXT NOT NULL,
    sealed INTEGER NOT NULL,
    total INTEGER NOT NULL,
    messages_before INTEGER NOT NULL,
    messages_after INTEGER NOT NULL,
    bytes_before INTEGER NOT NULL,
    bytes_after INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    tokens_saved INTEGER NOT NULL,
    tokens_would_save INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    write_tokens INTEGER NOT NULL,
    held INTEGER NOT NULL,
    overhead_us INTEGER NOT NULL,
    upstream_ms REAL NOT NULL,
    status INTEGER NOT NULL,
    cost REAL,
    cost_without REAL,
    messages_compacted_count INTEGER NOT NULL,
    input INTEGER,
    cache_read INTEGER,
    cache_write INTEGER,
    output INTEGER
) WITHOUT ROWID;

CREATE INDEX request_by_time ON request (tenant, time DESC, id DESC);

CREATE INDEX request_by_session ON request (tenant, session, time DESC, id DESC);

-- The folded body of a request: zlib.
CREATE TABLE body (
    id TEXT PRIMARY KEY,
    time REAL NOT NULL,
    messages BLOB NOT NULL
);

CREATE INDEX body_by_time ON body (time);
