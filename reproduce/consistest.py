"""Write docs/results-consistest.md: `python -m reproduce.consistest`.

Asks three bots 4,000 questions of the benchmark, drawn at random (about ten minutes of CPU; the
runs are kept in runs/consistest, so that a second call resumes or ends at once), and judges the
answers. `--limit 0` asks all 18,635, which takes half an hour.
`--nli NAME=BACKEND` puts other entailment models into the evaluator, `--also NAME=RUN` adds a run
of another bot, such as one tuned on PersonaChat. Both get sections of their own, which a page keeps
when it is written again without them; `--sections` writes these only, and `--rules` the section on
single rules only. Needs the data folder
(STAYTRUE_DATA, or ../shared/data).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from reproduce.consistest_judged import (
    TWO_MODELS,
    JudgedAnswer,
    entailment_models,
    new_answers,
    read_answers,
    two_models,
)
from reproduce.consistest_rules import all_answers, single_rules
from reproduce.pages import (
    DATA,
    REPOSITORY,
    put_section,
    section_of,
    signatures,
    table,
    weights,
    write_picture,
)
from staytrue import cli
from staytrue.core.records import Example, Probe, read_signature
from staytrue.datasets import consistest
from staytrue.metrics.hybrid import Hybrid
from staytrue.plugins import registry
from staytrue.report import dots as plot
from staytrue.runs.folder import Run
from staytrue.studies import consistest as analysis
from staytrue.studies.consistest import read_judged

RELEASED = DATA / "consistest"
GOLDEN = REPOSITORY / "tests" / "golden"
JUDGED = ("consistest_judged.jsonl", "consistest_judged_more.jsonl")
NEW = GOLDEN / "consistest_judged_new.jsonl"
HARD = GOLDEN / "consistest_hard.jsonl"
PAGE = REPOSITORY / "docs" / "results-consistest.md"
RUNS = REPOSITORY / "runs" / "consistest"
BOTS = {
    "extractive": "extractive:",
    "agreeable": "agreeable:",
    "forgetful": "extractive:memory=1,persona=off",
}
VARIANTS = ("standard", "fact", "fact-last", "fact-first", "permuted")
METRICS = {
    "F1": "probe-overlap,measure=f1",
    "recall": "probe-overlap,measure=recall",
    "NLI alone": "hybrid,compat=paper,nli=only",
    "rules alone": "hybrid,nli=off",
    "hybrid, `compat=paper` (Appendix B)": "hybrid,compat=paper",
    "hybrid, `compat=released`": "hybrid,compat=released",
    "**hybrid**": "hybrid",
}
# Table 4 of the paper, on its own 1,000 answers: mean score, WH, yes/no, MSE.
PAPER_JUDGED = {
    "paper: F1": (0.517, 0.512, 0.520, 0.214),
    "paper: recall": (0.553, 0.564, 0.538, 0.131),
    "paper: RoBERTa-MNLI alone": (0.511, 0.448, 0.599, 0.256),
    "paper: RoBERTa-DNLI alone": (0.710, 0.709, 0.715, 0.220),
    "paper: hybrid (MNLI)": (0.604, 0.545, 0.686, 0.071),
    "paper: hybrid (DNLI)": (0.640, 0.565, 0.743, 0.047),
}
# Tables 2 and 3: total, WH, yes/no, extracted.
PAPER_QUESTIONS = {"persona": (1100, 492, 608, 0), "history": (2025, 1613, 412, 588)}
PAPER_SAMPLES = {"persona": (15088, 7008, 8080, 0), "history": (3545, 2818, 727, 1023)}
PAPER_BART = ("paper: BART-base", ".74", ".86", ".80", ".35", ".57")
# Table 6: persona WH, persona yes/no, history WH, history yes/no.
PAPER_VARIANTS = {
    "standard": (".86", ".80", ".35", ".57"),
    "fact": (".93", ".82", ".90", ".82"),
    "fact-last": (".86", ".80", ".66", ".74"),
    "fact-first": (".81", ".76", ".79", ".80"),
}


def probes_of(path: Path) -> list[Probe]:
    return [e.probe for e in consistest.read(str(path)) if isinstance(e, Example) and e.probe]


def statistics() -> list[str]:
    questions = [
        p for f in ("persona_qas", "history_qas") for p in probes_of(RELEASED / f"{f}.json")
    ]
    samples = probes_of(RELEASED)
    lines = ["## The released questions", ""]
    for title, probes, paper in (
        ("Questions (Table 2)", questions, PAPER_QUESTIONS),
        ("Samples at distances 0 and 2 (Table 3)", samples, PAPER_SAMPLES),
    ):
        lines += [f"### {title}", ""]
        counts = list(count_rows(probes, paper))
        lines.append(table(("source", "total", "WH", "yes/no", "extracted"), counts))
    return [
        *lines,
        "The released files hold other questions than the paper counted, and the same samples but",
        'for two more of WH history. Questions of the same statement in two spellings ("i\'m", '
        '"i am")',
        "count twice in the files.",
        "",
    ]


def count_rows(
    probes: Sequence[Probe], paper: dict[str, tuple[int, int, int, int]]
) -> list[tuple[str, ...]]:
    rows = []
    for source, published in paper.items():
        part = [p for p in probes if p.source.startswith(source)]
        kinds = Counter(p.kind for p in part)
        extracted = sum(p.source == "history_extracted" for p in part)
        ours = (len(part), kinds["wh"], kinds["yn"], extracted)
        rows.append((f"{source}, released files", *(f"{n:,}" for n in ours)))
        rows.append((f"{source}, paper", *(f"{n:,}" for n in published)))
    return rows


def earlier_answers() -> list[JudgedAnswer]:
    """The answers that we wrote and judged ourselves, in three parts."""
    return [answer for name in JUDGED for answer in read_answers(GOLDEN / name)]


def rules() -> list[str]:
    """The section on single rules, with every answer that was judged by hand."""
    return single_rules(all_answers(NEW, earlier_answers(), HARD))


def judged_set() -> list[str]:
    answers = earlier_answers()
    halves = {
        half: [answer.example for answer in answers if answer.part == half]
        for half in ("test", "dev", "more")
    }
    columns = ("judge", *(f"{h}: {c}" for h in halves for c in ("mean", "WH", "yes/no", "MSE")))
    body = [
        (name, *(cell for examples in halves.values() for cell in judge_row(spec, examples)))
        for name, spec in METRICS.items()
    ]
    people = [cell for examples in halves.values() for cell in means(ratings(examples), examples)]
    cells = [cell for at in range(0, len(people), 3) for cell in (*people[at : at + 3], "–")]
    body.append(("by hand", *cells))
    sizes = ", ".join(f"{len(examples)} in {half}" for half, examples in halves.items())
    paper = [(name, *(f"{v:.3f}" for v in values)) for name, values in PAPER_JUDGED.items()]
    return [
        "## Against answers judged by hand", "",
        f"`tests/golden/consistest_judged*.jsonl` have {len(answers)} answers ({sizes}; the parts",
        "share no probe), written and scored by hand following the guideline in the paper's",
        "Appendix C: 0 or 1 for yes/no, and 0, 0.5 or 1 for WH. The rules were tuned on `dev`",
        "and `more` only; `test` was never read for that, but chose which rules were deleted.",
        "Appendix B to the letter is `compat=paper`.", "",
        table(columns, body),
        "“NLI alone” is whether the fact entails the response by the likeliest label; our model",
        "saw Dialogue NLI, as the paper's RoBERTa-DNLI did.", "",
        "The paper's figures are on its own 1,000 answers, which were not released; ours were",
        "written by us, so that no error here compares with one there:", "",
        table(("judge", "mean", "WH", "yes/no", "MSE"), paper),
    ]  # fmt: skip


def ratings(examples: Sequence[Example]) -> list[float]:
    return [example.rating or 0.0 for example in examples]


def means(scores: Sequence[float], examples: Sequence[Example]) -> list[str]:
    kinds = [example.probe.kind if example.probe else "" for example in examples]
    parts = [
        [s for s, kind in zip(scores, kinds, strict=True) if wanted in (kind, "")]
        for wanted in ("", "wh", "yn")
    ]
    return [f"{sum(part) / len(part):.3f}" for part in parts]


def judge_row(spec: str, examples: Sequence[Example]) -> list[str]:
    verdicts = registry.load_metric(spec).judge(examples)
    scores = [verdict.score or 0.0 for verdict in verdicts]
    errors = [(s - r) ** 2 for s, r in zip(scores, ratings(examples), strict=True)]
    return [*means(scores, examples), f"{sum(errors) / len(errors):.3f}"]


def revision() -> str:
    """The entailment model's revision: runs of other weights stay apart."""
    return registry.load_backend("embedded").models()["infer"].rpartition("@")[2]


