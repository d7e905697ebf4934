"""Typed clients of both services, for callers with and without an event loop.

>>> from rehearsal_eval.client import EvaluationClient
>>> EvaluationClient("http://127.0.0.1:8001").list_runs(limit=5)["runs"]
"""

from . import agent_types, evaluation_types
from ._agent import AgentClient, AsyncAgentClient
from ._evaluation import (
    AsyncEvaluationClient,
    EndEvent,
    EvaluationClient,
    InteractionEvent,
    ProgressEvent,
    RunEvent,
)
from ._transport import ServerEvent, ServiceFailure, ServiceUnreachable

__all__ = [
    "AgentClient",
    "AsyncAgentClient",
    "AsyncEvaluationClient",
    "EndEvent",
    "EvaluationClient",
    "InteractionEvent",
    "ProgressEvent",
    "RunEvent",
    "ServerEvent",
    "ServiceFailure",
    "ServiceUnreachable",
    "agent_types",
    "evaluation_types",
]
