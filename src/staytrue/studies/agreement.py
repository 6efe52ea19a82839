"""A run's verdicts against the human judgements in it, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, JsonDict
from staytrue.runs.folder import Run
from staytrue.stats import classification, correlation, intervals, thresholds
from staytrue.stats.bootstrap import DRAWS, PairedTest, interval, paired
from staytrue.stats.clusters import cluster_of
from staytrue.stats.intervals import Interval
from staytrue.stats.multiple import holm
from staytrue.stats.ranks import ranks

# BEGIN's three kinds of "neutral", which its 3-way task merges.
MERGED = {"hallucination": "neutral", "off-topic": "neutral", "generic": "neutral"}
_FEWEST_LABELS = 10  # to choose a limit from
THREE_WAY = frozenset({"entailment", "neutral", "contradiction"})


@dataclass(frozen=True)
class MetricAndPeople:
    """One metric's scores and labels beside people's, as arrays over the same examples."""

    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    consistent: list[bool | None] = field(default_factory=list)
    human_labels: list[str | None] = field(default_factory=list)
    ratings: list[float | None] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    """The dialogue or document of each example; examples that share one are not independent."""
    abstained: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SideFigures:
    """Of the consistent or of the inconsistent responses, at threshold 0.5."""

    precision: Interval
    recall: Interval
    f1: Interval


@dataclass(frozen=True)
class YesNoFigures:
    """Agreement with people's yes or no."""

    n: int
    documents: int
    """Dialogues or documents that these rows come from."""
    n_consistent: int
    roc_auc: Interval
    average_precision: Interval
    average_precision_inconsistent: Interval
    accuracy_at_half: Interval
    """At threshold 0.5."""
    best_threshold: float
    """Chosen on all rows."""
    accuracy_at_best: Interval
    """Cross-validated: each row is judged by a threshold that the others chose."""
    accuracy_at_best_fitted: float | None
    """At `best_threshold`, on the rows that chose it."""
    consistent: SideFigures
    inconsistent: SideFigures


@dataclass(frozen=True)
class LabelFigures:
    """Agreement with people's classes."""

    n: int
    documents: int
    accuracy: Interval
    macro_f1: Interval
    confusion: Mapping[str, Mapping[str, int]]
    """Counts by people's class, then by the metric's."""


@dataclass(frozen=True)
class RatingFigures:
    """Agreement with people's ratings."""

    n: int
    documents: int
    spearman: Interval
    pearson: Interval
    mse: Interval | None
    """None: the ratings are not on the scores' scale."""


@dataclass(frozen=True)
class Agreement:
    """Figures of one metric; a group is None when the run has no such human judgement."""

    signature: str
    n: int
    abstained: int
    """Of the examples that people judged."""
    yes_no: YesNoFigures | None = None
    classes: LabelFigures | None = None
    graded: RatingFigures | None = None

    def to_json(self) -> JsonDict:
        """All figures, as `staytrue agree --json` prints them."""
        body = asdict(self)
        if self.yes_no is not None:
            names = {"accuracy_at_half": "accuracy_at_0.5"}
            body["yes_no"] = {names.get(key, key): one for key, one in body["yes_no"].items()}
        if self.graded is not None and self.graded.mse is None:
            del body["graded"]["mse"]
        return body


def judged(
    run: Run, *, positive: Collection[str] = (), abstained_as: float | None = None
) -> dict[str, MetricAndPeople]:
    """Read a run into arrays; `positive` says which human classes count as consistent."""
    people: dict[str, tuple[bool | None, str | None, float | None, str]] = {}
    releases: set[str] = set()
    for example in run.examples():
        if "release" in example.tags:
            releases.add(example.tags["release"])
        human = is_consistent(example, positive), example.label, example.rating
        people[example.id] = (*human, cluster_of(example))
    if len(releases) > 1:
        raise UsageError(
            "The run mixes releases of a data set whose labels mean different things: "
            "score each release into a separate run."
        )
    labels = {label for _, label, _, _ in people.values() if label is not None}
    if missing := sorted(set(positive) - labels):
        raise UsageError(
            f"No example has the label '{missing[0]}' that --positive names; "
            f"labels are {', '.join(sorted(labels)[:10]) or 'not given'}."
        )
    by_metric = {name: MetricAndPeople() for name in run.signatures}
    for verdict in run.verdicts():
        if verdict.example_id not in people or verdict.metric not in by_metric:
            continue
        one = by_metric[verdict.metric]
        score = verdict.score
        consistent, label, rating, group = people[verdict.example_id]
        if score is None:
            if (consistent, label, rating) != (None, None, None):
                one.abstained.append(verdict.example_id)
            if abstained_as is None:
                continue
            score = abstained_as
        one.ids.append(verdict.example_id)
        one.scores.append(score)
        one.labels.append(verdict.label)
        one.consistent.append(consistent)
        one.human_labels.append(label)
        one.ratings.append(rating)
        one.groups.append(group)
    return by_metric


