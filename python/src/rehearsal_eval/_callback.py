"""Serves functions of this process to the engine, over loopback and with a token that only the two know."""

from __future__ import annotations

import asyncio
import hmac
import inspect
import json
import secrets
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from ._scenarios import ToolCall, call_json

Message = dict[str, Any]

#: What the engine keeps of a failed answer; a longer traceback loses its middle.
_KEPT_CHARACTERS = 1_900


@dataclass
class Session:
    """One attempt at a scenario. All of its turns get the same session.

    ``state`` is for whatever the agent keeps between turns. ``world`` is the MCP address of the scenario's tools, if
    ``evaluate`` was called with ``use_world=True`` and the scenario has a world.
    """

    id: str
    system: str | None = None
    world: str | None = None
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What an agent answered, with what it did.

    Without ``tool_calls`` it is not known which tools were called, and rules about them stay undecided; ``[]`` says that
    none was. ``usage`` has ``input_tokens`` and ``output_tokens``. ``context`` holds the passages that were retrieved: texts,
    or mappings with ``text`` and, where known, ``id``, ``source`` and ``score``.
    """

    text: str
    tool_calls: Sequence[ToolCall | Mapping[str, Any] | Any] | None = None
    usage: Mapping[str, int] | None = None
    labels: Mapping[str, Any] | None = None
    context: Sequence[str | Mapping[str, Any]] | None = None


Answer = str | Reply | Mapping[str, Any]
Target = Callable[..., Answer | Awaitable[Answer]]
Scorer = Callable[..., Any]


def reply_json(answer: object) -> dict[str, Any]:
    """The answer of an agent as the engine reads it. ``tool_calls: null`` says that calls cannot be seen."""
    if isinstance(answer, str):
        return {"text": answer, "tool_calls": None}
    if isinstance(answer, Mapping):
        text = answer.get("text", answer.get("content"))
        known = {name: answer[name] for name in ("tool_calls", "usage", "labels", "context") if name in answer}
        answer = Reply(text=text, **known)
    if not isinstance(answer, Reply):
        raise TypeError(f"the target returned {type(answer).__name__}: return a text, or rehearsal_eval.Reply")
    if not isinstance(answer.text, str):
        raise TypeError(f"the text of the reply is {type(answer.text).__name__}, not a text")
    calls = answer.tool_calls
    return {
        "text": answer.text,
        "tool_calls": None if calls is None else [call_json(call) for call in calls],
        **({"usage": dict(answer.usage)} if answer.usage is not None else {}),
        **({"labels": dict(answer.labels)} if answer.labels is not None else {}),
        **({"context": list(answer.context)} if answer.context is not None else {}),
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The default of 5 makes bursts of connections wait a second and longer.
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection broke: the engine was stopped, or no longer waits."""


class CallbackServer:
    """Serves a target and scorers until it is closed."""

    def __init__(
        self, target: Target | None, scorers: Mapping[str, Scorer], loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        self._target = target
        self._scorers = scorers
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._loop = loop
        self._own_loop: asyncio.AbstractEventLoop | None = None
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True, name="rehearsal-callback").start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        if self._own_loop is not None:
            self._own_loop.call_soon_threadsafe(self._own_loop.stop)

    def __enter__(self) -> CallbackServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call_target(self, request: Mapping[str, Any], world: str | None) -> dict[str, Any]:
        if self._target is None:
            raise LookupError("this evaluation has no target function")
        session = self._session(request, world)
        answer = self._finish(_call(self._target, request.get("messages") or [], session=session))
        return reply_json(answer)

    def call_scorer(self, name: str, request: Mapping[str, Any]) -> Any:
        try:
            result = self._finish(_call(self._scorers[name], request["reply"], context=request["context"]))
        except AssertionError as error:
            # It has looked at the reply and found it wrong; another exception says nothing about the reply.
            return {"score": 0, "reason": _failure_text(error)}
        if isinstance(result, tuple):
            value, reason = result
            return {"pass" if isinstance(value, bool) else "score": _plain(value), "reason": str(reason)}
        return dict(result) if isinstance(result, Mapping) else result

    def _session(self, request: Mapping[str, Any], world: str | None) -> Session:
        with self._lock:
            session = self._sessions.setdefault(request["session_id"], Session(id=request["session_id"]))
        session.system = request.get("system")
        session.world = world
        return session

    def _finish(self, result: Any) -> Any:
        if not inspect.isawaitable(result):
            return result
        return asyncio.run_coroutine_threadsafe(_settle(result), self._event_loop()).result()

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        """The caller's loop, whose clients a coroutine may use; else one for all calls."""
        if self._loop is not None:
            return self._loop
        with self._lock:
            if self._own_loop is None:
                self._own_loop = asyncio.new_event_loop()
                threading.Thread(target=self._own_loop.run_forever, daemon=True, name="rehearsal-loop").start()
            return self._own_loop


async def _settle(result: Awaitable[Any]) -> Any:
    return await result


def _call(function: Callable[..., Any], first: Any, **offered: Any) -> Any:
    """Calls with those of the offered keywords that the function takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(first)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return function(first, **offered)
    names = {parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY}
    return function(first, **{name: value for name, value in offered.items() if name in names})


def _plain(value: Any) -> Any:
    """Numbers of numpy and torch as Python's own; what JSON cannot hold otherwise, such as a date, as its text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.item() if hasattr(value, "item") else str(value)


def _failure_text(error: BaseException) -> str:
    """The exception first, then where it was raised, without the frames that lead to the user's function."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [index for index, frame in enumerate(frames) if frame.filename == __file__]
    headline = "".join(traceback.format_exception_only(type(error), error)).strip()
    where = "".join(traceback.format_list(frames[own[-1] + 1 if own else 0 :])).rstrip()
    text = f"{headline}\n{where}" if where else headline
    if len(text) <= _KEPT_CHARACTERS:
        return text
    half = _KEPT_CHARACTERS // 2
    return f"{text[:half]}\n…\n{text[-half:]}"


def _handler(server: CallbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Small answers are not held back for the acknowledgement of the headers.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            given = self.headers.get("authorization") or ""
            if not hmac.compare_digest(given.encode(), f"Bearer {server.token}".encode()):
                # The body of a stranger is not read, so that the connection cannot be used again.
                self.close_connection = True
                return self._answer(401, "wrong token", "text/plain")
            try:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
                if self.path == "/target":
                    answer = server.call_target(request, self.headers.get("x-rehearsal-world"))
                else:
                    answer = server.call_scorer(unquote(self.path.removeprefix("/scorer/")), request)
                text = json.dumps(answer, default=_plain, allow_nan=False)
            except BaseException as error:  # whatever the user's function raises is its answer
                # 422: the engine stores it as a failed turn and does not ask again.
                return self._answer(422, _failure_text(error), "text/plain")
            return self._answer(200, text, "application/json")

        def _answer(self, status: int, text: str, content_type: str) -> None:
            data = text.encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("content-type", f"{content_type}; charset=utf-8")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
