"""Write docs/results-aih.md: `python -m reproduce.aih` (about 16 minutes of CPU).

Holds talks between calibrated bots, whose true contradiction rate is known, and measures what the
framework finds. Needs the data folder (STAYTRUE_DATA, or ../shared/data) for the second half.
Dialogues are kept in the work folder (--work): with other models only the judging is done again.
`--local SPEC` adds a local model to the bots, at `--local-dialogues` a pair.
"""

from __future__ import annotations

import argparse
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduce import aih_sets, aih_talk, flags_read, inquiries_read
from reproduce.pages import DATA, REPOSITORY, signatures, table, weights, write_picture
from reproduce.readings import read
from staytrue.backends.cache import CachedBackend
from staytrue.chatbots.persona import PersonaChatbot
from staytrue.core.seeds import derived_seed
from staytrue.elicit.aih.dialogues import DIALOGUES, examples_of, read_dialogues
from staytrue.elicit.aih.interrogation import Interrogation, load_bots
from staytrue.elicit.aih.talks import Plan
from staytrue.plugins.registry import load_backend, load_metric
from staytrue.report.lines import ChartLine, line_chart
from staytrue.runs.folder import MANIFEST, Run
from staytrue.runs.writer import RunWriter
from staytrue.stats.classification import roc_auc
from staytrue.studies.aih import ranking, threshold
from staytrue.studies.aih.interrogate import counts, interrogate
from staytrue.studies.aih.records import Ranking, Stability

PAGE = REPOSITORY / "docs" / "results-aih.md"
SLIPS = (0, 0.1, 0.2, 0.3, 0.4)
SPECS = tuple(f"persona:seed={201 + n},slip={slip}" for n, slip in enumerate(SLIPS))
BACKEND = "embedded,size=small"
PUBLISHED = "contradiction,compat=paper"
# AIH, table 7: τ → contradiction rate, F1, r with people.
PAPER_TAU = {
    0.1: (0.401, 0.650, 0.430), 0.15: (0.364, 0.655, 0.436),
    0.3: (0.287, 0.606, 0.423), 0.5: (0.235, 0.572, 0.421),
}  # fmt: skip


@dataclass(frozen=True)
class JudgedInterrogation:
    """A run of interrogations, judged."""

    folder: Path
    ranking: Ranking
    seconds: float
    signature: str


def interrogated(
    name: str, specs: tuple[str, ...], dialogues: int, plan: Plan, work: Path,
    strategy: str = "entity", judge: str = "contradiction",
) -> JudgedInterrogation:  # fmt: skip
    """Hold what is missing, judge everything with the models of today, rank."""
    backend = load_backend(BACKEND)
    metric = load_metric(judge, backend=backend, seed=plan.seed)
    signature = Interrogation(
        load_bots(specs), dialogues, plan, metric, backend, (strategy,)
    ).signature
    kept, folder = work / name, work / f"{name}-judged"
    if not _is_of(folder, signature):
        shutil.rmtree(folder, ignore_errors=True)
        # A folder of dialogues alone is not taken for a run: it begins as an empty one.
        with RunWriter(folder, {metric.name: signature}, seed=plan.seed):
            pass
    if (kept / DIALOGUES).exists():
        shutil.copy(kept / DIALOGUES, folder / DIALOGUES)
    start = time.monotonic()
    result = interrogate(
        specs, dialogues=dialogues, turns=plan.turns, delay=plan.delay, seed=plan.seed,
        expert=specs, out=folder, strategies=(strategy,), metric=judge, backend=backend,
    )  # fmt: skip
    seconds = time.monotonic() - start
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / DIALOGUES, kept / DIALOGUES)
    return JudgedInterrogation(folder, result.ranking, seconds, signature)


def _is_of(folder: Path, signature: str) -> bool:
    """Whether a run is there that these models have judged, perhaps in part."""
    return (folder / MANIFEST).is_file() and signature in Run(folder).signatures.values()


@dataclass(frozen=True)
class KnownInquiry:
    """An inquiry to a calibrated bot: what the metric says, and whether the bot slipped."""

    bot: str
    probability: float
    slipped: bool
    understood: bool