def ask(bot: str, name: str, limit: int | None, variant: str = "standard") -> Path:
    """Run `staytrue probe`, or resume it."""
    folder = RUNS / revision() / "-".join(filter(None, (name, variant, str(limit or ""))))
    arguments = ["probe", "--bot", bot, "--probes", f"consistest:{RELEASED}", "--out", str(folder)]
    arguments += ["--variant", variant, "--concurrency", "2", "--quiet"]
    arguments += ["--limit", str(limit)] if limit else []
    print(f"{name}, {variant} …", file=sys.stderr, flush=True)
    cli.app.main(arguments, standalone_mode=False)
    return folder


def side_by_side(runs: dict[str, Path], page: Path) -> list[str]:
    named = {name: read_judged(run, "hybrid") for name, run in runs.items()}
    cells = analysis.side_by_side(named)
    drawn = plot.dots("ConsisTest: bots side by side", analysis.SIDE_BY_SIDE_COLUMNS, cells)
    write_picture(page, "consistest-bots.svg", drawn)
    lines = [
        "## Bots side by side", "",
        "Mean score with a 95 % interval, on samples drawn at random where they are not all",
        "18,635. *Extractive* reads its answer from persona and history with the embedded models,",
        "*agreeable* says yes to everything, *forgetful* is the extractive bot that sees the last",
        "turn only. BART-base is the paper's, tuned on PersonaChat and judged with the paper's",
        "models.", "",
        _bots(named, cells),
        "![Bots side by side](pictures/consistest-bots.svg)", "",
    ]  # fmt: skip
    for name, judged in named.items():
        lines += [f"### {name}: source, kind and distance", ""]
        scores = analysis.by_source_kind_distance(judged)
        lines.append(table(("source", "distance", "WH", "yes/no", "both"), scores))
        lines += ["Yes/no questions about the persona (Table 7):", ""]
        errors = [row.cells() for row in analysis.short_answer_errors(judged)]
        header = ("truth", "asked", "wrong answers", "of them wrong short answers")
        lines.append(table(header, errors))
    return [
        *lines,
        "The paper's BART: truth yes 12 % wrong, of them 76 % in the short answer; truth no 35 %,",
        "93 %; all 20 %, 87 %.",
        "",
    ]


