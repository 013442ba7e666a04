"""The policies that the sweep folds under."""

from foldpoint.core.policy import Policy, Trajectory

POLICIES = {
    "adaptive": Policy(Trajectory(horizon="adaptive")),
    "task": Policy(Trajectory()),
    "task-40": Policy(Trajectory(expected_task_steps=40)),
    "evidence": Policy(Trajectory(extract="evidence", payback_turns=1000)),
    "always": Policy(Trajectory(payback_turns=1000)),
}