def with_truth(judged: JudgedInterrogation, seed: int) -> list[KnownInquiry]:
    """Ask each calibrated bot again what it did; it repeats itself exactly."""
    verdicts = {v.example_id: v for v in Run(judged.folder).verdicts()}
    bots = load_bots(SPECS)
    inquiries = []
    for dialogue in read_dialogues(judged.folder):
        for inquiry, example in zip(dialogue.inquiries, examples_of(dialogue), strict=True):
            bot = bots[dialogue.second]
            assert isinstance(bot, PersonaChatbot)
            key = (seed, dialogue.first, dialogue.second, dialogue.number, "inquiry", inquiry.turn)
            reply = bot.say(example.history, seed=derived_seed(*key))
            score = verdicts[example.id].score
            if score is not None:
                inquiries.append(
                    KnownInquiry(dialogue.second, 1 - score, reply.slipped, reply.kind is not None)
                )
    return inquiries


def tallied(judged: JudgedInterrogation, metric: str = "contradiction") -> ranking.DialogueCounts:
    """Inquiries and contradictions of each pair and dialogue."""
    dialogues = counts(read_dialogues(judged.folder), Run(judged.folder).verdicts(), metric)
    return ranking.tally(dialogues, list(SPECS))


def rate_table(judged: JudgedInterrogation, known: list[KnownInquiry]) -> str:
    """True and measured rates of the calibrated bots, and how much is asked in a dialogue."""
    bots = {bot.bot: bot for bot in judged.ranking.bots}
    true = true_rates(known)
    asked = np.mean([bots[spec].inquiries_per_dialogue or 0.0 for spec in SPECS])
    contradicted = np.mean([bots[spec].contradictions_per_dialogue or 0.0 for spec in SPECS])
    header = ("bot", "true rate", "measured rate", "95 % interval", "inquiries per dialogue",
              "contradictions per dialogue")  # fmt: skip
    rows = [
        (f"`{spec}`", true[spec], _or_dash(bot.contradiction_rate),
         f"{_or_dash(bot.low)}–{_or_dash(bot.high)}", f"{bot.inquiries_per_dialogue:.2f}",
         f"{bot.contradictions_per_dialogue:.2f}")
        for spec, bot in ((spec, bots[spec]) for spec in SPECS)
    ]  # fmt: skip
    slipped = float(np.mean([k.slipped for k in known]))
    total = ("all", slipped, None, None, f"{asked:.2f}", f"{contradicted:.2f}")
    return table(header, [*rows, total])


def true_rates(known: list[KnownInquiry]) -> dict[str, float]:
    """How often each bot slipped."""
    by_bot = {spec: [k.slipped for k in known if k.bot == spec] for spec in SPECS}
    return {spec: float(np.mean(slips)) if slips else 0.0 for spec, slips in by_bot.items()}


def as_published(judged: JudgedInterrogation, known: list[KnownInquiry]) -> list[str]:
    """The framework as published, on the same bots: its own inquiries, its own judge."""
    misunderstood = sum(not k.understood for k in known) / max(1, len(known))
    return [
        "### AIH as published",
        "",
        "The same bots and as many dialogues, with the paper's inquiries (`--strategy paper`: one "
        "question about an entity, unfiltered) and its judge (`contradiction,compat=paper`: "
        f"utterance and answer alone, τ = 0.15). {len(known):,} inquiries, of which "
        f"{misunderstood:.1%} were not understood by the bot; the paper counts 4.57 inquiries and "
        "1.56 contradictions per dialogue for its bots.",
        "",
        rate_table(judged, known),
    ]