def _bots(
    named: Mapping[str, Sequence[analysis.JudgedProbe]],
    cells: Sequence[tuple[str, Sequence[analysis.Cell]]],
) -> str:
    """A row per bot, and the paper's below them."""
    rows = [(n, f"{len(named[n]):,}", *(str(c.mean) for c in means)) for n, means in cells]
    return table(
        ("bot", "samples", *analysis.SIDE_BY_SIDE_COLUMNS),
        [*rows, (PAPER_BART[0], "18,633", *PAPER_BART[1:])],
    )


OTHER_BOTS = "Other bots"
EARLIER_RULES = "Judged by an earlier revision of `hybrid`"


def other_bots(runs: dict[str, Path]) -> list[str]:
    """The section on runs that not everybody can make: scores by source and kind of question."""
    named = {name: read_judged(run, "hybrid") for name, run in runs.items()}
    lines = [
        f"## {OTHER_BOTS}", "",
        "Bots that need other weights than ours (`--also NAME=RUN`), each on samples drawn at",
        "random; without those runs this section stays as it is. The paper's bot is its BART-base,",
        "judged with the paper's models.", "",
        _bots(named, analysis.side_by_side(named)),
    ]  # fmt: skip
    for name, run in runs.items():
        signature = Run(run).signatures["hybrid"]
        lines += [f"{name}: `{signature}`", ""]
    return lines


