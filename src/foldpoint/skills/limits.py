"""How much a line of the summary carries, as a policy wants it."""

from ..core.policy import Trajectory
from ..core.transcript import Limits
from .evidence import extract


def limits_of(policy: Trajectory) -> Limits:
    """The lengths that a policy gives the parts of a line."""
    finder = extract if policy.extract == "evidence" else None
    return Limits(head=policy.tool_result_head_chars, verbatim=policy.verbatim_chars, finder=finder)
