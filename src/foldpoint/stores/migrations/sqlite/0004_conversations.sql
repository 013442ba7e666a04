-- The log of agents: nothing in it is ever changed. The conversation with the highest number is an agent's present one.
CREATE TABLE conversation (
    agent TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    created_at REAL NOT NULL,
    PRIMARY KEY (agent, number)
);

-- `calls`: JSON. `digest`: of the row and of the one before it.
CREATE TABLE message (
    conversation TEXT NOT NULL,
    seq INTEGER NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    calls TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    failed INTEGER NOT NULL,
    surface TEXT NOT NULL,
    native BLOB NOT NULL,
    created_at REAL NOT NULL,
    trigger_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (conversation, seq)
);

-- The calls that were about to run, by the row that asks for them.
CREATE TABLE call_start (
    conversation TEXT NOT NULL,
    seq INTEGER NOT NULL,
    tool_call_id TEXT NOT NULL,
    started_at REAL NOT NULL,
    PRIMARY KEY (conversation, seq, tool_call_id)
);
