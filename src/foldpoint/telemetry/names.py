"""Every name that telemetry says, once: metrics and their labels, attributes, spans, log events.

Names that are not ours are those of two conventions, as read on 30 November 2026. docs/reference/metrics.md has them all.
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
    "foldpoint_fold_failures_total", "counter", "Folds that failed; the request went out as it came.", (REASON,)
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
    FIRST_BYTE, KEY_REQUESTS, KEY_TOKENS, KEY_COST, SESSIONS, OPEN, DRAINING, STORE_FAILING, STORE_SECONDS,
    RECORDS_WAITING, RECORDS_SPOOLED, RECORDS_DROPPED, OBSERVATIONS_DROPPED, BUILD,
)  # fmt: skip
