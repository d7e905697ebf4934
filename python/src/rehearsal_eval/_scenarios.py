"""Scenarios as values. Each is written as the JSON that a scenario file would have; a plain dict does as well."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call of a tool: one that an agent made, or one that a turn expects.

    ``result`` or ``error`` is what the tool answered, as far as it is known.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    result: Any = None
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One message of the user, and what the reply to it has to be like.

    ``fields`` holds any further field of a turn in a scenario file, such as ``reference_metadata``.
    """

    user_message: str
    id: str | None = None
    reference_reply: str | None = None
    reference_tool_calls: Sequence[ToolCall | Mapping[str, Any]] | None = None
    checks: Sequence[Mapping[str, Any]] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A conversation to have with the agent: scripted turns, or a simulated user (``user``).

    ``fields`` holds any further field of a scenario file, such as ``world`` or ``tags``.
    """

    id: str
    turns: Sequence[Turn | Mapping[str, Any]] = ()
    description: str | None = None
    expect: Mapping[str, Any] | None = None
    user: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


def scenario_json(scenario: Scenario | Mapping[str, Any]) -> dict[str, Any]:
    """The scenario as it would stand in a file."""
    if not isinstance(scenario, Scenario):
        return dict(scenario)
    written = _given(
        id=scenario.id,
        description=scenario.description,
        interactions=[_turn_json(turn, index) for index, turn in enumerate(scenario.turns)],
        expect=scenario.expect,
        user=scenario.user,
    )
    return {**written, **scenario.fields}


def _turn_json(turn: Turn | Mapping[str, Any], index: int) -> dict[str, Any]:
    if not isinstance(turn, Turn):
        return dict(turn)
    calls = turn.reference_tool_calls
    written = _given(
        id=turn.id or str(index + 1),
        user_message=turn.user_message,
        reference_reply=turn.reference_reply,
        reference_tool_calls=None if calls is None else [_expected_call(call) for call in calls],
        checks=turn.checks,
    )
    return {**written, **turn.fields}


def _expected_call(call: ToolCall | Mapping[str, Any]) -> dict[str, Any]:
    return {"name": call.name, "arguments": dict(call.arguments)} if isinstance(call, ToolCall) else dict(call)


def call_json(call: Any) -> dict[str, Any]:
    """A call that an agent reports: a ``ToolCall``, a mapping, or any object with the same attributes."""
    if isinstance(call, Mapping):
        return dict(call)
    if dataclasses.is_dataclass(call) and not isinstance(call, type):
        return _given(**dataclasses.asdict(call))
    return _given(**{name: getattr(call, name, None) for name in ("id", "name", "arguments", "result", "error")})


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
