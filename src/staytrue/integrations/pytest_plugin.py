"""The pytest plug-in: a fixture `staytrue`, cases from a file, and a gate against a baseline.

    def test_the_bot_stays_true(staytrue):
        staytrue.assert_consistent(bot("Where is coffee from?"), knowledge=PASSAGE)

It is loaded in every pytest session of the environment, so nothing heavy is imported here.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from staytrue.core.errors import StaytrueError
from staytrue.core.records import (
    Example,
    Verdict,
    example_from_json,
    example_to_json,
    verdict_from_json,
    verdict_to_json,
)
from staytrue.plugins.registry import check_backend_spec, check_metric_spec, share

if TYPE_CHECKING:
    from staytrue.integrations.checking import Check, Checker, History, Texts

CASES = "staytrue_cases"
GATE = "staytrue-baseline"
_METRIC = "consistency"
_JUDGED = "staytrue"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the command line; the first three may also stand in the configuration."""
    group = parser.getgroup("staytrue", "staytrue: does the chatbot stay true?")
    for name, default, text in (
        ("metric", _METRIC, "metric of assert_consistent"),
        ("backend", "", "backend of the metric, such as llm:MODEL@URL"),
        ("threshold", "0.5", "lowest score that passes"),
    ):
        group.addoption(f"--staytrue-{name}", metavar=name.upper(), help=f"{text} [{default}]")
        parser.addini(f"staytrue_{name}", text, default=default)
    group.addoption("--staytrue-out", metavar="RUN", help="write what was judged to a run folder")
    group.addoption(
        "--staytrue-baseline",
        metavar="RUN",
        help="fail if scores are significantly lower than in this run, made by --staytrue-out",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before any test runs."""
    config.addinivalue_line(
        "markers",
        f"{CASES}(path, columns=''): run the test once per row of a file, as the fixture `case`",
    )
    config.stash[_SESSION] = _Session(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per row of the file that the marker names."""
    marker = metafunc.definition.get_closest_marker(CASES)
    if marker is None or "case" not in metafunc.fixturenames:
        return
    cases = _cases(metafunc.definition.path.parent, *marker.args, **marker.kwargs)
    metafunc.parametrize("case", cases, ids=[case.id for case in cases])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """The gate is a test of its own, the last one: so it is in every report, JUnit's too."""
    if config.stash[_SESSION].baseline and _parcel(config) is None:
        items.append(Gate.from_parent(session, name=GATE))


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Under pytest-xdist, the gate runs when all workers have reported: each saw a few tests."""
    result = yield
    config = session.config
    if config.stash[_SESSION].baseline and config.pluginmanager.hasplugin("dsession"):
        session.testscollected += 1
        config.hook.pytest_runtest_protocol(
            item=Gate.from_parent(session, name=GATE), nextitem=None
        )
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the run folder that was asked for; a worker sends its part of it."""
    state = session.config.stash[_SESSION]
    parcel = _parcel(session.config)
    if parcel is not None:
        parcel[_JUDGED] = state.packed()
    elif state.out and state.checks and not state.written:
        state.write(state.out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of pytest-xdist judged; one that crashed sends nothing."""
    judged = getattr(node, "workeroutput", {}).get(_JUDGED)
    if judged:
        node.config.stash[_SESSION].unpack(judged)


@pytest.fixture
def staytrue(request: pytest.FixtureRequest) -> Staytrue:
    """Judge responses: `staytrue.assert_consistent(response, knowledge=…, history=…)`."""
    return Staytrue(request.config.stash[_SESSION], request.node)


class Staytrue:
    """What the fixture gives a test."""

    def __init__(self, session: _Session, node: pytest.Item) -> None:
        self._session = session
        self._node = node
        self._count = 0

    def assert_consistent(
        self,
        response: str | Example,
        *,
        knowledge: Texts = "",
        history: History = (),
        persona: Texts = (),
        threshold: float | None = None,
        allow_unjudged: bool = False,
    ) -> None:
        """Fail unless the response is true to everything given; the message shows why.

        A row of a file (`case`) can be given as it is. A response that cannot be judged, as it
        claims nothing, fails too unless `allow_unjudged`: a bot that evades must not pass for true.
        """
        __tracebackhide__ = True
        from staytrue.integrations.explaining import explained

        try:
            least = self._session.threshold if threshold is None else share("threshold", threshold)
        except StaytrueError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        failed = [
            explained(check.example, check.verdict, least)
            for check in self._check(response, knowledge, history, persona)
            if (not allow_unjudged if check.verdict.score is None else check.verdict.score < least)
        ]
        if failed:
            pytest.fail("\n\n".join(failed), pytrace=False)

    def judge(
        self,
        response: str | Example,
        *,
        knowledge: Texts = "",
        history: History = (),
        persona: Texts = (),
    ) -> list[Verdict]:
        """The verdicts without an assertion; a baseline counts them as well."""
        __tracebackhide__ = True
        return [one.verdict for one in self._check(response, knowledge, history, persona)]

    def _check(
        self, response: str | Example, knowledge: Texts, history: History, persona: Texts
    ) -> list[Check]:
        __tracebackhide__ = True
        if isinstance(response, Example):
            knowledge = knowledge or response.knowledge
            history, persona = history or response.history, persona or response.persona
            response = response.response
        self._count += 1
        id_ = self._node.nodeid + (f"#{self._count}" if self._count > 1 else "")
        try:
            checks = self._session.checker.check(
                response, knowledge=knowledge, history=history, persona=persona, id=id_
            )
        except StaytrueError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        self._session.checks += checks
        return checks


class Gate(pytest.Item):
    """Compares what this session judged with the baseline, pair by pair."""

    def runtest(self) -> None:
        """Fail if a metric is significantly worse, or if too much was not judged."""
        state = self.config.stash[_SESSION]
        if not state.checks:
            pytest.fail("No response was judged in this session.", pytrace=False)
        with tempfile.TemporaryDirectory() as aside:
            problems = list(state.problems(state.out or Path(aside) / "run"))
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """One sentence per problem."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """How it is named in reports."""
        return self.path, None, GATE


class _Session:
    """Options and checks of one pytest session."""

    def __init__(self, config: pytest.Config) -> None:
        def chosen(name: str) -> str:
            value = config.getoption(f"--staytrue-{name}") or config.getini(f"staytrue_{name}")
            return str(value)

        self._metric, self._backend = chosen("metric"), chosen("backend")
        try:
            _check_specs(self._metric, self._backend)
            self.threshold = share("--staytrue-threshold", chosen("threshold"))
        except StaytrueError as error:
            raise pytest.UsageError(str(error)) from None
        self.out = _path(config, "--staytrue-out")
        self.baseline = _path(config, "--staytrue-baseline")
        if self.out and self.out.exists() and any(self.out.iterdir()):
            raise pytest.UsageError(f"{self.out} is not empty: name another --staytrue-out.")
        if self.baseline and not (self.baseline / "manifest.json").is_file():
            raise pytest.UsageError(
                f"{self.baseline} is not a run folder: make one with  pytest --staytrue-out RUN."
            )
        self.checks: list[Check] = []
        self.written = False
        self._checker: Checker | None = None
        self._signatures: dict[str, str] = {}  # of those that judged in workers

    @property
    def checker(self) -> Checker:
        """Made when the first response is judged."""
        from staytrue.integrations.checking import Checker

        if self._checker is None:
            self._checker = Checker(self._metric, self._backend or None)
        return self._checker

    @property
    def signatures(self) -> dict[str, str]:
        """Metric → signature, of those that judged."""
        own = self._checker.signatures() if self._checker else {}
        used = {check.verdict.metric for check in self.checks}
        return {n: s for n, s in {**self._signatures, **own}.items() if n in used}

    def packed(self) -> str:
        """What was judged here, as text that a worker can send."""
        checks = [
            (example_to_json(check.example), verdict_to_json(check.verdict))
            for check in self.checks
        ]
        return json.dumps({"signatures": self.signatures, "checks": checks})

    def unpack(self, packed: str) -> None:
        """Add what a worker judged."""
        from staytrue.integrations.checking import Check

        sent = json.loads(packed)
        self._signatures |= sent["signatures"]
        self.checks += [
            Check(example_from_json(example), verdict_from_json(verdict))
            for example, verdict in sent["checks"]
        ]

    def write(self, folder: Path) -> None:
        """Write everything that was judged to a run folder."""
        from staytrue.runs.writer import RunWriter

        with RunWriter(folder, self.signatures, settings={"inputs": ["pytest"]}) as writer:
            for check in self.checks:
                writer.add([check.example], [check.verdict])
        self.written = True

    def problems(self, folder: Path) -> Iterator[str]:
        """What is worse than in the baseline, one paragraph each."""
        from staytrue.studies.comparison import compare

        assert self.baseline
        try:
            self.write(folder)
            # A test's name tells what is tested, whatever was retrieved for it.
            comparisons = compare(self.baseline, folder, by_id=True)
        except StaytrueError as error:
            yield str(error)
            return
        for metric, one in comparisons.items():
            if one.is_worse:
                falls = "".join(f"\n  {name}: {a:.2f} → {b:.2f}" for name, a, b in one.falls)
                yield (
                    f"{metric} dropped from {one.mean_a:.3f} to {one.mean_b:.3f} "
                    f"(p = {one.p:.4f}, {one.n_b} responses).{falls}"
                )
            if one.lacks_scores:
                yield (
                    f"{metric} has no score for {one.unscored} of the {one.n_a} responses that "
                    "the baseline scored: run all of its tests, or make a new baseline."
                )


_SESSION = pytest.StashKey[_Session]()


def _parcel(config: pytest.Config) -> dict[str, Any] | None:
    """What a worker of pytest-xdist sends when it ends; None where this is no worker."""
    return getattr(config, "workeroutput", None)


def _check_specs(metric: str, backend: str) -> None:
    """Refuse unknown names and wrong options once, before every test fails by them."""
    if metric != _METRIC:  # sessions that do not use the plug-in read no entry points
        check_metric_spec(metric)
    if backend:
        check_backend_spec(backend)


def _path(config: pytest.Config, option: str) -> Path | None:
    value = config.getoption(option)
    return config.invocation_params.dir / value if value else None


def _cases(folder: Path, path: str, columns: str = "") -> list[Example]:
    from staytrue.datasets.tabular import parse_columns
    from staytrue.runs.runner import read_inputs

    try:
        rows = list(read_inputs([str(folder / path)], parse_columns(columns) if columns else None))
    except StaytrueError as error:
        raise _not_collected(str(error)) from None
    if not rows:
        raise _not_collected(f"{path} has no cases, so nothing would be tested: add some.")
    for row in rows:
        if not isinstance(row, Example):
            raise _not_collected(f"{row.where}: {row.error}")
    return [row for row in rows if isinstance(row, Example)]


def _not_collected(why: str) -> Exception:
    """What pytest shows as one sentence; the advice is what works here, not on a command line."""
    why = why.replace("--columns response=NAME", f'{CASES}(PATH, "response=NAME")')
    return pytest.Collector.CollectError(why.replace("--columns", "columns"))
