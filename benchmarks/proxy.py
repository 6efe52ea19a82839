"""A proxy that counts what a model's server is asked, and remembers what it answered.

    python -m benchmarks.proxy http://127.0.0.1:8080 --remember answers --port 8081

On a small machine a local model needs hours. What it has answered is kept in a folder, so that a
run that was interrupted resumes where it stopped, and its tokens and seconds are counted as if it
had not been.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from staytrue.backends.store import AnswerStore, key_of

_MEGABYTES = 1024  # of remembered answers; more than any benchmark has made


@dataclass
class Counter:
    """What passed through to the model's server."""

    requests: int = 0
    tokens: int = 0
    remembered_seconds: float = 0.0
    """What remembered answers took when they were given."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, body: bytes, remembered_seconds: float = 0.0) -> None:
        """Count one answer, by what the server says that it took."""
        try:
            usage = json.loads(body).get("usage") or {}
        except (ValueError, AttributeError):
            usage = {}
        with self.lock:
            self.requests += 1
            self.remembered_seconds += remembered_seconds
            self.tokens += sum(
                int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")
            )


@contextlib.contextmanager
def counting(
    url: str, counter: Counter, remember: Path | None = None, port: int = 0
) -> Iterator[str]:
    """The address of a proxy that passes requests on to `url` and counts them."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    store = AnswerStore(remember, _MEGABYTES) if remember else None

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = key_of(self.path, body.decode())
            known = store.get(key) if store else None
            if known:
                status, answer = 200, known["answer"].encode()
                counter.add(answer, known["seconds"])
            else:
                start = time.perf_counter()
                status, answer = self._asked(body)
                counter.add(answer)
                if store and status == 200:  # what the server refused is asked again
                    seconds = time.perf_counter() - start
                    store.put(key, {"answer": answer.decode(), "seconds": seconds})
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def _asked(self, body: bytes) -> tuple[int, bytes]:
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request(url + self.path, body, headers)
            try:
                with direct.open(request, timeout=1800) as response:
                    return response.status, response.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()

        def log_message(self, *_: Any) -> None:
            """Nothing: the table is what is read."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Proxy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the server's address, without /v1")
    parser.add_argument("--remember", type=Path, required=True, help="a folder for answers")
    parser.add_argument("--port", type=int, default=8081)
    options = parser.parse_args()
    with counting(options.url, Counter(), options.remember, options.port) as address:
        print(f"{address}/v1", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
