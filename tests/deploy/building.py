"""Carries out a Dockerfile without a container engine: `python building.py PROBE`, as root. This machine stands in for
the base image, seen through an overlay; PROBE is run in the last stage as its user, and what it prints is printed.
"""

import ctypes
import fcntl
import json
import os
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from dockerfile import DOCKERFILE, ROOT, Stage, stages

NEW_MOUNTS, NEW_NETWORK = 0x00020000, 0x40000000
SET_FLAGS, UP = 0x8914, 0x1
PYTHON = Path(sys.base_prefix)
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def main() -> None:
    apart(NEW_MOUNTS)
    run("mount", "--make-rprivate", "/")
    folder = Path(tempfile.mkdtemp(prefix="foldpoint-image-"))
    run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", folder)
    try:
        image, last = built(folder)
        print(probed(image, last, Path(sys.argv[1]).read_text()))
    finally:
        run("umount", "--recursive", "--lazy", folder)
        folder.rmdir()


def built(folder: Path) -> tuple[Path, Stage]:
    """Every stage, one after the other; gives the root of the last one."""
    roots: dict[str, Path] = {}
    for stage in stages(DOCKERFILE.read_text()):
        root = machine(folder / (stage.name or "last"))
        environment, at = {**os.environ, "PATH": f"{PYTHON}/bin:{SYSTEM}"}, "/"
        for word, rest in stage.instructions:
            if word == "WORKDIR":
                at = rest
                (root / at[1:]).mkdir(parents=True, exist_ok=True)
            elif word == "RUN":
                run("chroot", root, "sh", "-c", f"cd {at} && {rest}", env=environment)
            elif word == "COPY":
                copy(rest, root, at, roots)
        roots[stage.name] = root
    return root, stage


def machine(folder: Path) -> Path:
    """This machine's files under a new root; what is written to it goes to `folder`. Everyone reaches the Python."""
    upper, work, root = (folder / name for name in ("upper", "work", "root"))
    for each in (upper, work, root):
        each.mkdir(parents=True)
    upper.chmod(0o755)
    run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", root)
    run("mount", "--rbind", "/dev", root / "dev")
    run("mount", "-t", "proc", "proc", root / "proc")
    for above in list(PYTHON.parents)[:-1]:
        (root / str(above)[1:]).chmod(0o755)
    return root


def copy(arguments: str, root: Path, at: str, roots: dict[str, Path]) -> None:
    """Copy as COPY does: of a folder what is in it."""
    words = shlex.split(arguments)
    origin = roots[words.pop(0).removeprefix("--from=")] if words[0].startswith("--from=") else ROOT
    *sources, to = words
    target = root / os.path.join(at, to)[1:]
    for source in sources:
        found = origin / source.lstrip("/")
        if found.is_dir():
            ignored = shutil.ignore_patterns("__pycache__") if origin is ROOT else None
            shutil.copytree(found, target, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        else:
            place = target / found.name if to.endswith("/") else target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, place)


def probed(root: Path, stage: Stage, probe: str) -> str:
    """What the probe says in a container of the stage: read-only root, no capability, a network of its own."""
    run("umount", root / "proc")
    run("mount", "-o", "remount,ro", root)
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", root / "tmp")
    user, group = stage.argument("USER").split(":")
    volume = (root / stage.argument("VOLUME")[1:]).stat()
    options = f"uid={volume.st_uid},gid={volume.st_gid},mode={volume.st_mode & 0o777:o}"
    run("mount", "-t", "tmpfs", "-o", options, "tmpfs", root / stage.argument("VOLUME")[1:])
    apart(NEW_NETWORK)
    loopback_up()
    environment = {"PATH": f"{PYTHON}/bin:{SYSTEM}"}
    for name, value in stage.environment():
        environment[name] = value.replace("$PATH", environment["PATH"])
    told = json.dumps({"command": stage.command(), "healthcheck": stage.healthcheck()})
    enter = ("unshare", "--pid", "--fork", "--kill-child", f"--root={root}", "--mount-proc")
    become = ("setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--no-new-privs", "--bounding-set=-all")
    inside = ("sh", "-c", f'cd {stage.argument("WORKDIR")} && exec "$@"', "sh", "python", "-c", probe, told)
    return subprocess.run(
        (*enter, *become, *inside), env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def apart(what: int) -> None:
    """Leave a namespace for a new one. Raises OSError where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(what):
        raise OSError(ctypes.get_errno(), "this machine lets nobody have namespaces")


def loopback_up() -> None:
    """Bring up the loopback device of this network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def run(*command: object, env: dict[str, str] | None = None) -> None:
    """Run a command whose output is no answer of ours."""
    subprocess.run([str(word) for word in command], env=env, stdout=sys.stderr, check=True)


if __name__ == "__main__":
    main()
