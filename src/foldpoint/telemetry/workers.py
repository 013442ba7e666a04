"""A folder in which several worker processes keep their figures, so that each of them can show those of all."""

import os
import shutil
import tempfile
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_figures(environ: MutableMapping[str, str] = os.environ) -> Iterator[Path]:
    """The folder, named in the environment while inside: for the parent, before it starts workers.

    A folder that the environment names already is emptied of old figures and used, else one is made and removed at the
    end. prometheus_client reads the name when it is imported, and never again.
    """
    given = environ.get(FOLDER)
    folder = Path(given or tempfile.mkdtemp(prefix="foldpoint-metrics-"))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()
    environ[FOLDER] = str(folder)
    try:
        yield folder
    finally:
        if not given:
            del environ[FOLDER]
            shutil.rmtree(folder, ignore_errors=True)


def worker_gone(pid: int, folder: Path) -> None:
    """Forget what a worker that ended would tell now; what it counted stays."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid, str(folder))
