-- Texts of tool results that requests hid, each of a tenant once. `texts`: zlib, empty once they are forgotten (`gone`).
CREATE TABLE result_text (
    tenant TEXT NOT NULL,
    hash BLOB NOT NULL,
    time REAL NOT NULL,
    gone REAL,
    texts BLOB NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE INDEX result_text_by_time ON result_text (time) WHERE gone IS NULL;

-- Where they were seen. `place`: of tenant and call, which may be long; `id`: of all that tells two rows apart.
CREATE TABLE result_seen (
    id BLOB PRIMARY KEY,
    place BLOB NOT NULL,
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    transcript TEXT NOT NULL,
    call TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL,
    characters INTEGER NOT NULL,
    time REAL NOT NULL
);

CREATE INDEX result_seen_by_place ON result_seen (place);

CREATE INDEX result_seen_by_hash ON result_seen (tenant, hash);
