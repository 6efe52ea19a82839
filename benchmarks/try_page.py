"""How fast the app's "Try" page answers: `python -m benchmarks.try_page [--times N]`.

Starts `staytrue serve`, waits until its models are loaded, and asks for Q², NLI, BEGIN and the
headline score of one response after the other, as the page does.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import httpx

KNOWLEDGE = (
    "The Golden Retriever is a large breed of dog, bred as a gun dog to retrieve shot waterfowl. "
    "It takes part in many dog shows. The breed was first recorded in Scotland in 1868."
)
RESPONSES = (
    "Golden retrievers were bred in Germany to herd sheep. They are large and like dog shows.",
    "I love them! They come from Scotland, where they were gun dogs that retrieve birds.",
    "They are small cats that live in Rome. People know them from 12 famous films.",
    "Yes, the breed was first recorded in 1868. Do you have a dog?",
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(client: httpx.Client, response: str) -> float:
    begin = time.perf_counter()
    body = {"examples": [{"response": response, "knowledge": KNOWLEDGE}]}
    client.post("/v1/score", json=body).raise_for_status()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "staytrue", "serve", "--port", str(port), "--data", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                for _ in range(300):
                    try:
                        client.get("/health")
                        break
                    except httpx.TransportError:
                        time.sleep(0.1)
                first = ask(client, "Paris is in France.")
                # No two are alike: nothing is answered from what was asked before.
                taken = [
                    ask(client, f"{RESPONSES[n % len(RESPONSES)]} That was {n} years ago.")
                    for n in range(times)
                ]
        finally:
            server.terminate()
            server.wait()
    print(
        f"Try: median {statistics.median(taken):.2f} s, slowest of {times} {max(taken):.2f} s; "
        f"the first {first:.2f} s"
    )


if __name__ == "__main__":
    main()
