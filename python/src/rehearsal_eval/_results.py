"""Results: the engine's JSON, with the parts that tests read as attributes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

#: As in the engine's JSON.
Verdict = Literal["passed", "failed", "error", "unscored", "simulator_failed", "not_run"]


@dataclass(frozen=True)
class TurnResult:
    """One message, the reply to it, what the agent did, and the scores."""

    raw: Mapping[str, Any]

    @property
    def user_message(self) -> str:
        return str(self.raw["user_message"])

    @property
    def reply(self) -> str:
        return str(self.raw["agent_reply"])

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        return list(self.raw.get("tool_calls") or [])

    @property
    def scores(self) -> dict[str, float]:
        return dict(self.raw["scores"])

    @property
    def reasons(self) -> dict[str, str]:
        return dict(self.raw.get("score_reasons") or {})

    @property
    def error(self) -> dict[str, Any] | None:
        return self.raw.get("error")

    @property
    def failed_because(self) -> list[str]:
        """What the scenario states about this turn and was seen not to hold, or why there is no reply."""
        if self.error:
            said = self.error.get("upstream_message") or self.error.get("detail") or self.error.get("code")
            return [f"no usable reply: {said}"]
        return self._stated(False)

    @property
    def undecided_because(self) -> list[str]:
        """What the scenario states about this turn and could not be seen."""
        return [] if self.error else self._stated(None)

    def _stated(self, holds: bool | None) -> list[str]:
        stated = self.raw.get("stated") or {}
        return [f"{name}: {self.reasons.get(name, 'no reason')}" for name, seen in stated.items() if seen is holds]

    def report(self) -> str:
        """What was said, called and wanted; empty for a turn that passed."""
        if not (self.failed_because or self.undecided_because):
            return ""
        lines = [f"user:  {_short(self.user_message)}"]
        if not self.error:
            lines.append(f"agent: {_short(self.reply)}")
        wanted = self.raw.get("reference_reply")
        if wanted:
            lines.append(f"reference: {_short(str(wanted))}")
        lines += _calls(self.raw.get("reference_tool_calls"), self.tool_calls)
        lines += [f"✗ {_indented(reason)}" for reason in self.failed_because]
        lines += [f"? {_indented(reason)}" for reason in self.undecided_because]
        return "\n".join(lines)


@dataclass(frozen=True)
class AttemptResult:
    """One conversation."""

    raw: Mapping[str, Any]

    @cached_property
    def turns(self) -> list[TurnResult]:
        return [TurnResult(turn) for turn in self.raw["interactions"]]

    @property
    def scores(self) -> dict[str, float]:
        return dict(self.raw["average_scores"])


@dataclass(frozen=True)
class ScenarioResult:
    """All attempts at one scenario."""

    raw: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.raw["scenario_id"])

    @property
    def verdict(self) -> Verdict:
        """``passed``: everything that the scenario states was seen to hold in every attempt.

        ``failed``: something was seen not to hold. ``error``: no attempt has a usable reply. The others decide nothing:
        ``unscored``, ``simulator_failed`` (the simulated user spoiled every attempt) and ``not_run``.
        """
        verdict: Verdict = self.raw["verdict"]
        return verdict

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @property
    def undecided(self) -> bool:
        """Nothing was found out about the agent, also because no judge answered."""
        if self.verdict == "error":
            return not any(turn.error for attempt in self.attempts for turn in attempt.turns)
        return self.verdict not in ("passed", "failed")

    @property
    def scores(self) -> dict[str, float]:
        return dict(self.raw["average_scores"])

    @cached_property
    def attempts(self) -> list[AttemptResult]:
        return [AttemptResult(attempt) for attempt in self.raw["attempts"]]

    def report(self) -> str:
        """The verdict, and each turn that did not pass; attempts that went the same way are shown once."""
        places: dict[str, list[str]] = {}
        for attempt in self.attempts:
            for index, turn in enumerate(attempt.turns, start=1):
                text = turn.report()
                if text:
                    places.setdefault(text, []).append(f"attempt {attempt.raw['attempt']}, turn {index}")
        lines = [f"{self.id}: {self.verdict}"]
        for text, found in places.items():
            lines.append(f"  {'; '.join(found)}")
            lines += [f"    {line}" for line in text.split("\n")]
        if not any("✗" in text for text in places):
            # No single turn is to blame: outcomes, states and verdicts on whole conversations.
            lines += [f"  ✗ {_indented(cause)}" for cause in self.raw.get("failed_because") or []]
        return "\n".join(lines)


@dataclass(frozen=True)
class Gate:
    """One rule that decides about the run."""

    rule: str
    passed: bool
    undecided: bool
    message: str


@dataclass(frozen=True)
class Result:
    """The results of an evaluation. ``raw`` is what ``rehearsal eval --json`` prints for the run."""

    raw: Mapping[str, Any]
    exit_code: int

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    @property
    def undecided(self) -> bool:
        return self.exit_code == 6

    @property
    def run_id(self) -> str:
        return str(self.raw["run_id"])

    @property
    def scores(self) -> dict[str, float]:
        return dict(self.raw["summary"]["average_scores"])

    def interval(self, score: str = "overall") -> tuple[float, float] | None:
        """The 95 % interval of a score over the scenarios; None where there is none."""
        stats = self.raw["summary"]["score_stats"].get(score) or {}
        lower, upper = stats.get("ci_lower"), stats.get("ci_upper")
        return None if lower is None or upper is None else (lower, upper)

    @property
    def warnings(self) -> list[str]:
        return [f"{warning['pointer']} {warning['message']}".strip() for warning in self.raw["warnings"]]

    @cached_property
    def gates(self) -> list[Gate]:
        return [
            Gate(gate["gate"], passed=gate["passed"], undecided=gate.get("undecided", False), message=gate["message"])
            for gate in self.raw.get("gates") or []
        ]

    @cached_property
    def scenarios(self) -> list[ScenarioResult]:
        return [ScenarioResult(scenario) for scenario in self.raw["results"]["scenarios"]]

    def scenario(self, scenario_id: str) -> ScenarioResult:
        for scenario in self.scenarios:
            if scenario.id == scenario_id:
                return scenario
        raise KeyError(f"the run has no scenario {scenario_id!r}")

    def report(self) -> str:
        """The gates, and every scenario that did not pass with its reasons."""
        lines = [f"✗ {problem}" for problem in self.raw.get("problems") or []]
        lines += [f"{'✓' if gate.passed else '?' if gate.undecided else '✗'} {gate.message}" for gate in self.gates]
        lines += [scenario.report() for scenario in self.scenarios if not scenario.passed]
        return "\n".join(lines)

    def check(self) -> Result:
        """Raises an ``AssertionError`` with the report unless the run passed; an undecided one has not."""
        if not self.passed:
            raise AssertionError(self.report())
        return self


def _calls(wanted: Sequence[Mapping[str, Any]] | None, made: Sequence[Mapping[str, Any]]) -> list[str]:
    """The calls of a turn; beside those that were expected, as a difference."""
    if wanted is None:
        return [f"call:  {_call(call)}{_outcome(call)}" for call in made]
    # Sorted by their text, calls that are equal stand beside each other; the reason says what is wrong with their order.
    before, after = (sorted(_call(call) for call in calls) for calls in (wanted, made))
    if before == after:
        return [f"call:  {_call(call)}{_outcome(call)}" for call in made]
    marks = {" ": "call:     ", "-": "expected: ", "+": "called:   "}
    return [marks[line[0]] + line[2:] for line in difflib.ndiff(before, after) if line[0] in marks]


def _call(call: Mapping[str, Any]) -> str:
    arguments = call.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = ", ".join(f"{name}={value!r}" for name, value in sorted(arguments.items()))
    return _short(f"{call.get('name')}({'…' if arguments is None else arguments})", 1_000)


def _outcome(call: Mapping[str, Any]) -> str:
    if call.get("error") is not None:
        return " failed: " + _short(str(call["error"]))
    return " -> " + _short(repr(call["result"])) if "result" in call else ""


def _short(text: str, limit: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n      ")