def calibrated(work: Path, dialogues: int, page: Path) -> list[str]:
    judged = interrogated("calibrated", SPECS, dialogues, Plan(seed=1), work)
    published = interrogated(
        "calibrated-paper", SPECS, dialogues, Plan(seed=1), work, "paper", PUBLISHED
    )
    known, known_published = with_truth(judged, 1), with_truth(published, 1)
    bots = {bot.bot: bot for bot in judged.ranking.bots}
    true = true_rates(known)
    measured = [bots[spec].contradiction_rate or 0.0 for spec in SPECS]
    monotone = measured == sorted(set(measured))
    tally = tallied(judged)
    sizes = [1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40, 50, 60, 75]
    curves = ranking.stability(tally, reference=SPECS, sizes=sizes)
    theirs = ranking.stability(tallied(published, PUBLISHED), reference=SPECS, sizes=sizes)[0]
    draw_rates(page, [(true[s], m) for s, m in zip(SPECS, measured, strict=True)])
    draw_stability(page, curves)
    stabilities = [
        *(("all five" if c.left_out is None else f"without `{c.left_out}`", c) for c in curves),
        ("all five, as published", theirs),
    ]
    inquiries = sum(bot.inquiries for bot in bots.values())
    each = int(tally.dialogues.min())
    lines = [
        "## Calibrated bots",
        "",
        f"Five bots that contradict themselves at a known rate, {each} dialogues of 15 turns "
        f"for each of the 25 ordered pairs, {inquiries:,} inquiries. The true rate is counted "
        "from the bots themselves, inquiries that a bot did not understand included.",
        "",
        rate_table(judged, known),
        f"The measured rates are {'' if monotone else '**not** '}monotone. "
        f"{sum(not k.understood for k in known) / len(known):.1%} of the inquiries were not "
        "understood by the bot.",
        "",
        "![measured against true rate](pictures/aih-rates.svg)",
        "",
        *as_published(published, known_published),
        "### How many dialogues the ranking needs",
        "",
        "S dialogues per pair are drawn with replacement, 1,000 times; the share of draws whose "
        "ranking is the true one:",
        "",
        table(
            ("bots", *(f"S = {s}" for s in curves[0].sizes), "S for 95 %"),
            [
                (name, *(f"{share:.2f}" for share in c.shares), c.needed or "more than 75")
                for name, c in stabilities
            ],
        ),
        "The paper needs S > 100 for its four bots, 50 without one of two close ones.",
        "",
        "![ranking stability](pictures/aih-stability.svg)",
        "",
        *_tau_table(known, known_published),
    ]
    signed = " and ".join(f"`{run.signature}`" for run in (judged, published))
    return [*lines, "", f"Signatures: {signed}", ""]


def draw_rates(page: Path, rates: list[tuple[float, float]]) -> None:
    """A dot for each bot's true and measured rate."""
    write_picture(page, "aih-rates.svg", line_chart(
        "Measured against true contradiction rate", "true rate", "measured rate",
        [ChartLine("bots", rates, dots=True),
         ChartLine("equal rates", [(0, 0), (0.5, 0.5)], dashed=True)], high_y=0.5,
    ))  # fmt: skip


def draw_stability(page: Path, curves: Sequence[Stability]) -> None:
    """The share of draws that give the true ranking, by the number of dialogues."""
    write_picture(page, "aih-stability.svg", line_chart(
        "Draws that give the true ranking", "dialogues per pair", "share",
        [*(ChartLine(
            "all five" if c.left_out is None else f"without slip {c.left_out.split('=')[-1]}",
            list(zip(c.sizes, c.shares, strict=True))) for c in curves),
         ChartLine("0.95", [(0, 0.95), (75, 0.95)], dashed=True)],
    ))  # fmt: skip


def _tau_table(known: list[KnownInquiry], published: list[KnownInquiry]) -> list[str]:
    probabilities = [k.probability for k in known]
    truth = [k.slipped for k in known]
    theirs = [k.probability for k in published], [k.slipped for k in published]
    chosen = _default_tau()
    best = threshold.best(probabilities, truth)
    taus = sorted({*PAPER_TAU, chosen})
    header = (
        "τ", *(f"{who}{figure}" for who in ("", "as published: ", "paper: ")
               for figure in ("rate", "F1", "r")),
    )  # fmt: skip
    rows = []
    for row, as_paper in zip(
        threshold.table(probabilities, truth, taus), threshold.table(*theirs, taus), strict=True
    ):
        name = f"{row.tau:g} (default)" if row.tau == chosen else f"{row.tau:g}"
        ours = [v or 0.0 for one in (row, as_paper) for v in (one.rate, one.f1, one.r)]
        rows.append((name, *ours, *PAPER_TAU.get(row.tau, (None, None, None))))
    return [
        "### The threshold",
        "",
        "On all inquiries to calibrated bots, which answer to the point and whose slips are known "
        f"(ROC-AUC of ours {_auc(probabilities, truth):.3f}, as published {_auc(*theirs):.3f}). "
        "The paper's table 7 is against human annotation of other bots, which is harder: no figure "
        "of ours is to be set against it.",
        "",
        table(header, rows),
        f"The best F1 on this set, {best.f1:.3f}, is at τ = {best.tau:g}.",
    ]


def _auc(chance: list[float], truth: list[bool]) -> float:
    """ROC-AUC of the chance of a contradiction."""
    return roc_auc(np.array(chance), np.array(truth)) or 0.0


