-- `settings`: skills, upstreams and limits as JSON. `digest`: of the key's secret, which is kept nowhere.
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    tenant TEXT NOT NULL,
    plan TEXT NOT NULL,
    shown TEXT NOT NULL,
    settings TEXT NOT NULL,
    created REAL NOT NULL,
    revoked REAL
);

CREATE INDEX api_key_by_tenant ON api_key (tenant, created DESC, id DESC);

CREATE TABLE secret (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
);
