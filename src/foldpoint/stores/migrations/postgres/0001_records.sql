CREATE TABLE request (
    id TEXT COLLATE "C" PRIMARY KEY,
    time DOUBLE PRECISION NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    transcript TEXT COLLATE "C" NOT NULL,
    surface TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    strategy TEXT COLLATE "C" NOT NULL,
    sealed BIGINT NOT NULL,
    total BIGINT NOT NULL,
    messages_before BIGINT NOT NULL,
    messages_after BIGINT NOT NULL,
    bytes_before BIGINT NOT NULL,
    bytes_after BIGINT NOT NULL,
    tokens_before BIGINT NOT NULL,
    tokens_after BIGINT NOT NULL,
    tokens_saved BIGINT NOT NULL,
    tokens_would_save BIGINT NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    write_tokens BIGINT NOT NULL,
    held BIGINT NOT NULL,
    overhead_us BIGINT NOT NULL,
    upstream_ms DOUBLE PRECISION NOT NULL,
    status BIGINT NOT NULL,
    cost DOUBLE PRECISION,
    cost_without DOUBLE PRECISION,
    messages_compacted_count BIGINT NOT NULL,
    input BIGINT,
    cache_read BIGINT,
    cache_write BIGINT,
    output BIGINT
);

CREATE INDEX request_by_time ON request (tenant, time DESC, id DESC);

CREATE INDEX request_by_session ON request (tenant, session, time DESC, id DESC);

-- The folded body of a request: zlib.
CREATE TABLE body (
    id TEXT COLLATE "C" PRIMARY KEY,
    time DOUBLE PRECISION NOT NULL,
    messages BYTEA NOT NULL
);

-- Compressed already.
ALTER TABLE body ALTER messages SET STORAGE EXTERNAL;

CREATE INDEX body_by_time ON body (time);