def is_consistent(example: Example, positive: Collection[str]) -> bool | None:
    """What people say of it; with `positive`, by their class."""
    if positive and example.label is not None:
        return example.label in positive
    return example.consistent


def agreement(
    run: Run,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> dict[str, Agreement]:
    """Every figure of every metric, each with its 95 % interval."""
    result = {}
    everything = judged(run, positive=positive, abstained_as=abstained_as)
    for name, one in everything.items():
        scores = np.array(one.scores)
        result[name] = Agreement(
            run.signatures[name],
            len(one.ids),
            len(one.abstained),
            _yes_no(scores, one, seed, draws),
            _classes(one, seed, draws),
            _graded(scores, one, seed, draws),
        )
    if not any(a.yes_no or a.classes or a.graded for a in result.values()):
        raise UsageError(_why_nothing(everything))
    return result


def _why_nothing(by_metric: Mapping[str, MetricAndPeople]) -> str:
    """Why no figure could be computed."""
    if not any(one.ids for one in by_metric.values()):
        return "No metric has a score in this run: the reasons are in its verdicts and its report."
    if any(label for one in by_metric.values() for label in one.human_labels):
        return (
            "The human labels are classes that the metrics do not have: say which of them count "
            "as consistent with --positive LABEL."
        )
    return "The run has no human judgements: give rows a field consistent, label or rating."


def _yes_no(scores: np.ndarray, one: MetricAndPeople, seed: int, draws: int) -> YesNoFigures | None:
    judged_rows = [n for n, human in enumerate(one.consistent) if human is not None]
    if not judged_rows:
        return None
    values, truth = scores[judged_rows], np.array([bool(one.consistent[n]) for n in judged_rows])
    groups = [one.groups[n] for n in judged_rows]
    threshold = classification.best_threshold(values, truth)
    return YesNoFigures(
        n=len(values),
        documents=len(set(groups)),
        n_consistent=int(truth.sum()),
        roc_auc=intervals.roc_auc(values, truth, groups),
        average_precision=interval(
            _on(classification.average_precision, values, truth), len(values),
            groups=groups, seed=seed, draws=draws,
        ),
        average_precision_inconsistent=interval(
            _on(classification.average_precision, -values, ~truth), len(values),
            groups=groups, seed=seed, draws=draws,
        ),
        accuracy_at_half=intervals.share((values > 0.5) == truth, groups),
        best_threshold=threshold,
        accuracy_at_best=thresholds.cross_validated_accuracy(
            values, truth, groups=groups, seed=seed
        ),
        accuracy_at_best_fitted=classification.accuracy(values, truth, threshold),
        consistent=_side(values > 0.5, truth, groups),
        inconsistent=_side(values <= 0.5, ~truth, groups),
    )  # fmt: skip


def _side(predicted: np.ndarray, actual: np.ndarray, groups: list[str]) -> SideFigures:
    """Precision, recall and F1 of one class: shares of what was predicted and of what there is."""

    def share(flags: np.ndarray, among: np.ndarray) -> Interval:
        return intervals.share(
            flags[among], [g for g, here in zip(groups, among, strict=True) if here]
        )

    both, n_predicted, n_actual = (int(x.sum()) for x in (predicted & actual, predicted, actual))
    return SideFigures(
        precision=share(actual, predicted),
        recall=share(predicted, actual),
        f1=intervals.f1(both, n_predicted, n_actual),
    )


def _classes(one: MetricAndPeople, seed: int, draws: int) -> LabelFigures | None:
    rows = list(zip(one.labels, one.human_labels, one.groups, strict=True))
    pairs = [(guess, human, group) for guess, human, group in rows if guess and human]
    if not pairs:
        return None
    guessed = [guess for guess, _, _ in pairs]
    human_labels = [human for _, human, _ in pairs]
    groups = [group for _, _, group in pairs]
    if set(guessed) <= THREE_WAY and set(human_labels) & set(MERGED):
        human_labels = [MERGED.get(label, label) for label in human_labels]
    if not set(guessed) & set(human_labels):
        return None  # classes of different tasks
    a, b = np.array(guessed), np.array(human_labels)
    return LabelFigures(
        n=len(pairs),
        documents=len(set(groups)),
        accuracy=intervals.share(a == b, groups),
        macro_f1=interval(
            lambda i: classification.macro_f1(list(a[i]), list(b[i])), len(a), groups=groups,
            seed=seed, draws=draws,
        ),
        confusion=classification.confusion(guessed, human_labels),
    )  # fmt: skip


def _graded(
    scores: np.ndarray, one: MetricAndPeople, seed: int, draws: int
) -> RatingFigures | None:
    rated = [n for n, rating in enumerate(one.ratings) if rating is not None]
    if not rated:
        return None
    values, people = scores[rated], np.array([one.ratings[n] for n in rated], dtype=float)
    groups = [one.groups[n] for n in rated]

    def figure(function: Callable[[np.ndarray, np.ndarray], float | None]) -> Interval:
        return interval(
            _on(function, values, people), len(values), groups=groups, seed=seed, draws=draws
        )

    comparable = people.min() >= 0 and people.max() <= 1
    return RatingFigures(
        n=len(values),
        documents=len(set(groups)),
        spearman=figure(correlation.spearman),
        pearson=figure(correlation.pearson),
        mse=figure(correlation.mean_squared_error) if comparable else None,
    )


def _on(
    function: Callable[[np.ndarray, np.ndarray], float | None],
    left: np.ndarray,
    right: np.ndarray,
) -> Callable[[np.ndarray], float | None]:
    return lambda indexes: function(left[indexes], right[indexes])


@dataclass(frozen=True)
class MetricsTest:
    """Whether metric A agrees with people better than B, on the examples that both scored."""

    a: str
    b: str
    figure: str
    """"roc_auc" for yes/no labels, else "spearman"."""
    n: int
    test: PairedTest | None
    """None: the figure cannot be computed."""
    williams: correlation.WilliamsTest | None = None
    """Of the linear correlations with ratings."""
    p: float | None = None
    """Of the randomisation test, by Holm's correction for all tests that were asked for."""


def paired_tests(
    run: Run,
    pairs: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> list[MetricsTest]:
    """Does metric A beat metric B? By ROC-AUC for yes/no labels, else by Spearman."""
    by_metric = judged(run, positive=positive, abstained_as=abstained_as)
    tests = [_paired_test(by_metric, a, b, seed, draws) for a, b in pairs]
    known = [n for n, one in enumerate(tests) if one.test is not None]
    corrected = holm([test.p_randomisation for one in tests if (test := one.test) is not None])
    for n, p in zip(known, corrected, strict=True):
        tests[n] = replace(tests[n], p=p)
    return tests


def _paired_test(
    by_metric: Mapping[str, MetricAndPeople], a: str, b: str, seed: int, draws: int
) -> MetricsTest:
    for name in (a, b):
        if name not in by_metric:
            raise UsageError(f"The run has no metric '{name}'; it has {', '.join(by_metric)}.")
    one, other = by_metric[a], by_metric[b]
    position = {example_id: index for index, example_id in enumerate(other.ids)}
    both = [(i, position[x]) for i, x in enumerate(one.ids) if x in position]
    binary = [(i, j) for i, j in both if one.consistent[i] is not None]
    rows = binary or [(i, j) for i, j in both if one.ratings[i] is not None]
    if not rows:
        raise UsageError("No example with a human judgement was scored by both metrics.")
    left = np.array([one.scores[i] for i, _ in rows])
    right = np.array([other.scores[j] for _, j in rows])
    people = np.array([one.consistent[i] if binary else one.ratings[i] for i, _ in rows])
    people = people.astype(bool if binary else float)
    agree = classification.roc_auc if binary else correlation.spearman
    test = paired(
        lambda scores, i: agree(scores[i], people[i]),
        # Ranks, because swapping scores of different scales would mean nothing.
        ranks(left), ranks(right), groups=[one.groups[i] for i, _ in rows], seed=seed, draws=draws,
    )  # fmt: skip
    williams = None if binary else _williams(left, right, people)
    name = "roc_auc" if binary else "spearman"
    return MetricsTest(a, b, name, len(rows), test, williams)


def _williams(
    left: np.ndarray, right: np.ndarray, people: np.ndarray
) -> correlation.WilliamsTest | None:
    with_people = correlation.pearson(left, people), correlation.pearson(right, people)
    between = correlation.pearson(left, right)
    if with_people[0] is None or with_people[1] is None or between is None:
        return None
    return correlation.williams(with_people[0], with_people[1], between, len(people))


def chosen_thresholds(
    run: Run, precision: float, *, positive: Collection[str] = (), seed: int = 0
) -> dict[str, thresholds.ChosenThreshold]:
    """For each metric the lowest limit that reaches the precision, tried by cross-validation."""
    chosen = {}
    for name, one in judged(run, positive=positive).items():
        labelled = [n for n, human in enumerate(one.consistent) if human is not None]
        if len(labelled) < _FEWEST_LABELS:
            continue
        chosen[name] = thresholds.with_precision(
            np.array([one.scores[n] for n in labelled]),
            np.array([bool(one.consistent[n]) for n in labelled]),
            precision, groups=[one.groups[n] for n in labelled], seed=seed,
        )  # fmt: skip
    if not chosen:
        raise UsageError(
            f"No metric has {_FEWEST_LABELS} scores with a human yes/no label: give rows a field "
            "`consistent`, or say with --positive which classes count as consistent."
        )
    return chosen
