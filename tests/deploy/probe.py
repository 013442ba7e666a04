"""Runs in the image, as its user: starts the gateway, asks after its health, and says what it saw as JSON."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def writable(path: str) -> bool:
    """Whether a file can be made there."""
    try:
        Path(path).touch()
    except OSError:
        return False
    return True


def capabilities() -> str:
    """What of root's powers a process of this user has, in hex."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return status["CapEff"]


def well(healthcheck: list[str]) -> bool:
    """Whether the health check passes within 20 seconds; it fails before the gateway listens."""
    for _ in range(40):
        if subprocess.run(healthcheck, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return True
        time.sleep(0.5)
    return False


PLACES = ("/x", "/opt/foldpoint/x", "/etc/foldpoint/x", "/tmp/x", "/data/x")
told = json.loads(sys.argv[1])
before = subprocess.run(told["healthcheck"], stderr=subprocess.DEVNULL, check=False).returncode
gateway = subprocess.Popen(told["command"], stdout=subprocess.DEVNULL)
seen = {
    "user": [os.getuid(), os.getgid(), os.getgroups()],
    "capabilities": capabilities(),
    "unwell before it runs": before != 0,
    "well": well(told["healthcheck"]),
    "writable": [
        path for path in ("/x", "/opt/foldpoint/x", "/etc/foldpoint/x", "/tmp/x", "/data/x") if writable(path)
    ],
    "kept": sorted(path.name for path in Path("/data/foldpoint").glob("*.db")),
}
gateway.send_signal(signal.SIGTERM)
print(json.dumps({**seen, "exit": gateway.wait(20)}))
