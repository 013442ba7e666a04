"""Every name that telemetry says, once: metrics and their labels, attributes, spans, log events.

Those that are not ours are of OpenTelemetry, read on 30 November 2026; docs/reference/metrics.md lists them all.
"""

from typing import Literal, NamedTuple, get_args

GENAI = "open-telemetry/semantic-conventions-genai v0.1.0, docs/gen-ai at 024a4f94 (status: development)"
OLDER = "open-telemetry/semantic-conventions v1.41.0, docs/gen-ai (gen_ai.system: v1.36.0)"
STABLE = "open-telemetry/semantic-conventions v1.44.0, docs/registry (status: stable)"
OURS = "foldpoint"

Kind = Literal["counter", "gauge", "histogram"]
Outcome = Literal["ok", "rate_limited", "client_error", "server_error", "client_left"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
OTHER, UNKNOWN = "other", "unknown"
MOST_KEYS = 1_000
"""Names of keys that get series of their own; all after them share `other`."""


class Label(NamedTuple):
    """A label, and which values it may have."""

    name: str
    values: str


class Metric(NamedTuple):
    """A metric for Prometheus."""

    name: str
    kind: Kind
    about: str
    labels: tuple[Label, ...] = ()
    buckets: tuple[float, ...] = ()


class Instrument(NamedTuple):
    """A metric that goes to an OpenTelemetry collector."""

    name: str
    kind: Kind
    unit: str
    about: str
    source: str = GENAI
    buckets: tuple[float, ...] = ()


class Attribute(NamedTuple):
    """An attribute of a span or of an OpenTelemetry metric."""

    name: str
    about: str
    source: str = OURS


SURFACE = Label("surface", "`anthropic`, `openai-chat`, `openai-responses`, `gemini`, `bedrock`")
MODEL = Label("model", "rows of our price table; `other`: not in it; `unknown`: none was read")
MODE = Label("mode", "`off`, `shadow`, `prod`")
OUTCOME = Label("outcome", ", ".join(f"`{outcome}`" for outcome in OUTCOMES))
STRATEGY = Label("strategy", "`epoch`, `sliding_window`")
DECISION = Label("decision", "the verdict: `compacted`, `would_compact`, `no_op`, `skipped`, `refused`, `failed`")
REASON = Label("reason", "as in headers.md, `check:<name>` included")
TOKENS = Label(
    "kind",
    "`original`, `sent`: of the message list, as receipts count; `uncached`, `cache_read`, `cache_write`: as billed",
)
BASIS = Label("basis", "`billed`; `unfolded`: an estimate of the same prompts without a fold")
KEY = Label("key", f"the key's name; the first {MOST_KEYS:,} that are seen, then `other`")
USED = Label("kind", "`input`: all of the prompt, cached or not; `output`")
OP = Label("op", "`add`: a batch of records is written")
VERSION = Label("version", "of Foldpoint")
PYTHON = Label("python", "of the interpreter")
LABELS = (SURFACE, MODEL, MODE, OUTCOME, STRATEGY, DECISION, REASON, TOKENS, BASIS, KEY, USED, OP, VERSION, PYTHON)

_FAST = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
_SLOW = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)

