"""An on-call investigation of late webhooks, from the alert to the cause: 22 turns on chat completions."""
# fmt: off
# ruff: noqa: E501 - a story reads best one step after the other, its words unbroken

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from . import bulk
from .project import Project
from .story import Call, Step, Story, Tool

SYSTEM = """You are the on-call assistant of the payments platform. You investigate; people decide.

Rules
1. You may read metrics, logs, deploys, configuration and the read-only replica. You never change anything yourself.
2. State what you know, how you know it, and what you would look at next, in at most four sentences a step.
3. A number without a time range means nothing: always say from when to when.
4. When customers are affected, propose an update for the status page within fifteen minutes. A person posts it.
5. Before you propose a mitigation, say what could go wrong with it and how to undo it.

Services: webhook-api (accepts events), webhook-planner (fans out to deliveries), webhook-sender (24 pods, sends), deliveries-db
(PostgreSQL 16, one primary, two replicas), ledger, reporting. Time is UTC."""
TASK = """PAGE 03:41Z, sev 2: webhook_delivery_lag_seconds p95 > 900 for 10 min (now 1,340). Merchants get payment.succeeded late.
Runbook: webhooks/delivery-lag. Last change to webhook-sender: yesterday 14:20Z. Please find out what is going on."""
TOOLS = (
    Tool("query_metrics", "Runs a range query against the metrics store.", {"query": "Expression", "start": "From", "step": "Step"}),
    Tool("search_logs", "Searches the logs of a service.", {"query": "Filter", "service": "Service", "minutes": "How far back"}),
    Tool("list_deploys", "Lists deploys and flag changes.", {"since": "From", "service": "Service, or all"}),
    Tool("run_sql", "Runs a read-only statement against a replica of deliveries-db, catalog views of the primary included.", {"sql": "Statement"}),
    Tool("get_document", "Reads a runbook, a config file or an earlier incident.", {"path": "Path"}),
    Tool("kubectl", "Runs a read-only kubectl command.", {"command": "Arguments"}),
)
NIGHT = datetime(2026, 10, 14, 0, 0, tzinfo=UTC)


def story() -> Story:
    return Story("webhooks", "on-call investigation, late webhooks", "openai-chat", "gpt-5", SYSTEM, TOOLS, TASK, (*symptom(), *cause(), *recovery()))


def one(says: str, *calls: Call, note: str = "") -> Step:
    return Step(says, calls, note)


def metric(query: str, hours: int, *series: tuple[str, Callable[[int, Random], float]], step: int = 5) -> Call:
    """A range query over the last hours before 03:45; each series gives its value by the minute of the night."""
    first = 225 - 60 * hours
    rng = bulk.seeded(query)
    rows = [
        (f"{NIGHT + timedelta(minutes=minute):%d %H:%M}", *(round(value(minute, rng), 1) for _, value in series))
        for minute in range(first, 226, step)
    ]
    shown = bulk.table(("time", *(name for name, _ in series)), rows)
    return Call("query_metrics", {"query": query, "start": f"-{hours}h", "step": f"{step}m"}, shown)


def level(usual: float, since: int = 999, slope: float = 0.0) -> Callable[[int, Random], float]:
    """A value around its usual level that grows (or falls) from a minute of the night on."""
    return lambda minute, rng: max(0.0, usual * rng.uniform(0.93, 1.07) + max(0, minute - since) * slope)


def logs(service: str, query: str, minutes: int, lines: int, make: Callable[[Random], str], facts: dict[int, str]) -> Call:
    start = NIGHT + timedelta(minutes=225 - minutes)
    found = bulk.log(service + query, start, lines, make, facts)
    return Call("search_logs", {"query": query, "service": service, "minutes": str(minutes)}, f"{lines} of 18,204 lines\n{found}")


def sql(statement: str, head: tuple[str, ...], rows: Sequence[Sequence[object]]) -> Call:
    return Call("run_sql", {"sql": statement}, bulk.table(head, rows))


