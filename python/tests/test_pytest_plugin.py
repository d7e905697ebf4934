from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path

import pytest

SCENARIOS = """
- id: refund
  interactions:
    - { id: "1", user_message: I want a refund., reference_tool_calls: [{ name: refund, arguments: { order: 12 } }] }
- id: greeting
  interactions: [{ id: "1", user_message: Hi, checks: [{ type: contains, text: hello }] }]
- id: silence
  interactions: [{ id: "1", user_message: Hm }]
"""
TESTS = """
import pytest
from rehearsal_eval import Reply, ToolCall

def agent(messages):
    order = {order!r}
    return Reply(text="hello", tool_calls=[ToolCall(name="refund", arguments={{"order": order}})])

@pytest.mark.rehearsal("scenarios.yaml", attempts=2)
def test_support(rehearsal):
    rehearsal(agent)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    # pytester runs in a folder of its own.
    pytester.path.joinpath("scenarios.yaml").write_text(SCENARIOS)
    pytester.makepyfile(test_agent=TESTS.format(order="13"))
    return pytester


def test_each_scenario_is_a_test(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("-n", "2", "--junitxml=junit.xml", "--rehearsal-output=results.json")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "*expected: refund(order=12)",
            "*called:   refund(order='13')",
            '*tool_match: refund: order is "13", expected 12',
            "*No scenario says what to expect*",
            "1 of 2 scenarios passed: 0.500 (95 % interval 0.095 to 0.905)",
            "1 undecided: nothing was seen that passes or fails them",
        ]
    )
    runs = json.loads(Path("results.json").read_text("utf-8"))["runs"]
    assert sorted(run["results"]["scenarios"][0]["scenario_id"] for run in runs) == ["greeting", "refund", "silence"]
    # The results are not repeated in a report for CI.
    assert len(Path("junit.xml").read_text("utf-8")) < 10_000

    # Nothing got worse than in these results, also where some scenarios are selected.
    selected = ["-k", "greeting or refund", "--lf", "--rehearsal-baseline=results.json"]
    again = project.runpytest_subprocess(*selected, "-x")
    again.assert_outcomes(failed=1, deselected=1)
    again.stdout.fnmatch_lines(["*overall is the same in the one scenario both runs share*"])


def test_a_baseline_fails_when_replies_got_worse(project: pytest.Pytester) -> None:
    turn = {"id": "1", "user_message": "Hi", "checks": [{"type": "contains", "text": "hello"}]}
    scenarios = [{"id": f"s{number}", "interactions": [turn]} for number in range(8)]
    project.path.joinpath("scenarios.json").write_text(json.dumps(scenarios))
    test = """
        import pytest

        def agent(messages):
            return {reply!r}

        def test_all(rehearsal):
            rehearsal(agent, "scenarios.json", gates=["success>=0.5"], attempts=2)
    """
    project.makepyfile(test_agent=test.format(reply="hello"))
    before = project.runpytest_subprocess("--rehearsal-output=before.json")
    before.assert_outcomes(passed=1)
    project.makepyfile(test_agent=test.format(reply="zzz"))
    after = project.runpytest_subprocess("--rehearsal-baseline=before.json", "-p", "no:cacheprovider")
    after.assert_outcomes(passed=1)
    assert after.ret == pytest.ExitCode.TESTS_FAILED
    missing = project.runpytest_subprocess("--rehearsal-baseline=nowhere.json")
    assert missing.ret == pytest.ExitCode.TESTS_FAILED
    missing.stdout.fnmatch_lines(["the baseline nowhere.json cannot be read*"])


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("@pytest.mark.rehearsal('scenarios.yaml')\ndef test_it(): pass", "*nothing is run*does not use the fixture*"),
        ("@pytest.mark.rehearsal()\ndef test_it(rehearsal): pass", "*the mark rehearsal needs scenario files*"),
        ("@pytest.mark.rehearsal('none.yaml')\ndef test_it(rehearsal): pass", "*none.yaml*"),
        ("@pytest.mark.rehearsal('scenarios.yaml')\ndef test_it(rehearsal): pass", "*the test ran no scenario*"),
    ],
)
def test_a_test_that_runs_nothing_is_not_green(project: pytest.Pytester, test: str, said: str) -> None:
    project.makepyfile(test_agent=f"import pytest\n{test}\n")
    result = project.runpytest_inprocess()
    assert result.ret != pytest.ExitCode.OK
    assert any(fnmatch(line, said) for line in result.outlines + result.errlines)
