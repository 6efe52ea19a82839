"""A real HTTP server on this machine whose answers a test scripts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server answers once."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


def chat_reply(text: str, tokens_in: int = 10, tokens_out: int = 5) -> Reply:
    """An answer in the form of OpenAI's chat endpoint."""
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage})


@dataclass
class Server:
    """Where it listens, and what it was sent."""

    url: str
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0


@contextmanager
def serving(answer: Callable[[int, Any], Reply]) -> Iterator[Server]:
    """Serve `answer(number of the request, its JSON)` on a free port of 127.0.0.1."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(size))
            with lock:
                number = len(server.bodies)
                server.bodies.append(body)
                server.headers.append(dict(self.headers))
                server.paths.append(self.path)
                server.at_once += 1
                server.most_at_once = max(server.most_at_once, server.at_once)
            reply = answer(number, body)
            time.sleep(reply.delay)
            with lock:
                server.at_once -= 1
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            head = {"Content-Length": str(len(raw)), **reply.headers}
            try:
                self.send_response(reply.status)
                for name, value in head.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)
            except OSError:  # the client gave up waiting
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    listener = Quiet(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{listener.server_address[1]}")
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