def filed(path: str) -> Call:
    """A document that is kept beside this file."""
    return document(path, Project("webhooks").files[path].rstrip("\n"))


def document(path: str, words: str) -> Call:
    return Call("get_document", {"path": path}, words)


def merchant(rng: Random) -> str:
    return f"m_{rng.randrange(16**8):08x}"


def sending(rng: Random) -> str:
    shard, took = rng.randrange(24), int(rng.lognormvariate(5, 0.7))
    if rng.random() < 0.3:
        return f"INFO sender-{shard:02d} claim batch=200 got={rng.randrange(3, 40)} took_ms={rng.randrange(4000, 9800)} shard={shard}"
    status = rng.choice([200, 200, 200, 200, 204, 500])
    return f"INFO sender-{shard:02d} attempt delivery=d_{rng.randrange(16**10):010x} merchant={merchant(rng)} status={status} took_ms={took}"


def planning(rng: Random) -> str:
    kind = rng.choice(["payment.succeeded", "payment.failed", "refund.created", "payout.paid", "dispute.opened"])
    return f"INFO planner-{rng.randrange(6)} planned event=e_{rng.randrange(16**10):010x} type={kind} endpoints={rng.randrange(1, 5)} took_ms={rng.randrange(3, 40)}"


def reporting(rng: Random) -> str:
    return (
        f"INFO reporting-{rng.randrange(3)} export=monthly_fees merchant={merchant(rng)} rows={rng.randrange(200, 90000)} "
        f"upload=s3://exports/2026-09/{rng.randrange(16**6):06x}.parquet state={rng.choice(['fetched', 'encoded', 'uploaded'])}"
    )


