"""`python -m benchmarks`: every benchmark with its defaults, then the gate against the release."""

from __future__ import annotations

from benchmarks import begin, consistency, gate, q2, try_page

if __name__ == "__main__":
    q2.main()
    begin.main()
    consistency.main()
    try_page.main()
    gate.main()
