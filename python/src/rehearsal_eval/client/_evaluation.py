"""The evaluation service: its routes, and what takes more than one request."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Union

from . import evaluation_types as t
from ._evaluation_operations import AsyncEvaluationOperations, EvaluationOperations
from ._transport import Patience, ServerEvent, ServiceFailure, ServiceUnreachable

#: How many connections in a row may break without an event.
_MAX_BROKEN = 5


@dataclass(frozen=True)
class InteractionEvent:
    """A turn was stored, or scored. ``id`` is what ``after`` refers to."""

    id: int
    data: t.StoredTurn
    type: Literal["interaction"] = "interaction"


@dataclass(frozen=True)
class ProgressEvent:
    data: t.Progress
    type: Literal["progress"] = "progress"


@dataclass(frozen=True)
class EndEvent:
    """The last event, with the ended run."""

    data: t.Run
    type: Literal["end"] = "end"


RunEvent = Union[InteractionEvent, ProgressEvent, EndEvent]


class EvaluationClient(EvaluationOperations):
    """The evaluation service. Threads may share a client.

    >>> client = EvaluationClient("http://127.0.0.1:8001")
    >>> result = client.evaluate({"test_batch": scenario, "endpoint": "http://127.0.0.1:11434/v1", "model_id": "llama3.2"})
    >>> result["summary"]["average_scores"]

    Every call raises ``ServiceFailure`` when the service answers with an error, and ``ServiceUnreachable`` when it does
    not answer.
    """

    def evaluate(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.EvaluationResponse:
        """Runs the scenarios and waits for the results, by events: proxies close a connection that is silent for minutes."""
        run = self.start(body, idempotency_key=idempotency_key)
        for _ in self.events(run["run_id"]):
            pass
        patience = Patience()
        while True:
            try:
                return self.get_run_results(run["run_id"])
            except (ServiceFailure, ServiceUnreachable) as error:
                time.sleep(patience.pause(error))

    def start(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.Run:
        """Stores the run and returns at once; follow it with ``events``."""
        status, _, answer = self._answer(self._call(), *_EVALUATE, **_starting(body, idempotency_key))
        # A key whose run has ended answers with its results.
        run: t.Run = answer if status == 202 else self.get_run(answer["run_id"])
        return run

    def events(self, run_id: str, *, after: int = 0) -> Iterator[RunEvent]:
        """The events of a run to its end. ``after`` is the number of the last event already seen.

        A broken connection is opened again after the last event seen, so that no event is lost or repeated.
        """
        follower = _Follower(self._origin, after)
        while not follower.ended:
            try:
                for event in self.get_run_events(run_id, last_event_id=follower.last_event_id):
                    yield follower.read(event)
                follower.broken(None)
            except (ServiceFailure, ServiceUnreachable) as error:
                time.sleep(follower.broken(error))


class AsyncEvaluationClient(AsyncEvaluationOperations):
    """The evaluation service, for callers in an event loop.

    >>> client = AsyncEvaluationClient("http://127.0.0.1:8001")
    >>> run = await client.start({"test_batch": scenario, "endpoint": endpoint, "model_id": "llama3.2"})
    >>> async for event in client.events(run["run_id"]):
    ...     print(event.type)
    """

    async def evaluate(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.EvaluationResponse:
        """Runs the scenarios and waits for the results, by events: proxies close a connection that is silent for minutes."""
        run = await self.start(body, idempotency_key=idempotency_key)
        async for _ in self.events(run["run_id"]):
            pass
        patience = Patience()
        while True:
            try:
                return await self.get_run_results(run["run_id"])
            except (ServiceFailure, ServiceUnreachable) as error:
                await asyncio.sleep(patience.pause(error))

    async def start(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.Run:
        """Stores the run and returns at once; follow it with ``events``."""
        status, _, answer = await self._exchange(*_EVALUATE, **_starting(body, idempotency_key))
        # A key whose run has ended answers with its results.
        run: t.Run = answer if status == 202 else await self.get_run(answer["run_id"])
        return run

    async def events(self, run_id: str, *, after: int = 0) -> AsyncIterator[RunEvent]:
        """The events of a run to its end. ``after`` is the number of the last event already seen.

        A broken connection is opened again after the last event seen, so that no event is lost or repeated.
        """
        follower = _Follower(self._origin, after)
        while not follower.ended:
            try:
                async for event in self.get_run_events(run_id, last_event_id=follower.last_event_id):
                    yield follower.read(event)
                follower.broken(None)
            except (ServiceFailure, ServiceUnreachable) as error:
                await asyncio.sleep(follower.broken(error))


_EVALUATE = ("POST", "/evaluate")


def _starting(body: t.EvaluationRequest, idempotency_key: str | None) -> dict[str, Any]:
    headers = {"prefer": "respond-async", "idempotency-key": idempotency_key}
    return {"query": {}, "headers": headers, "body": body}


class _Follower:
    """What was seen of a run, over several connections."""

    def __init__(self, origin: str, after: int) -> None:
        self.ended = False
        self._origin = origin
        self._seen = after
        self._broken = 0
        self._patience = Patience()

    @property
    def last_event_id(self) -> str | None:
        return str(self._seen) if self._seen > 0 else None

    def read(self, event: ServerEvent) -> RunEvent:
        self._broken = 0
        self._patience = Patience()
        data: Any = json.loads(event.data)
        if event.event == "end":
            self.ended = True
            return EndEvent(data)
        if event.event == "interaction":
            self._seen = int(event.id or self._seen)
            return InteractionEvent(self._seen, data)
        return ProgressEvent(data)

    def broken(self, error: Exception | None) -> float:
        """The seconds to wait before the next connection. Part of a run must not be taken for the whole."""
        if self.ended:
            return 0
        if error is not None:
            return self._patience.pause(error)
        self._broken += 1
        if self._broken > _MAX_BROKEN:
            times = f"{self._broken} times in a row"
            raise ServiceUnreachable(f"the events from {self._origin} broke off {times} before the run had ended")
        return 0.5