def symptom() -> list[Step]:
    """Turns 1 to 8: not the merchants, not a burst, not a deploy; senders do not get work."""
    deploys = [
        ("13 14:20", "webhook-sender", "v418", "rollout 24/24", "Log the shard with every attempt"),
        ("13 15:05", "ledger", "v1021", "rollout 12/12", "Round half to even in fee previews"),
        ("13 16:40", "flag", "payouts.batch_v2", "0 % -> 5 %", "r.okafor"),
        ("13 22:00", "reporting", "v77", "rollout 3/3", "Monthly fees: read all partitions in one transaction"),
        ("14 01:10", "webhook-api", "v233", "rollout 8/8", "Accept idempotency keys of 128 characters"),
        ("14 02:30", "config", "rate-limits", "applied", "Nightly sync, no difference"),
    ]
    pods = "\n".join(
        ["NAME                              READY   STATUS    RESTARTS   AGE     CPU    MEMORY"]
        + [f"webhook-sender-6f9c7d5b8-{digest}   1/1     Running   0          13h     {cpu:3d}m   {memory}Mi"
           for digest, cpu, memory in ((f"{bulk.seeded(str(at)).randrange(16**5):05x}", 40 + at * 3 % 31, 210 + at * 7 % 40) for at in range(24))]
    )
    slow = [(merchant(bulk.seeded(f"slow {at}")), 340 - 9 * at, 7 - at // 6, round(0.9 - at * 0.011, 2), "ok") for at in range(24)]
    return [
        one("I'll read the runbook and look at the lag by shard over the last six hours.", filed("webhooks/delivery-lag"),
            metric("webhook_delivery_lag_seconds{quantile='0.95'}", 6, ("lag_p95", level(14, 160, 20.5)), ("lag_max", level(31, 158, 24.0)))),
        one("Lag was flat at 14 s until about 02:40Z and has grown by 20 s a minute since. The runbook asks whether senders get work: claims "
            "and due deliveries next.",
            metric("rate(sender_claims_total[5m]) / deliveries_due", 6, ("claims_per_s", level(41, 160, -0.55)), ("due", level(900, 160, 410.0)),
                   ("attempts_per_s", level(880, 160, -11.6)))),
        one("Claims fall while due deliveries rise, so case 2 of the runbook: senders do not get work. To be sure I'll rule out merchants and a burst.",
            Call("query_metrics", {"query": "topk(24, webhook_attempt_seconds by merchant)", "start": "-1h", "step": "1h"},
                 bulk.table(("merchant", "attempts", "in_flight", "p95_s", "breaker"), slow)),
            metric("rate(planned_deliveries_total[5m])", 6, ("planned_per_s", level(905)), ("events_per_s", level(402)))),
        one("No merchant is slow beyond its limit of 8 and planning is level at about 900/s since 21:45Z. What changed before 02:40Z?",
            Call("list_deploys", {"since": "-14h", "service": "all"}, bulk.table(("time", "what", "version", "state", "change"), deploys))),
        one("Nothing at 02:40Z itself. reporting v77 at 22:00Z touches partitions in one transaction, which I keep in mind. Now the senders: are "
            "they healthy, and what do they log?",
            Call("kubectl", {"command": "-n webhooks top-and-get pods -l app=webhook-sender"}, pods),
            logs("webhook-sender", "claim OR attempt", 15, 48, sending, {
                9: "WARN sender-07 claim slow took_ms=9114 waited_lock_ms=12 scanned_ms=9031 got=22",
                30: "WARN sender-19 claim slow took_ms=9688 waited_lock_ms=4 scanned_ms=9655 got=9"})),
        one("Pods idle at 40 to 70 millicores. Claims take 4 to 10 s, and of that nearly nothing is waiting for locks: `scanned_ms=9655`. They walk "
            "over something. Dead tuples in the partition of the day would do that.",
            sql("select relname, n_live_tup, n_dead_tup, last_autovacuum, vacuum_count from pg_stat_user_tables where relname like 'deliveries_2026%' order by 1 desc limit 30",
                ("relname", "n_live_tup", "n_dead_tup", "last_autovacuum", "autovacuums"),
                [("deliveries_20261014", 3_310_442, 118_204_771, "14 02:38", 61),
                 *((f"deliveries_202610{day:02d}", 88_000_000 + day * 31_337, 40_211 + day * 977, f"{day + 1:02d} 00:2{day % 10}", 288 + day) for day in range(13, 0, -1)),
                 *((f"deliveries_202609{day:02d}", 86_000_000 + day * 27_011, 39_002 + day * 811, f"{day:02d} 23:5{day % 10}", 287) for day in range(30, 18, -1))])),
        one("118 million dead tuples against 3.3 million live ones in today's partition. By incident 2025-11-03 one million costs about 90 ms a claim, "
            "so 9 to 10 s fits. Autovacuum ran at 02:38Z and evidently could not remove them. Let me read that incident and the vacuum's log.",
            filed("incidents/2025-11-03"),
            logs("deliveries-db", "autovacuum", 90, 30, lambda rng: (
                f"LOG automatic vacuum of table \"deliveries.public.deliveries_20261014\": index scans: 0 pages: 0 removed, {rng.randrange(2_000_000, 2_400_000)} remain, "
                f"tuples: 0 removed, {rng.randrange(90_000_000, 121_000_000)} remain, {rng.randrange(88_000_000, 118_000_000)} are dead but not yet removable, oldest xmin: 3911842207"),
                {})),
        one("Every run says the same: dead but not yet removable, oldest xmin 3911842207. Some transaction is holding that xmin. Who?",
            sql("select pid, usename, application_name, state, now() - xact_start as age, backend_xmin, wait_event, left(query, 60) from pg_stat_activity order by xact_start limit 40",
                ("pid", "usename", "application", "state", "age", "backend_xmin", "wait_event", "query"),
                [(48213, "reporting_rw", "reporting-1", "idle in transaction", "05:39:12", 3911842207, "ClientRead", "select * from deliveries_20260930 where merchant_id = $1"),
                 *((52000 + at * 17, "app_sender", f"sender-{at:02d}", "active", f"00:00:0{at % 9}", 3987001000 + at * 31, "", "update deliveries set claimed_by = $1 where id in (select ...") for at in range(24)),
                 *((53000 + at * 11, "app_planner", f"planner-{at}", "idle", "", "", "ClientRead", "insert into deliveries (event_id, endpoint_id, due_at) ...") for at in range(6))])),
    ]


def cause() -> list[Step]:
    """Turns 9 to 15: who holds the transaction, why, and what ending it would cost."""
    tail = logs("reporting", "reporting-1", 360, 44, reporting, {
        0: "INFO reporting-1 export=monthly_fees begin transaction isolation=repeatable_read merchants=41877",
        21: "WARN reporting-1 export=monthly_fees upload retry=1 error='SlowDown' wait_s=30",
        22: "WARN reporting-1 export=monthly_fees upload retry=2 error='SlowDown' wait_s=60",
        43: "WARN reporting-1 export=monthly_fees progress merchants=9204/41877 elapsed=20160s transaction open",
    })
    progress = [(f"{NIGHT + timedelta(minutes=at * 12 - 120):%d %H:%M}", 210 * at + at * at // 3, 118 * at, f"{max(0.3, 1.9 - at / 30):.2f}") for at in range(1, 29)]
    return [
        one("Found: pid 48213, role reporting_rw, idle in transaction for 5 h 39 min with exactly that xmin. It began at 22:06Z, six minutes after "
            "reporting v77. What is it doing?", tail),
        one("It is the monthly fees export, in one repeatable-read transaction, at 9,204 of 41,877 merchants. I'll confirm with the change and its configuration.",
            filed("reporting@v77"), filed("reporting/config/production.yaml")),
        one("Confirmed. v77 moved the export into one transaction on the primary, with uploads and their retries inside it. At this pace it ends "
            "in about 20 hours. Why did lag only start at 02:40Z?",
            metric("pg_stat_user_tables_n_dead_tup{relname='deliveries_20261014'} / 1e6", 4, ("dead_millions", lambda minute, rng: max(0.1, minute * 0.525)),
                   ("claim_ms", lambda minute, rng: max(18.0, minute * 44 * rng.uniform(0.95, 1.05))), ("senders_busy", lambda minute, rng: min(24.0, 4 + minute / 8)))),
        one("Dead tuples rise from midnight, when today's partition opened, and claims grow with them. At 02:40Z all 24 senders were busy claiming, "
            "so from then on work queued. Cause and time fit. Before proposing to end the session I want to know what that would lose.",
            sql("select date_trunc('minute', finished_at) t, count(*), sum(rows)/1000, avg(seconds) from reporting.export_checkpoint where export = 'monthly_fees' group by 1 order by 1",
                ("t", "merchants_done", "rows_k", "merchants_per_s"), progress)),
        one("Checkpoints are committed elsewhere (autocommit), so `resume_from_last_merchant` would go on behind merchant 9,204; only the common snapshot is lost. "
            "Proposal: end pid 48213 and hold the export. Risk: files of this month come from two snapshots, as before v77. Undo: start the export again. "
            "Nothing changes for senders but the vacuum. Shall I prepare the update for the status page?",
            document("status/webhooks-delayed.md", "Component: Webhooks\nState: Delayed\n\nWebhook deliveries are delayed by up to {minutes} minutes since {start} UTC. No events are lost; they arrive in order "
                     "for each endpoint. Payments themselves are not affected. Next update by {next} UTC."),
            note="I reached L. Brandt, the export can be stopped. I ended 48213 at 03:58Z and paused the schedule. Status page: up to 35 minutes, since 02:40, next 04:30. "
                 "Please watch the recovery. Don't suggest restarting senders."),
        one("Noted. First whether the xmin moved on and the vacuum removes the dead tuples.",
            sql("select pid, usename, state, backend_xmin, age(backend_xmin) from pg_stat_activity where backend_xmin is not null order by age(backend_xmin) desc limit 12",
                ("pid", "usename", "state", "backend_xmin", "age"),
                [(52000 + at * 17, "app_sender", "active", 3987114020 + at * 7, 911 - at * 50) for at in range(12)]),
            logs("deliveries-db", "autovacuum", 8, 16, lambda rng: (
                f"LOG automatic vacuum of table \"deliveries.public.deliveries_2026101{rng.randrange(4)}\": index scans: 1 tuples: {rng.randrange(2000, 60000)} removed, {rng.randrange(80_000_000, 89_000_000)} remain"),
                {11: "LOG automatic vacuum of table \"deliveries.public.deliveries_20261014\": index scans: 7 tuples: 96114209 removed, 3402118 remain, 24101 are dead but not yet removable, elapsed: 388.14 s"})),
        one("The oldest xmin is seconds old, and one run removed 96 million tuples in 388 s. Claims should be fast again; I'll look at what senders log now.",
            logs("webhook-sender", "claim", 3, 40, lambda rng: f"INFO sender-{rng.randrange(24):02d} claim batch=200 got=200 took_ms={rng.randrange(24, 71)} scanned_ms={rng.randrange(11, 48)}", {})),
    ]


def recovery() -> list[Step]:
    """Turns 16 to 22: the backlog drains; what is left to do."""
    endpoints = [(merchant(bulk.seeded(f"late {at}")), 9204 - 212 * at, 34 - at // 2, 4 + at % 3, "draining") for at in range(32)]
    shards = [(shard, 4100 - 37 * shard, 31 - shard % 7, 200, 24 + shard % 11) for shard in range(24)]
    roles = [(role, timeout, idle, holders) for role, timeout, idle, holders in (
        ("app_sender", "5s", "10s", 24), ("app_planner", "5s", "10s", 6), ("app_api", "3s", "10s", 8), ("migrator", "30s", "60s", 0),
        ("reporting_ro", "0", "0", 2), ("reporting_rw", "0", "0", 0), ("analytics_ro", "0", "0", 5), ("dba", "0", "0", 1))]
    sessions = [(f"{41000 + at * 13}", "analytics_ro", "notebook", "idle in transaction", f"00:{at + 11:02d}:40", "replica-1") for at in range(5)]
    return [
        one("24 to 70 ms a claim, 200 of 200. How long will the backlog take?",
            sql("select shard, count(*) due, max(now() - due_at) oldest_min, batch, claim_ms from deliveries_due_by_shard group by shard order by 1",
                ("shard", "due", "oldest_min", "batch", "claim_ms"), shards),
            metric("rate(webhook_attempts_total[1m])", 1, ("attempts_per_s", level(2390)), ("planned_per_s", level(905)), step=2)),
        one("About 88,000 due, and 2,390 attempts against 905 new ones a second: some 60 s of pure backlog, a few minutes with retries. Are single merchants "
            "held back by the limit of 8 in flight?",
            Call("query_metrics", {"query": "topk(32, deliveries_due by merchant)", "start": "-5m", "step": "5m"},
                 bulk.table(("merchant", "due", "oldest_min", "in_flight", "state"), endpoints))),
        one("A few large merchants will take up to ten minutes because of their limit; that is by design. Were deliveries sent twice or given up meanwhile?",
            sql("select state, attempts, count(*) from deliveries_20261014 where due_at > '2026-10-14 02:40' group by 1, 2 order by 1, 2",
                ("state", "attempts", "count"),
                [("sent", 1, 2_904_118), ("sent", 2, 40_277), ("sent", 3, 6_120), ("retrying", 1, 11_402), ("retrying", 2, 3_011), ("given_up", 8, 0)]),
            logs("webhook-sender", "duplicate OR given_up", 80, 14, lambda rng: f"INFO sender-{rng.randrange(24):02d} dedupe hit delivery=d_{rng.randrange(16**10):010x} ignored=true", {})),
        one("None given up, none sent twice. Now what let this happen unseen: the alert on idle transactions covers only roles app_*. Which roles have no limit?",
            sql("select rolname, statement_timeout, idle_in_transaction_session_timeout, sessions from role_settings order by 1",
                ("role", "statement_timeout", "idle_timeout", "sessions"), roles),
            document("alerts/deliveries-db.yaml", "\n".join(
                f"- alert: {name}\n  expr: {expr}\n  for: {wait}\n  labels: {{severity: {severity}, team: payments}}"
                for name, expr, wait, severity in (
                    ("IdleInTransaction", "max(pg_idle_in_transaction_seconds{usename=~'app_.*'}) > 600", "1m", "page"),
                    ("DeadTuples", "pg_dead_tuples{table!~'deliveries_.*'} > 5e6", "15m", "ticket"),
                    ("ReplicaLag", "pg_replica_lag_seconds > 60", "5m", "page"),
                    ("ClaimSlow", "histogram_quantile(0.95, claim_seconds) > 5", "30m", "ticket"),
                    ("Connections", "pg_connections / pg_max_connections > 0.85", "5m", "page"),
                    ("Wraparound", "pg_xid_age > 1.2e9", "10m", "page"))))),
        one("Two holes: reporting_* and analytics_ro have no limits, and dead tuples of deliveries_* are left out of their alert on purpose. Does anybody else do the same right now?",
            sql("select pid, usename, application_name, state, now() - xact_start, host from pg_stat_activity_all_hosts where state = 'idle in transaction' order by 5 desc",
                ("pid", "usename", "application", "state", "age", "host"), sessions)),
        one("Only notebooks on replica-1, which cannot hold back the primary's vacuum unless hot_standby_feedback is on. One check of that, and the lag again.",
            sql("select host, name, setting from settings_all_hosts where name in ('hot_standby_feedback', 'max_standby_streaming_delay', 'old_snapshot_threshold', 'autovacuum_naptime')",
                ("host", "name", "setting"),
                [(host, name, value) for host in ("primary", "replica-1", "replica-2") for name, value in (
                    ("hot_standby_feedback", "off"), ("max_standby_streaming_delay", "30s"), ("autovacuum_naptime", "15s"))]),
            metric("webhook_delivery_lag_seconds{quantile='0.95'}", 1, ("lag_p95", lambda minute, rng: max(12.0, 2040 - 31.0 * max(0, minute - 165))), step=2),
            note="Lag is at 14 s and the page is resolved. Write the summary for the incident, please: timeline, cause, what to do, in half a page. PLAT-2291 exists, link it."),
        one("I'll take the exact times from the incident channel before writing.",
            Call("search_logs", {"query": "channel:#inc-1014", "service": "chat", "minutes": "80"}, "\n".join(
                f"{time}Z {who}: {words}" for time, who, words in (
                    ("03:41", "pager", "webhook_delivery_lag_seconds p95 > 900, paged on-call"), ("03:44", "m.sato", "looking, assistant started"),
                    ("03:52", "assistant", "idle in transaction: pid 48213 reporting_rw since 22:06, holds xmin 3911842207"),
                    ("03:55", "l.brandt", "that is the monthly fees export, safe to stop, I will run it per merchant from the replica"),
                    ("03:58", "m.sato", "pg_terminate_backend(48213), schedule paused"), ("04:01", "status", "Webhooks: Delayed, up to 35 min, next update 04:30"),
                    ("04:05", "deliveries-db", "vacuum of deliveries_20261014 done, 96,114,209 removed"), ("04:09", "pager", "resolved, lag p95 14 s"),
                    ("04:12", "l.brandt", "opened PLAT-2330: export without a long transaction (snapshot export to object storage first)"),
                    ("04:15", "status", "Webhooks: Operational"))))),
    ]
