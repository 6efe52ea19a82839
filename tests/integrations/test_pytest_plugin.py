"""The plug-in in real pytest sessions, with a scripted judge."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from staytrue.runs.folder import Run

pytest_plugins = "pytester"

SCRIPTED = ("--staytrue-backend", "scripted", "--staytrue-metric", "judge")
TRUE_AND_FALSE = """
KNOWLEDGE = "coffee comes from ethiopia"

def test_true(staytrue):
    staytrue.assert_consistent("coffee comes from ethiopia", knowledge=KNOWLEDGE)

def test_false(staytrue):
    staytrue.assert_consistent("tea arrives in norway", knowledge=KNOWLEDGE, history=["Where?"])
"""


@pytest.fixture(autouse=True)
def alone(pytester: pytest.Pytester) -> None:
    """No configuration from above."""
    pytester.makeini("[pytest]\n")


# Other plug-ins, which take a second to import: a session inside this one forgets them each time.
WITHOUT = ("-p", "no:schemathesis", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:xdist")


def run(pytester: pytest.Pytester, *options: object) -> pytest.RunResult:
    arguments = (*SCRIPTED, *map(str, options))
    if "--staytrue-baseline" in options:
        # It needs numpy, which a session inside this one would import and then forget: numpy
        # cannot be imported twice by one process.
        return pytester.runpytest_subprocess(*WITHOUT, *arguments)
    return pytester.runpytest(*WITHOUT, *arguments)


def test_a_failure_shows_the_wrong_words_and_the_evidence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TRUE_AND_FALSE)
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([
        "*judge gives the response 0.00, below the threshold 0.5.",
        "*Words were counted.*",
        "response:",
        "  tea arrives in norway",
        "  ~~~ ~~~~~~~ ~~ ~~~~~~",
        "knowledge:",
        "  coffee comes from ethiopia",
    ])  # fmt: skip
    assert "Traceback" not in result.stdout.str()


def test_the_threshold_can_be_set_per_session_and_per_call(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        def test_half(staytrue):
            staytrue.assert_consistent("coffee here", knowledge="coffee there", threshold=0.4)

        def test_other(staytrue):
            staytrue.assert_consistent("coffee here", knowledge="coffee there")
    """)
    run(pytester).assert_outcomes(passed=2)
    run(pytester, "--staytrue-threshold", "0.6").assert_outcomes(passed=1, failed=1)