def _default_tau() -> float:
    from staytrue.metrics.contradiction import DEFAULT_TAU

    return DEFAULT_TAU


def recognition(limit: int | None) -> list[str]:
    backend = CachedBackend(load_backend(BACKEND))
    metric = load_metric("contradiction", backend=backend)
    published = load_metric(PUBLISHED, backend=backend)
    nli = aih_sets.dialogue_nli(DATA)[: limit and 6 * limit]
    scores = {v.example_id: v.score for v in metric.judge(nli)}
    auc = _auc([1 - (scores[e.id] or 0.0) for e in nli], [e.label == "contradiction" for e in nli])
    utterances, answers = aih_sets.balanced_nli(nli), aih_sets.answers(DATA)
    if limit is not None:  # contradictions stand in the second half
        answers = answers[:: max(1, len(answers) // limit)]
    rows = []
    for name, examples in (
        ("utterances (Dialogue NLI dev)", utterances),
        ("answers to questions (ConsisTest)", answers),
        ("both", [*utterances, *answers]),
    ):
        for way, judge in (("ours", metric), ("as published", published)):
            verdicts = judge.judge(examples)
            kept = [(v, e) for v, e in zip(verdicts, examples, strict=True) if v.score is not None]
            chance = [1 - (v.score or 0.0) for v, _ in kept]
            truth = [not e.consistent for _, e in kept]
            at = threshold.table(chance, truth, [0.15, _default_tau()])
            best = threshold.best(chance, truth)
            rows.append(
                (name, way, f"{len(kept):,}", _auc(chance, truth), at[0].f1, at[1].f1,
                 f"{best.f1:.3f} at {best.tau:g}")
            )  # fmt: skip
    header = ("set", "metric", "pairs", "ROC-AUC", "F1 at 0.15",
              f"F1 at {_default_tau():g} (default)", "best F1")  # fmt: skip
    return [
        "## Recognising contradictions between people's sentences",
        "",
        f"Dialogue NLI dev, contradiction against the rest, {len(nli):,} pairs: "
        f"**ROC-AUC {auc:.3f}** (aim 0.93).",
        "",
        "Half of each set below are contradictions, half are not; the aim for F1 is 0.80. AIH's "
        "own figure on its annotated inquiries, of which people call 36.8 % contradictions, is "
        "0.655. The two do not compare: half of our pairs contradict, and our entailment model saw "
        "training pairs of Dialogue NLI, from which "
        f"{len(utterances) / max(1, len(utterances) + len(answers)):.0%} of “both” come. In the "
        "second set two people's answers "
        "to the same question are compared, with the question known to the metric. “As published” "
        "is `contradiction,compat=paper`: utterance and answer alone, in one direction; its τ is "
        "0.15.",
        "",
        table(header, rows),
        signatures([metric.signature, published.signature]).partition("\n\n")[2],
    ]


def natural_talk(dialogues: int, limit: int | None) -> list[str]:
    reader = load_backend(BACKEND)
    metric = load_metric(flags_read.MODEL, backend=reader)
    bots = aih_talk.rows(DATA, metric, reader, dialogues)
    strict = aih_talk.flags(DATA, load_metric(flags_read.STRICT, backend=reader), most=limit)
    searched = aih_talk.with_people(bots, "searched")
    asked = aih_talk.with_people(bots, "asked")
    header = ("bot", "dialogues called inconsistent by people", "search: rate", "pairs",
              "natural inquiries: rate", "questions")  # fmt: skip
    rows = [
        (bot.bot, bot.people, _or_dash(bot.searched), bot.pairs, _or_dash(bot.asked), bot.questions)
        for bot in sorted(bots, key=lambda bot: bot.people)
    ]
    return [
        "## People talking with bots (DSTC9)",
        "",
        f"Six bots, {dialogues} dialogues each with 5 to 25 bot turns, drawn by a seed. *Search* "
        "compares turns of the bot that share a word; *natural inquiries* are people's own "
        "questions whose answer the reading model finds in an earlier turn of the bot.",
        "",
        table(header, rows),
        f"Spearman with the people's order and its 95 % interval: search {searched}, natural "
        f"inquiries {asked}. Six bots that people judge within ten points of each other say "
        "next to nothing about the order of bots, so **no agreement with people is claimed from "
        "this table**, in either direction. These bots are no longer available, so AIH's "
        "own inquiries cannot be put to them. The rates are of all that the model alone calls a "
        "contradiction (`flags=model`). `strict` compares only clauses that speak of the "
        f"same thing: of any two turns in {strict.dialogues:,} different dialogues it flags "
        f"{len(strict.flagged):,}, {len(strict.flagged) / max(1, strict.dialogues):.3f} per "
        "dialogue. The flags were checked by hand:",
        "",
        *flags_read.report(read(flags_read.READ)).splitlines(),
        "",
    ]


def local_model(spec: str, dialogues: int, turns: int, work: Path) -> list[str]:
    specs = (spec, SPECS[0], SPECS[4])
    judged = interrogated("local", specs, dialogues, Plan(turns=turns, seed=1), work)
    name = spec.split(",")[0].split("/")[-1].removeprefix("gguf:")
    shown = {spec: f"`{name}` (SmolLM2-135M-Instruct)"}
    rows = [
        (shown.get(bot.bot, f"`{bot.bot}`"), _or_dash(bot.contradiction_rate), bot.inquiries,
         bot.contradictions, _or_dash(bot.induces))
        for bot in judged.ranking.bots
    ]  # fmt: skip
    return [
        "## A local model beside calibrated bots",
        "",
        f"SmolLM2-135M-Instruct through llama.cpp, {dialogues} dialogue(s) of {turns} turns "
        "per pair: too few for a ranking, enough to show a real model beside the calibrated ones.",
        "",
        table(("bot", "rate", "inquiries", "contradictions", "induces"), rows),
        *_some_inquiries(judged, spec),
    ]


def _some_inquiries(judged: JudgedInterrogation, spec: str) -> list[str]:
    verdicts = {v.example_id: v for v in Run(judged.folder).verdicts()}
    examples = [e for e in Run(judged.folder).examples() if e.tags["second"] == spec]
    wrong = [e for e in examples if verdicts[e.id].label == "contradiction"]
    chosen = sorted(wrong, key=lambda e: verdicts[e.id].score or 0.0)[:3]
    if not chosen:
        return []
    return [
        "Its surest contradictions:",
        "",
        *(
            f"- said “{_plain(e.probe.fact if e.probe else '')}”, asked “{_plain(e.message)}”, "
            f"answered “{_plain(e.response)}”"
            for e in chosen
        ),
        "",
    ]


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "aih")
    parser.add_argument("--dialogues", type=int, default=20)
    parser.add_argument("--talks", type=int, default=40, help="DSTC9 dialogues of each bot")
    parser.add_argument("--local", default="", metavar="SPEC")
    parser.add_argument("--local-dialogues", type=int, default=6)
    parser.add_argument("--local-turns", type=int, default=8)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="PART",
        help="make these parts anew, take the others from the work folder",
    )  # fmt: skip
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page")
    parser.add_argument("--limit", type=int, help="N dialogues and about N pairs of each set")
    chosen = parser.parse_args()
    if chosen.limit is not None:
        chosen.dialogues = chosen.talks = chosen.limit
    start = time.monotonic()
    parts: dict[str, Callable[[], list[str]]] = {
        "calibrated": lambda: calibrated(chosen.work, chosen.dialogues, chosen.page),
        "recognition": lambda: recognition(chosen.limit) if DATA.is_dir() else [],
        "talk": lambda: natural_talk(chosen.talks, chosen.limit) if DATA.is_dir() else [],
        "local": lambda: (
            local_model(chosen.local, chosen.local_dialogues, chosen.local_turns, chosen.work)
            if chosen.local
            else []
        ),
        "flags": lambda: flags_read.drawn_section(read(flags_read.DRAWN), read(flags_read.READ)),
        "read": lambda: inquiries_read.section(read(inquiries_read.READ)),
    }
    lines = [
        "# AIH: measured",
        "",
        "Made by `python -m reproduce.aih`; see there for what each part needs.",
        "",
        weights("small"),
    ]
    chosen.work.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        kept = chosen.work / f"part-{name}.md"
        if not chosen.only or name in chosen.only or not kept.exists():
            kept.write_text("\n".join(part()), encoding="utf-8")
        lines += [kept.read_text("utf-8"), ""]
    page = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    chosen.page.write_text(page.rstrip() + "\n", encoding="utf-8")
    print(f"{chosen.page} written in {time.monotonic() - start:.0f} seconds")


if __name__ == "__main__":
    main()
