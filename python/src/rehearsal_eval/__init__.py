"""Rehearse every conversation before your users have it.

>>> from rehearsal_eval import evaluate
>>> evaluate("scenarios/", target=my_agent, attempts=3).check()
"""

from ._callback import Reply, Session
from ._engine import EngineError
from ._evaluate import evaluate, evaluate_async
from ._results import AttemptResult, Gate, Result, ScenarioResult, TurnResult
from ._scenarios import Scenario, ToolCall, Turn

__all__ = [
    "AttemptResult",
    "EngineError",
    "Gate",
    "Reply",
    "Result",
    "Scenario",
    "ScenarioResult",
    "Session",
    "ToolCall",
    "Turn",
    "TurnResult",
    "evaluate",
    "evaluate_async",
]