def test_a_threshold_that_is_no_share_is_refused_in_one_sentence(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("""
        def test_call(staytrue):
            staytrue.assert_consistent("coffee", knowledge="coffee", threshold=5)
    """)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Option threshold takes a number between 0 and 1, not '5'."])
    for wrong in ("high", "5", "nan"):
        result = run(pytester, "--staytrue-threshold", wrong)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*between 0 and 1, not '{wrong}'."])


def test_a_wrong_metric_or_backend_stops_the_session_in_one_sentence(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(TRUE_AND_FALSE)
    for option, wrong, advice in (
        ("metric", "jugde", "There is no metric 'jugde' (did you mean 'judge'?); choose from: *"),
        ("metric", "q3,nli=off", "There is no metric 'q3'*; choose from: *"),
        ("backend", "lmm:m@http://x", "There is no backend 'lmm' (did you mean 'llm'?)*"),
        ("metric", "q2,foo=1", "The metric q2 has no option 'foo'; it has: *"),
        ("metric", "consistency,foo=1", "The metric consistency has no option 'foo'; it has: *"),
        ("metric", "q2,nli=maybe", "Option nli of metric q2 takes *"),
        ("backend", "llm:m@http://x,retries=-1", "Option retries of backend llm takes 0 or more*"),
        ("backend", "scripted:m", "The backend scripted has no option 'target'; *"),
    ):
        result = run(pytester, f"--staytrue-{option}", wrong)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {advice}"])
        assert "test_true" not in result.stdout.str()


def test_metric_and_backend_may_stand_in_the_configuration(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nstaytrue_metric = judge\nstaytrue_backend = scripted\n")
    pytester.makepyfile(TRUE_AND_FALSE)
    pytester.runpytest(*WITHOUT).assert_outcomes(passed=1, failed=1)


def test_a_response_that_cannot_be_judged_fails_with_the_reason(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        def test_empty(staytrue):
            staytrue.assert_consistent("", knowledge="coffee")

        def test_allowed(staytrue):
            staytrue.assert_consistent("", knowledge="coffee", allow_unjudged=True)

        def test_nothing_given(staytrue):
            staytrue.assert_consistent("hello")
    """)
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*could not judge the response (allow_unjudged=True lets it pass).", "*response is empty."]
    )
    result.stdout.fnmatch_lines(["*give knowledge, a persona, or a history*"])
    result.stdout.no_fnmatch_line("*another exception*")


def test_persona_and_earlier_turns_must_not_be_contradicted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        PERSONA = ["i have a dog"]

        def test_kept(staytrue):
            staytrue.assert_consistent("i like the sea", persona=PERSONA)

        def test_denied(staytrue):
            staytrue.assert_consistent("i do not have a dog", persona=PERSONA)

        def test_said_before(staytrue):
            said = [("user", "hi"), ("bot", "i have a dog"), ("user", "really?")]
            staytrue.assert_consistent("i do not have a dog", history=said)
    """)
    options = ("--staytrue-backend", "scripted", "--staytrue-metric", "overlap")
    result = pytester.runpytest(*options)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*contradiction gives the response 0.10*"])


@pytest.mark.slow
def test_the_default_metric_reads_persona_and_knowledge_and_shows_both(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("""
        def test_policy(staytrue):
            policy = "Most orders may be returned within 30 days."
            answer = "Most orders may be returned within 60 days."
            staytrue.assert_consistent(answer, knowledge=policy)

        def test_persona(staytrue):
            staytrue.assert_consistent("I have no pets.", persona=["I have two dogs."])
    """)
    result = pytester.runpytest_subprocess(*WITHOUT)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*Most orders may be returned within 60 days.", "*~~*"])
    result.stdout.fnmatch_lines(["evidence:", "*knowledge: *30 days.*"])
    result.stdout.fnmatch_lines(["evidence:", "*persona: I have two dogs.*"])


def test_a_file_gives_one_test_per_row(pytester: pytest.Pytester) -> None:
    rows = [
        {"id": "right", "response": "coffee is hot", "knowledge": "coffee is hot"},
        {"id": "wrong", "response": "tea was cold", "knowledge": "coffee is hot"},
    ]
    Path("cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.staytrue_cases("cases.jsonl")
        def test_rows(staytrue, case):
            staytrue.assert_consistent(case)
    """)
    result = run(pytester, "-v", "--strict-markers")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_rows?right?*PASSED*", "*test_rows?wrong?*FAILED*"])


@pytest.mark.parametrize(("content", "message"), [
    (None, "There is no file *cases.jsonl: check the path."),
    ('{"reply": "x"}\n', "*no field 'response'*map another with staytrue_cases(PATH, *"),
    ("\n", "*has no cases*"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_is_one_sentence(
    pytester: pytest.Pytester, content: str | None, message: str
) -> None:
    if content:
        Path("cases.jsonl").write_text(content, "utf-8")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.staytrue_cases("cases.jsonl")
        def test_rows(case):
            pass
    """)
    result = run(pytester)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting*", message])
    assert "pytest_plugin.py" not in result.stdout.str()
    assert "--columns" not in result.stdout.str()


ANSWERS = """
import pytest

@pytest.mark.parametrize("n", range(12))
def test_answer(staytrue, n):
    response = f"coffee comes from ethiopia{' not' * (n % 3)}" if GOOD else "tea from norway"
    staytrue.judge(response, knowledge="coffee comes from ethiopia")
"""


@pytest.mark.slow
def test_a_significant_drop_against_the_baseline_fails_and_is_in_the_junit_report(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_bot=f"GOOD = True\n{ANSWERS}")
    run(pytester, "--staytrue-out", "base").assert_outcomes(passed=12)
    run(pytester, "--staytrue-baseline", "base").assert_outcomes(passed=13)
    pytester.makepyfile(test_bot=f"GOOD = False\n{ANSWERS}")
    options = ("--staytrue-baseline", "base", "--staytrue-out", "new", "--junitxml", "junit.xml")
    result = run(pytester, *options)
    result.assert_outcomes(passed=12, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*judge dropped from 0.* to 0.*p = 0.00*12 responses*"])
    assert (Path("new") / "manifest.json").is_file()
    cases = ElementTree.parse("junit.xml").getroot().findall(".//testcase")
    (failed,) = [case for case in cases if case.find("failure") is not None]
    assert "staytrue-baseline" in f"{failed.get('classname')}{failed.get('name')}"


@pytest.mark.slow
def test_answers_are_paired_by_test_name_whatever_was_retrieved_for_them(
    pytester: pytest.Pytester,
) -> None:
    answers = """
        import pytest

        @pytest.mark.parametrize("n", range(12))
        def test_answer(staytrue, n):
            response = f"coffee comes from ethiopia{' not' * (n + WORSE)}"
            staytrue.judge(response, knowledge="coffee comes from ethiopia" + " now" * WORSE)
    """
    pytester.makepyfile(test_bot=answers.replace("WORSE", "0"))
    run(pytester, "--staytrue-out", "base").assert_outcomes(passed=12)
    pytester.makepyfile(test_bot=answers.replace("WORSE", "1"))
    result = run(pytester, "--staytrue-baseline", "base")
    result.assert_outcomes(passed=12, failed=1)
    result.stdout.fnmatch_lines(["*judge dropped from 0.* to 0.*p = 0.00*12 responses*"])


@pytest.mark.slow
def test_tests_that_did_not_run_do_not_pass_the_gate(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_bot=f"GOOD = True\n{ANSWERS}")
    run(pytester, "--staytrue-out", "base")
    result = run(pytester, "--staytrue-baseline", "base", "-k", "answer and 1")
    result.assert_outcomes(passed=3, failed=1, deselected=9)
    result.stdout.fnmatch_lines(["*has no score for 9 of the 12 responses*"])
    nothing = run(pytester, "--staytrue-baseline", "base", "-k", "nothing")
    nothing.stdout.fnmatch_lines(["*No response was judged in this session.*"])


@pytest.mark.slow
def test_wrong_folders_are_refused_before_any_test_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TRUE_AND_FALSE)
    Path("full").mkdir()
    Path("full/x").write_text("")
    for options, message in (
        (("--staytrue-out", "full"), "is not empty"),
        (("--staytrue-baseline", "nowhere"), "is not a run folder"),
    ):
        result = run(pytester, *options)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert any(message in line for line in result.errlines)


@pytest.mark.slow
def test_another_metric_cannot_be_compared_with_the_baseline(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_bot=f"GOOD = True\n{ANSWERS}")
    run(pytester, "--staytrue-out", "base")
    result = run(pytester, "--staytrue-metric", "overlap", "--staytrue-baseline", "base")
    result.assert_outcomes(passed=12, failed=1)
    result.stdout.fnmatch_lines(["*share no metric*"])


@pytest.mark.slow
def test_workers_of_xdist_share_one_gate_and_one_run_folder(pytester: pytest.Pytester) -> None:
    gate = ("--staytrue-baseline", "base", "--junitxml", "junit.xml")

    def spread_out(*options: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess(*WITHOUT[:-2], "-n", "2", *SCRIPTED, *options)

    pytester.makepyfile(test_bot=f"GOOD = True\n{ANSWERS}")
    spread_out("--staytrue-out", "base").assert_outcomes(passed=12)
    assert len(list(Run("base").verdicts())) == 12
    spread_out(*gate).assert_outcomes(passed=13)
    pytester.makepyfile(test_bot=f"GOOD = False\n{ANSWERS}")
    result = spread_out(*gate, "--staytrue-out", "new")
    result.assert_outcomes(passed=12, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*judge dropped from 0.* to 0.*p = 0.00*12 responses*"])
    assert len(list(Run("new").verdicts())) == 12
    assert "staytrue-baseline" in Path("junit.xml").read_text("utf-8")


@pytest.mark.slow
def test_sessions_that_do_not_use_it_load_nothing_of_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys

        def test_modules():
            loaded = {"numpy", "spacy", "onnxruntime", "scipy", "click"} & set(sys.modules)
            assert not loaded
    """)
    pytester.runpytest_subprocess(*WITHOUT).assert_outcomes(passed=1)
