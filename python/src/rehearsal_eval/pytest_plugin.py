"""pytest: each scenario is a test.

    @pytest.mark.rehearsal("scenarios/*.yaml", attempts=3, gate="pass^3>=0.9")
    def test_support(rehearsal):
        rehearsal(my_agent)

Each scenario is a run of its own, within the fixtures of its test, and gates hold for each. Attempts run side by side;
pytest-xdist runs several scenarios at once.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ._engine import Engine, EngineError
from ._evaluate import evaluate, list_scenarios
from ._results import Result, ScenarioResult

_runner_key = pytest.StashKey["Rehearsal"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rehearsal")
    group.addoption(
        "--rehearsal-baseline",
        metavar="FILE",
        help="fail if replies got worse than in these results: a file written by --rehearsal-output or rehearsal eval -o",
    )
    group.addoption("--rehearsal-output", metavar="FILE", help="write the results of all scenarios as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "rehearsal(*scenarios, gate=None, **options): one test for each scenario in these files, whose paths are relative "
        "to the test's file; the options are those of rehearsal_eval.evaluate",
    )
    config.pluginmanager.register(_Reporter(config), "rehearsal-reporter")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("rehearsal")
    if marker is None:
        return
    place = metafunc.definition.nodeid
    if "rehearsal" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{place}: nothing is run, because the test does not use the fixture: def test(rehearsal)")
    if not marker.args:
        raise pytest.UsageError(f"{place}: the mark rehearsal needs scenario files")
    folder = Path(metafunc.definition.path).parent
    files = [str(folder / os.fspath(file)) for file in marker.args]
    try:
        ids = [str(scenario["id"]) for scenario in list_scenarios(files)]
    except EngineError as error:
        raise pytest.UsageError(f"{place}: {error}") from None
    if not ids:
        # pytest would skip the test.
        raise pytest.UsageError(f"{place}: there are no scenarios in {', '.join(map(str, marker.args))}")
    options = {"name": place, **_options(marker.kwargs)}
    metafunc.parametrize("rehearsal", [_Case(files, each, options) for each in ids], ids=ids, indirect=True)


@pytest.fixture
def rehearsal(request: pytest.FixtureRequest) -> Rehearsal:
    """Runs the scenario of this test against an agent: ``rehearsal(my_agent)``.

    Without the mark it takes the scenarios itself: ``rehearsal(my_agent, "scenarios/refund.yaml", attempts=3)``.
    """
    runner = Rehearsal(getattr(request, "param", None), request.node.nodeid)
    request.node.stash[_runner_key] = runner
    return runner


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    runner = item.stash.get(_runner_key, None)
    if report.when == "call" and runner is not None:
        if report.passed and not runner.results:
            report.outcome = "failed"
            report.longrepr = "the test ran no scenario: call rehearsal(agent)"
        # Attributes of a report reach the process that reports, also under xdist.
        report.rehearsal_runs = json.dumps([result.raw for result in runner.results])  # type: ignore[attr-defined]
    return report


class _Case:
    """One scenario of the files of a mark."""

    def __init__(self, files: Sequence[str], scenario_id: str, options: Mapping[str, Any]) -> None:
        self.files = files
        self.scenario_id = scenario_id
        self.options = options


class Rehearsal:
    """Runs scenarios for one test, and fails it with the reason."""

    def __init__(self, case: _Case | None, name: str) -> None:
        self._case = case
        self._name = name
        self.results: list[Result] = []

    def __call__(self, target: Any, *scenarios: Any, **options: Any) -> Result:
        __tracebackhide__ = True
        given = _options(options)
        try:
            if scenarios or self._case is None:
                result = evaluate(scenarios, target, **{"name": self._name, **given})
            else:
                case = self._case
                result = evaluate(case.files, target, only=[case.scenario_id], **{**case.options, **given})
        except EngineError as error:
            pytest.fail(str(error), pytrace=False)
        self.results.append(result)
        if not result.passed:
            pytest.fail(result.report(), pytrace=False)
        return result


class _Reporter:
    """Collects the results of all tests; at the end it sums them up and compares them with a baseline."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # By test: a plug-in may run a test that failed again.
        self._runs_of: dict[str, list[dict[str, Any]]] = {}
        self._comparison: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        runs = json.loads(getattr(report, "rehearsal_runs", "[]"))
        if runs:
            self._runs_of[report.nodeid] = runs

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        # A worker of xdist hands its reports to the process that started it.
        if hasattr(self._config, "workerinput") or not self._runs_of:
            return
        output = self._config.getoption("--rehearsal-output")
        baseline = self._config.getoption("--rehearsal-baseline")
        if baseline:
            self._comparison, worse = _compare(Path(baseline), self._runs())
            if worse and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        # After the comparison: both may be the same file.
        if output:
            Path(output).write_text(json.dumps({"runs": self._runs()}), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        scenarios = [ScenarioResult(scenario) for run in self._runs() for scenario in run["results"]["scenarios"]]
        if not scenarios:
            return
        terminalreporter.section("rehearsal")
        passed = sum(scenario.passed for scenario in scenarios)
        undecided = sum(scenario.undecided for scenario in scenarios)
        decided = len(scenarios) - undecided
        if decided:
            lower, upper = _wilson(passed, decided)
            share = f"{passed / decided:.3f} (95 % interval {lower:.3f} to {upper:.3f})"
            terminalreporter.write_line(f"{passed} of {decided} scenarios passed: {share}")
        if undecided:
            terminalreporter.write_line(f"{undecided} undecided: nothing was seen that passes or fails them")
        if self._comparison:
            terminalreporter.write_line(self._comparison)

    def _runs(self) -> list[dict[str, Any]]:
        return [run for runs in self._runs_of.values() for run in runs]


def _compare(baseline: Path, runs: Sequence[dict[str, Any]]) -> tuple[str, bool]:
    """What ``rehearsal compare`` says about each test function, and whether one got worse or cannot be compared."""
    try:
        document = json.loads(baseline.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return f"the baseline {baseline} cannot be read: {error}", True
    before = _by_test(document.get("runs", [document]))
    after = _by_test(runs)
    if len(before) == 1 and len(after) == 1:
        # A run of the command line has another name than the test.
        before = dict(zip(after, before.values(), strict=True))
    said: list[str] = []
    worse = False
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        for name, candidate in after.items():
            if name not in before:
                said.append(f"{name}: not in the baseline")
                continue
            files = [Path(folder) / "baseline.json", Path(folder) / "candidate.json"]
            for file, side in zip(files, (before[name], candidate), strict=True):
                file.write_text(json.dumps({"runs": side}), encoding="utf-8")
            try:
                code, text = Engine().run(
                    ["compare", *map(str, files), "--fail-on-regression"], accept=frozenset({0, 1, 6})
                )
            except EngineError as error:
                said.append(f"{name}: the baseline cannot be compared: {str(error).replace(f'{folder}{os.sep}', '')}")
                worse = True
                continue
            said.append(text.strip() if len(after) == 1 else f"{name}\n{text.strip()}")
            worse = worse or code == 1
    return "\n".join(said), worse


def _by_test(runs: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        grouped.setdefault(str(run.get("test_name")), []).append(run)
    return grouped


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """``gate="…"`` stands for one gate."""
    options = dict(given)
    gate = options.pop("gate", None)
    if gate is not None:
        options["gates"] = [*options.get("gates", ()), gate]
    return options


def _wilson(passed: int, total: int) -> tuple[float, float]:
    """Wilson's interval for a share, as in the engine."""
    z = 1.959963984540054
    center = (passed + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(passed * (total - passed) / total + z * z / 4)
    return max(0.0, center - half), min(1.0, center + half)