REQUESTS = Metric(
    "foldpoint_requests_total", "counter", "Requests that a provider answers and bills, folded or not.",
    (SURFACE, MODEL, MODE, OUTCOME),
)  # fmt: skip
FOLDS = Metric(
    "foldpoint_folds_total", "counter", "Requests at which the fold was consulted, by what it decided.",
    (STRATEGY, DECISION, REASON),
)  # fmt: skip
FOLD_FAILURES = Metric(
    "foldpoint_fold_failures_total",
    "counter",
    "Folds that failed; an older one, or the request as it came, was sent.",
    (REASON,),
)
FOLD_MOVES = Metric(
    "foldpoint_fold_moves_total", "counter", "Requests with which the fold point moved.", (SURFACE, MODEL)
)
INPUT_TOKENS = Metric("foldpoint_input_tokens_total", "counter", "Tokens of prompts.", (SURFACE, MODEL, TOKENS))
OUTPUT_TOKENS = Metric("foldpoint_output_tokens_total", "counter", "Tokens of answers, as billed.", (SURFACE, MODEL))
PROMPT_COST = Metric(
    "foldpoint_prompt_cost_usd_total", "counter",
    "Price of prompts whose bill and price are known; what was saved is `unfolded` less `billed`.",
    (SURFACE, MODEL, BASIS),
)  # fmt: skip
PRICED = Metric(
    "foldpoint_priced_requests_total", "counter", "Requests that are in foldpoint_prompt_cost_usd_total.",
    (SURFACE, MODEL),
)  # fmt: skip
OVERHEAD = Metric(
    "foldpoint_overhead_seconds", "histogram", "The gateway's own time before a request went on.", (SURFACE,), _FAST
)
UPSTREAM = Metric(
    "foldpoint_upstream_seconds", "histogram", "From sending a request on to the end of the provider's answer.",
    (SURFACE,), _SLOW,
)  # fmt: skip
FIRST_BYTE = Metric(
    "foldpoint_time_to_first_byte_seconds", "histogram",
    "From sending a request on to the head of the provider's answer.", (SURFACE,), _SLOW,
)  # fmt: skip
KEY_REQUESTS = Metric("foldpoint_key_requests_total", "counter", "Requests of a key.", (KEY, OUTCOME))
KEY_TOKENS = Metric("foldpoint_key_tokens_total", "counter", "Tokens of a key, as billed.", (KEY, USED))
KEY_COST = Metric("foldpoint_key_prompt_cost_usd_total", "counter", "Price of a key's prompts.", (KEY, BASIS))
SESSIONS = Metric(
    "foldpoint_sessions", "gauge", "Sessions with a request in the last five minutes, counted by each process."
)
OPEN = Metric("foldpoint_open_requests", "gauge", "Requests that are being served.")
DRAINING = Metric("foldpoint_draining", "gauge", "1 while the gateway is about to stop.")
STORE_FAILING = Metric("foldpoint_store_failing", "gauge", "1 while the store fails and records go to the spool.")
SHARED_FAILING = Metric(
    "foldpoint_shared_failing", "gauge", "1 while what replicas share is away and each goes on by itself."
)
STORE_SECONDS = Metric("foldpoint_store_seconds", "histogram", "What the store takes.", (OP,), _FAST)
RECORDS_WAITING = Metric("foldpoint_records_waiting", "gauge", "Records in memory that are not written yet.")
RECORDS_SPOOLED = Metric("foldpoint_records_spooled_bytes", "gauge", "Size of the spool in which records wait.")
RECORDS_DROPPED = Metric(
    "foldpoint_records_dropped_total", "counter", "Records lost: neither store nor spool had room."
)
OBSERVATIONS_DROPPED = Metric(
    "foldpoint_observations_dropped_total", "counter", "Requests that metrics and traces missed: too many were waiting."
)
BUILD = Metric("foldpoint_build_info", "gauge", "Always 1.", (VERSION, PYTHON))
METRICS = (
    REQUESTS, FOLDS, FOLD_FAILURES, FOLD_MOVES, INPUT_TOKENS, OUTPUT_TOKENS, PROMPT_COST, PRICED, OVERHEAD, UPSTREAM,
    FIRST_BYTE, KEY_REQUESTS, KEY_TOKENS, KEY_COST, SESSIONS, OPEN, DRAINING, STORE_FAILING, SHARED_FAILING,
    STORE_SECONDS, RECORDS_WAITING, RECORDS_SPOOLED, RECORDS_DROPPED, OBSERVATIONS_DROPPED, BUILD,
)  # fmt: skip