def kept_bots(page: Path) -> list[str]:
    """The section on other bots as the page has it, which says when its rules are not today's."""
    lines = section_of(page, OTHER_BOTS)
    signed = [re.findall(r"`(hybrid\|[^`]+)`", line) for line in lines]
    old = any(
        read_signature(one).get("revision") != str(Hybrid.revision)
        for some in signed
        for one in some
    )
    if not old or any(line.startswith(EARLIER_RULES) for line in lines):
        return lines
    note = [
        f"{EARLIER_RULES}, which has fewer rules now (CHANGELOG.md); the answers of these runs are",
        "not at hand to be judged again.", "",
    ]  # fmt: skip
    first = next(n for n, some in enumerate(signed) if some)
    return [*lines[:first], *note, *lines[first:]]


def variants(limit: int, page: Path) -> list[str]:
    runs = {v: ask(BOTS["extractive"], "extractive", limit, v) for v in VARIANTS}
    named = {variant: read_judged(run, "hybrid") for variant, run in runs.items()}
    table_rows = analysis.side_by_side(named)
    drawn = plot.dots("Input variants, extractive bot", analysis.SIDE_BY_SIDE_COLUMNS, table_rows)
    write_picture(page, "consistest-variants.svg", drawn)
    rows = [
        (name, *(str(c.mean) for c in cells), " ".join(PAPER_VARIANTS.get(name, ("–",))))
        for name, cells in table_rows
    ]
    return [
        "## Input variants", "",
        f"The extractive bot on {limit:,} samples drawn at random, with what it sees besides",
        "the question changed: `fact` (difficulty alone), `fact-last` (a history fact at the end",
        "of the persona, its turn masked: structure), `fact-first` (position), `permuted`",
        "(persona order).", "",
        table(("input", *analysis.SIDE_BY_SIDE_COLUMNS, "paper's BART"), rows),
        "![Input variants](pictures/consistest-variants.svg)", "",
    ]  # fmt: skip


def speed(run: Path) -> list[str]:
    """How long judging took, from the run's own record."""
    manifest = Run(run).manifest
    seconds = manifest["timings"]["metrics"]["hybrid"]
    judged = manifest["counts"]["metrics"]["hybrid"]["scored"]
    return [
        "## Time", "",
        f"{judged:,} answers of the extractive bot were judged in {seconds:,.0f} seconds, the",
        f"bot's own time not counted; at that rate 18,000 take {seconds / judged * 18_000:,.0f}",
        "seconds. The bot was asked at the same time on the same two cores.", "",
    ]  # fmt: skip


def _named(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=4000, help="samples for each bot; 0: all")
    parser.add_argument("--variant-limit", type=int, default=600)
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=RUN")
    parser.add_argument(
        "--nli", action="append", default=[], metavar="NAME=BACKEND",
        help="another entailment model in the hybrid evaluator, such as a Hugging Face one",
    )  # fmt: skip
    parser.add_argument(
        "--sections", action="store_true", help="write only the sections of --nli and --also"
    )
    parser.add_argument("--rules", action="store_true", help="write only the section on rules")
    options = parser.parse_args()
    if options.rules:
        put_section(options.page, rules(), before=TWO_MODELS)
        return
    models = dict(_named(pair) for pair in options.nli)
    others = {name: Path(run) for name, run in map(_named, options.also)}
    if options.sections:
        if models:
            put_section(options.page, two_models(NEW, models), before="Bots side by side")
        if others:
            put_section(options.page, other_bots(others), before="Input variants")
        return
    runs = {name: ask(bot, name, options.limit) for name, bot in BOTS.items()}
    lines = [
        "# ConsisTest: results", "",
        "Written by `python -m reproduce.consistest`; do not edit. All figures are computed",
        "except the paper's. The yes/no questions that the rules make were read by hand:",
        "[two hundred of them](yes-no-questions-read.md).", "",
        weights(),
        *statistics(), *judged_set(), *new_answers(NEW, METRICS, entailment_models()),
        *rules(),
        *(two_models(NEW, models) if models else section_of(options.page, TWO_MODELS)),
        *side_by_side(runs, options.page),
        *(other_bots(others) if others else kept_bots(options.page)),
        *variants(options.variant_limit, options.page),
        *speed(runs["extractive"]),
        signatures(registry.load_metric(spec).signature for spec in METRICS.values()),
    ]  # fmt: skip
    options.page.write_text("\n".join(lines), "utf-8")
    print(f"{options.page} is written.", file=sys.stderr)


if __name__ == "__main__":
    main()
