"""The agent backend: its routes, and turns that are started without waiting for them."""

from __future__ import annotations

from typing import Any

from . import agent_types as t
from ._agent_operations import AgentOperations, AsyncAgentOperations

_TURN = ("POST", "/")


class AgentClient(AgentOperations):
    """The agent backend. Threads may share a client.

    >>> client = AgentClient("http://127.0.0.1:8000")
    >>> reply = client.run_agent_turn({"messages": [{"type": "human", "content": "Hello"}]}, model_id="demo/retrieval")
    >>> reply["content"]
    """

    def start_agent_turn(
        self,
        body: t.AgentRequest,
        *,
        model_id: str,
        thread_id: str | None = None,
        idempotency_key: str | None = None,
        rehearsal_world: str | None = None,
    ) -> t.AgentRunDetails:
        """Starts a turn and returns as soon as it is stored. ``get_agent_run`` reads it; its ``message`` is the reply."""
        headers = _headers(model_id, thread_id, idempotency_key, rehearsal_world)
        _, said, answer = self._answer(self._call(), *_TURN, query={}, headers=headers, body=body)
        return self.get_agent_run(said.get("x-run-id") or answer["id"])


class AsyncAgentClient(AsyncAgentOperations):
    """The agent backend, for callers in an event loop.

    >>> client = AsyncAgentClient("http://127.0.0.1:8000")
    >>> body = {"messages": [{"type": "human", "content": "Hello"}]}
    >>> async for event in client.run_agent_turn_events(body, model_id="demo/retrieval"):
    ...     print(event.data)
    """

    async def start_agent_turn(
        self,
        body: t.AgentRequest,
        *,
        model_id: str,
        thread_id: str | None = None,
        idempotency_key: str | None = None,
        rehearsal_world: str | None = None,
    ) -> t.AgentRunDetails:
        """Starts a turn and returns as soon as it is stored. ``get_agent_run`` reads it; its ``message`` is the reply."""
        headers = _headers(model_id, thread_id, idempotency_key, rehearsal_world)
        _, said, answer = await self._exchange(*_TURN, query={}, headers=headers, body=body)
        return await self.get_agent_run(said.get("x-run-id") or answer["id"])


def _headers(model_id: str, thread_id: str | None, key: str | None, world: str | None) -> dict[str, Any]:
    return {
        "prefer": "respond-async",
        "x-model-id": model_id,
        "x-thread-id": thread_id,
        "idempotency-key": key,
        "rehearsal-world": world,
    }
