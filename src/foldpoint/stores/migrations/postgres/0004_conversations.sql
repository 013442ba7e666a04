-- The log of agents: nothing in it is ever changed. The conversation with the highest number is an agent's present one.
CREATE TABLE conversation (
    agent TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (agent, number)
);

-- `calls`: JSON. `digest`: of the row and of the one before it.
CREATE TABLE message (
    conversation TEXT COLLATE "C" NOT NULL,
    seq INTEGER NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    calls TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    failed INTEGER NOT NULL,
    surface TEXT NOT NULL,
    native BYTEA NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    trigger_id TEXT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (conversation, seq)
);

-- The calls that were about to run, by the row that asks for them.
CREATE TABLE call_start (
    conversation TEXT COLLATE "C" NOT NULL,
    seq INTEGER NOT NULL,
    tool_call_id TEXT COLLATE "C" NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (conversation, seq, tool_call_id)
);