OPERATION = Attribute("gen_ai.operation.name", "`chat`; for Gemini's own format `generate_content`", GENAI)
PROVIDER = Attribute(
    "gen_ai.provider.name", "`openai`, `anthropic`, `aws.bedrock`, `gcp.gemini`, `gcp.vertex_ai`", GENAI
)
REQUEST_MODEL = Attribute(
    "gen_ai.request.model", "the model as asked for; on metrics as the label `model` says it", GENAI
)
REQUEST_STREAM = Attribute("gen_ai.request.stream", "true where the answer came as a stream, else not there", GENAI)
FIRST_CHUNK = Attribute("gen_ai.response.time_to_first_chunk", "seconds, where the answer came as a stream", GENAI)
CONVERSATION = Attribute(
    "gen_ai.conversation.id",
    "the session, where the client named it; a digest of the opening stands in `foldpoint.session` alone",
    GENAI,
)
COMPACTED = Attribute("gen_ai.conversation.compacted", "true where a folded request was sent, else not there", GENAI)
INPUT = Attribute("gen_ai.usage.input_tokens", "tokens of the prompt, cached ones included", GENAI)
OUTPUT = Attribute("gen_ai.usage.output_tokens", "tokens of the answer", GENAI)
CACHE_READ = Attribute("gen_ai.usage.cache_read.input_tokens", "tokens read from the provider's cache", GENAI)
CACHE_WRITE = Attribute("gen_ai.usage.cache_write.input_tokens", "tokens written to the provider's cache", GENAI)
MESSAGES = Attribute(
    "gen_ai.input.messages",
    "the newest messages as sent, JSON; only with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    GENAI,
)
MODALITY = Attribute("gen_ai.token.modality", "always `unknown`; on usage counters alone", GENAI)
TOKEN_TYPE = Attribute("gen_ai.token.type", "`input`, `output`; on gen_ai.client.token.usage alone", OLDER)
OLD_PROVIDER = Attribute("gen_ai.system", "what gen_ai.provider.name says", OLDER)
OLD_CACHE_WRITE = Attribute(
    "gen_ai.usage.cache_creation.input_tokens", "what gen_ai.usage.cache_write.input_tokens says", OLDER
)
ERROR = Attribute("error.type", "the status where it is 400 or more; `client_left`", STABLE)
STATUS = Attribute("http.response.status_code", "what the client got", STABLE)
ADDRESS = Attribute("server.address", "host of the provider", STABLE)
PORT = Attribute("server.port", "port of the provider", STABLE)
REQUEST_ID = Attribute("foldpoint.request.id", "as in x-foldpoint-request-id; without a parent also the trace id")
TENANT = Attribute("foldpoint.tenant", "whose request it is")
KEY_NAME = Attribute("foldpoint.key", "the key's name")
SESSION = Attribute("foldpoint.session", "the session; groups the requests of an agent and its sub-agents")
TRANSCRIPT = Attribute("foldpoint.transcript", "the transcript inside the session; each sub-agent has its own")
FOLD_MODE = Attribute("foldpoint.mode", "`off`, `shadow`, `prod`")
VERDICT = Attribute("foldpoint.verdict", "as in x-ace-trajectory-compaction")
WHY = Attribute("foldpoint.reason", "as in -reason")
HOW = Attribute("foldpoint.strategy", "as in -strategy")
TOKENS_BEFORE = Attribute("foldpoint.tokens.before", "as in -tokens-before")
TOKENS_AFTER = Attribute("foldpoint.tokens.after", "as in -tokens-after")
TOKENS_WOULD_SAVE = Attribute("foldpoint.tokens.would_save", "as in -tokens-would-save, in shadow alone")
WRITE_TOKENS = Attribute("foldpoint.write_tokens", "as in -write-tokens, where the fold moved")
HELD = Attribute("foldpoint.held", "as in -held")
COST = Attribute("foldpoint.cost.usd", "price of the prompt as billed")
COST_UNFOLDED = Attribute("foldpoint.cost.unfolded_usd", "an estimate of the same prompt's price without a fold")
SKILL = Attribute("foldpoint.skill", "the skill; on foldpoint.fold alone")
ACTION = Attribute("foldpoint.action", "what it did; on foldpoint.fold alone")
SEALED = Attribute("foldpoint.turns.sealed", "turns that are sealed")
TOTAL = Attribute("foldpoint.turns.total", "turns there are")
CHECKPOINT = Attribute("foldpoint.checkpoint", "12 hex of the folded prefix")
ATTRIBUTES = (
    OPERATION, PROVIDER, REQUEST_MODEL, REQUEST_STREAM, FIRST_CHUNK, CONVERSATION, COMPACTED, INPUT, OUTPUT, CACHE_READ,
    CACHE_WRITE, MESSAGES, MODALITY, ERROR, STATUS, ADDRESS, PORT, REQUEST_ID, TENANT, KEY_NAME, SESSION, TRANSCRIPT,
    FOLD_MODE, VERDICT, WHY, HOW, SEALED, TOTAL, CHECKPOINT, TOKENS_BEFORE, TOKENS_AFTER, TOKENS_WOULD_SAVE,
    WRITE_TOKENS, HELD, COST, COST_UNFOLDED, SKILL, ACTION, TOKEN_TYPE, OLD_PROVIDER, OLD_CACHE_WRITE,
)  # fmt: skip
FOLD_SPAN = "foldpoint.fold"
"""The stage of a skill that was consulted, inside the span `{operation} {model}` of the request."""

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_COUNTS = tuple(float(4**power) for power in range(14))
DURATION = Instrument(
    "gen_ai.client.inference.duration", "histogram", "s", "What a request took, the fold included.", GENAI, _SECONDS
)
TIME_TO_FIRST = Instrument(
    "gen_ai.client.inference.time_to_first_chunk", "histogram", "s", "Until a stream began.", GENAI, _SECONDS
)
USED_INPUT = Instrument(
    "gen_ai.client.inference.usage.input_tokens", "counter", "{token}", "Prompts, cached tokens included."
)
USED_OUTPUT = Instrument("gen_ai.client.inference.usage.output_tokens", "counter", "{token}", "Answers.")
USED_CACHE_READ = Instrument(
    "gen_ai.client.inference.usage.cache_read.input_tokens", "counter", "{token}", "Read from the provider's cache."
)
USED_CACHE_WRITE = Instrument(
    "gen_ai.client.inference.usage.cache_write.input_tokens", "counter", "{token}", "Written to the provider's cache."
)
EACH_INPUT = Instrument(
    "gen_ai.client.inference.operation.input_tokens", "histogram", "{token}", "Of each prompt.", GENAI, _COUNTS
)
EACH_OUTPUT = Instrument(
    "gen_ai.client.inference.operation.output_tokens", "histogram", "{token}", "Of each answer.", GENAI, _COUNTS
)
OLD_DURATION = Instrument(
    "gen_ai.client.operation.duration", "histogram", "s", "As gen_ai.client.inference.duration.", OLDER, _SECONDS
)
OLD_USAGE = Instrument("gen_ai.client.token.usage", "histogram", "{token}", "Of prompts and answers.", OLDER, _COUNTS)
INSTRUMENTS = (
    DURATION, TIME_TO_FIRST, USED_INPUT, USED_OUTPUT, USED_CACHE_READ, USED_CACHE_WRITE, EACH_INPUT, EACH_OUTPUT,
    OLD_DURATION, OLD_USAGE,
)  # fmt: skip

REQUEST_EVENT = "request"
"""The event of the log line that `telemetry.log_requests` writes for each request."""
REQUEST_FIELDS = (
    "request_id", "tenant", "key", "session", "surface", "model", "mode", "status", "verdict", "reason", "strategy",
    "tokens_before", "tokens_after", "saved_usd", "duration_ms", "trace_id", "span_id",
)  # fmt: skip
