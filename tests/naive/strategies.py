"""Hypothesis strategies: shapes of transcripts, and policies."""

from hypothesis import strategies as st

from foldpoint.core.policy import Policy, Trajectory

from .transcripts import BROKEN, WELL_FORMED, Shape

SURFACES = ("openai-chat", "openai-responses", "anthropic", "bedrock", "gemini")


def shapes(broken: bool = False, least: int = 1, most: int = 18) -> st.SearchStrategy[Shape]:
    """Shapes; with `broken` also of requests a provider would refuse."""
    features = WELL_FORMED + (BROKEN if broken else ())
    return st.builds(
        Shape,
        surface=st.sampled_from(SURFACES),
        seed=st.integers(0, 2**32 - 1),
        turns=st.integers(least, most),
        features=st.frozensets(st.sampled_from(features), max_size=len(features)),
        text_only=st.sampled_from([False, False, False, True]),
    )


def trajectories() -> st.SearchStrategy[Trajectory]:
    """Policies that fold, some eager and some not."""
    return st.builds(
        Trajectory,
        epoch_size=st.sampled_from([5, 5, 2, 3, 7]),
        keep_recent_turns=st.sampled_from([2, 2, 1, 3, 6]),
        keep_recent_images=st.sampled_from([1, 1, 0, 2, 3]),
        token_watermark=st.sampled_from([20_000, 0, 300, 2_000]),
        expected_task_steps=st.sampled_from([12, 40, 1, 9]),
        payback_turns=st.sampled_from([None, None, 1000, 1, 7]),
        horizon=st.sampled_from(["task", "adaptive"]),
        manage_breakpoints=st.sampled_from([None, None, True, False]),
        pricing=st.just(False),
        bytes_per_token=st.sampled_from([3.0, 1.0, 4.0, 2.7]),
        tool_result_head_chars=st.sampled_from([320, 320, 0, 40]),
        verbatim_chars=st.sampled_from([240, 240, 0, 60]),
        extract=st.sampled_from(["head", "head", "evidence"]),
    )


def policies() -> st.SearchStrategy[Policy]:
    """Whole policies with one of `trajectories`."""
    return st.builds(Policy, agent_trajectory_compaction=trajectories())
