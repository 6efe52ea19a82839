"""Write all result pages in one go, from one set of weights: `python -m reproduce`, `make docs`.

What others' models give (`python -m reproduce.peers`) is left out: it needs a hub.
"""

from __future__ import annotations

import subprocess
import sys

from reproduce.pages import weights

# The last one takes its figures from the others.
PAGES = (
    "q2", "begin", "inquiries_read", "questions_read", "aih", "consistest", "headline", "labels",
    "everyday", "marks", "changed_verdicts", "performance", "scale", "papers",
)  # fmt: skip


def main() -> None:
    before = weights()
    for page in PAGES:
        subprocess.run([sys.executable, "-m", f"reproduce.{page}"], check=True)
    if weights() != before:
        sys.exit("The models changed while the pages were written: write them again.")


if __name__ == "__main__":
    main()
