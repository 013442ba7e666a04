"""The lab: what a policy would have cost and lost, and a simulated provider to try it on."""
