"""Several worker processes keep their figures in one folder, so that each of them can show those of all.

prometheus_client reads the folder's name when it is imported and never again: a worker is started with it.
"""

from pathlib import Path

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder."""


def worker_gone(pid: int, folder: Path | str) -> None:
    """Forget what a worker that ended would tell now; what it counted stays."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid, str(folder))
