-- `settings`: skills, upstreams and limits as JSON. `digest`: of the key's secret, which is kept nowhere.
CREATE TABLE api_key (
    id TEXT COLLATE "C" PRIMARY KEY,
    digest BYTEA NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    shown TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    revoked DOUBLE PRECISION
);

CREATE INDEX api_key_by_tenant ON api_key (tenant, created DESC, id DESC);

CREATE TABLE secret (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL
);
