"""Fold every body of the sweep with `fold`, one by one, and print a digest of each: run in a process of its own."""

import sys
from pathlib import Path

from foldpoint.engine import fold
from naive.policies import POLICIES
from naive.sources import corpus, recordings
from naive.sweeping import digest


def main(shared: Path) -> None:
    """Print one line a fold: source, step, policy, digest."""
    for source in (*corpus(shared), *recordings(shared)):
        for step, body in enumerate(source.steps):
            for name, policy in POLICIES.items():
                print(
                    source.name,
                    source.surface,
                    step,
                    name,
                    digest(fold(body, source.surface, policy, source.path).body),
                )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
