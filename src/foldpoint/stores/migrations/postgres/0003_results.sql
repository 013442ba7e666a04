-- Texts of tool results that requests hid, each of a tenant once. `texts`: zlib, empty once they are forgotten (`gone`).
CREATE TABLE result_text (
    tenant TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    gone DOUBLE PRECISION,
    texts BYTEA NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE INDEX result_text_by_time ON result_text (time) WHERE gone IS NULL;

-- Where they were seen. `place`: of tenant and call, which may be long; `id`: of all that tells two rows apart.
CREATE TABLE result_seen (
    id BYTEA PRIMARY KEY,
    place BYTEA NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    transcript TEXT COLLATE "C" NOT NULL,
    call TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    characters BIGINT NOT NULL,
    time DOUBLE PRECISION NOT NULL
);

CREATE INDEX result_seen_by_place ON result_seen (place);

CREATE INDEX result_seen_by_hash ON result_seen (tenant, hash);

-- Compressed already.
ALTER TABLE result_text ALTER texts SET STORAGE EXTERNAL;
