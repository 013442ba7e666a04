"""A client that compacts its history by itself goes on being folded."""

from pathlib import Path

import pytest
from installing import NotInstalled
from roster import AGENTS
from sessions import session
from sums import SUM, TURNS

from foldpoint.gateway.serving import run


@pytest.mark.clients
@pytest.mark.timeout(1800)
def test_claude_code_compacts_and_both_halves_fold(tmp_path: Path) -> None:
    """What follows `/compact` is a transcript of its own in the same session; the provider refuses nothing."""
    agent = next(agent for agent in AGENTS if agent.client == "claude-code")._replace(run="run-compact")
    try:
        done = run(session(agent, tmp_path, merge_roles=True))
    except NotInstalled as why:
        pytest.skip(str(why))
    assert (done.status, done.written) == (0, SUM), done.output[-4000:]
    assert [exchange.message for exchange in done.exchanges if exchange.status != 200] == []
    transcripts = list(dict.fromkeys(record.transcript for record in done.records))
    halves = [[record for record in done.records if record.transcript == name] for name in transcripts]
    moved = [[record.reason for record in half].count("fold_moved") for half in halves]
    assert len({record.session for record in done.records}) == 1
    assert (len(halves), min(map(len, halves)) >= TURNS, min(moved) >= 1) == (2, True, True)
