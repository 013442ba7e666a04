"""Runs in the image, as its user: starts the gateway, asks after its health, and says what it saw as JSON."""

import http.client
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


def served(workers: int) -> dict[str, object]:
    """What a gateway of so many processes is like from outside, from its start to its end."""
    environment = {**os.environ, "FOLDPOINT_GATEWAY__WORKERS": str(workers)}
    gateway = subprocess.Popen(told["command"], stdout=subprocess.DEVNULL, env=environment)
    seen = {"well": well(told["healthcheck"]), "scraped": status("/metrics"), "without a key": status("/v1/models")}
    gateway.send_signal(signal.SIGTERM)
    return {**seen, "exit": gateway.wait(20)}


def status(path: str) -> int:
    """The status of an answer of the gateway's."""
    asked = http.client.HTTPConnection("127.0.0.1", 4600, timeout=20)
    asked.request("GET", path)
    return asked.getresponse().status


def key_made() -> bool:
    """Whether a key can be made beside the gateway."""
    ran = subprocess.run(["foldpoint", "keys", "create", "--name", "ci"], capture_output=True, text=True, check=False)
    return ran.stdout.startswith("fp-")


PLACES = ("/x", "/opt/foldpoint/x", "/etc/foldpoint/x", "/tmp/x", "/data/x")
told = json.loads(sys.argv[1])
seen = {
    "user": [os.getuid(), os.getgid(), os.getgroups()],
    "capabilities": capabilities(),
    "well before it runs": subprocess.run(told["healthcheck"], stderr=subprocess.DEVNULL, check=False).returncode == 0,
    "one process": served(1),
    "two workers": served(2),
    "key made": key_made(),
    "writable": [path for path in PLACES if writable(path)],
    "kept": sorted(path.name for path in Path("/data/foldpoint").glob("*.db")),
}
print(json.dumps(seen))
