"""HTTP with the standard library: requests, server-sent events, and both for callers in an event loop."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from .evaluation_types import Problem

T = TypeVar("T")

#: Answers of a proxy whose service is down, and of a service without its store.
_UNAVAILABLE = frozenset({502, 503, 504})
_SECONDS_TO_RETRY = 60.0
_PAUSE = 0.5


class ServiceFailure(Exception):
    """The service answered with an error. ``problem`` is its RFC 9457 body: ``code`` names the error, ``hint`` helps."""

    def __init__(self, status: int, problem: Problem | None, message: str | None = None) -> None:
        said = problem["detail"] if problem else message
        super().__init__(said or f"the service answered with status {status} and no explanation")
        self.status = status
        self.problem = problem


class ServiceUnreachable(Exception):
    """No answer: nothing listens there, or the connection broke."""


@dataclass(frozen=True)
class ServerEvent:
    """One event of a stream. ``data`` is text: JSON, or ``[DONE]`` at the end of a stream in OpenAI's form."""

    data: str
    event: str = "message"
    id: str | None = None


class _Call:
    """One request on a connection of its own, which another thread may close."""

    def __init__(self, connection: http.client.HTTPConnection, origin: str) -> None:
        self._connection = connection
        self._origin = origin
        self._socket: socket.socket | None = None

    def open(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> http.client.HTTPResponse:
        try:
            self._connection.connect()
            # The connection forgets its socket when an answer ends with it.
            self._socket = self._connection.sock
            self._connection.request(method, path, body, dict(headers))
            answer = self._connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise ServiceUnreachable(f"nothing answers at {self._origin}: {error}") from error
        if not 200 <= answer.status < 300:
            with self:
                raise _failure(answer.status, self.read(answer))
        return answer

    def read(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            return answer.read()
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise ServiceUnreachable(f"the answer from {self._origin} broke off") from error

    def events(self, answer: http.client.HTTPResponse) -> Iterator[ServerEvent]:
        try:
            yield from parse_events(answer)
        except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
            # A response that another thread has closed has no file any more.
            raise ServiceUnreachable(f"the events from {self._origin} broke off") from error

    def close(self) -> None:
        if self._socket is not None:
            try:
                # A thread that waits for data wakes up.
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._connection.close()

    def __enter__(self) -> _Call:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Service:
    """A service's address and access. Each call has a connection of its own, so that threads may share a client."""

    def __init__(self, url: str, *, api_key: str | None = None, timeout: float | None = 300.0) -> None:
        """``timeout``: how many seconds a connection may be silent."""
        parts = urlsplit(url)
        if parts.username or parts.password:
            # The address is not quoted, since it holds credentials.
            raise ValueError("url contains user info: leave it out and use api_key")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {url!r}: use an absolute http or https URL, like http://127.0.0.1:8001")
        self.url = url.rstrip("/")
        self._https = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout = timeout
        key = (api_key or "").strip()
        if any(not "!" <= letter <= "~" for letter in key):
            # The value is not quoted: most of it is a key.
            raise ValueError("api_key contains characters that an HTTP header cannot hold")
        self._key = key

    @staticmethod
    def _segment(value: str, *, slashes: bool) -> str:
        return quote(value, safe="/" if slashes else "")

    def _call(self) -> _Call:
        connection: http.client.HTTPConnection
        if self._https:
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        return _Call(connection, self._origin)

    def _send(
        self, call: _Call, method: str, path: str, *, query: Mapping[str, Any], headers: Mapping[str, Any], body: Any
    ) -> http.client.HTTPResponse:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        sent = {name: _text(value) for name, value in headers.items() if value is not None}
        if self._key:
            sent["authorization"] = f"Bearer {self._key}"
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        if data is not None:
            sent["content-type"] = "application/json"
        address = f"{self._path}{path}{'?' if given else ''}{urlencode(given)}"
        return call.open(method, address, sent, data)

    def _answer(self, call: _Call, method: str, path: str, **request: Any) -> tuple[int, Message, Any]:
        """Status, headers and content: JSON read, other types as text."""
        with call:
            answer = self._send(call, method, path, **request)
            text = call.read(answer).decode("utf-8", "replace")
        kind = answer.headers.get_content_type()
        if kind != "application/json" and not kind.endswith("+json"):
            return answer.status, answer.headers, text if text else None
        try:
            return answer.status, answer.headers, json.loads(text)
        except ValueError as error:
            message = f"the answer from {self._origin} is not JSON: another service may be listening there"
            raise ServiceUnreachable(message) from error

    def _events(self, call: _Call, method: str, path: str, **request: Any) -> Iterator[ServerEvent]:
        request["headers"] = {**request["headers"], "accept": "text/event-stream"}
        with call:
            yield from call.events(self._send(call, method, path, **request))


class Transport(_Service):
    """Calls that block."""

    def _ask(self, method: str, path: str, **request: Any) -> Any:
        return self._answer(self._call(), method, path, **request)[2]

    def _stream(self, method: str, path: str, **request: Any) -> Iterator[ServerEvent]:
        return self._events(self._call(), method, path, **request)


class AsyncTransport(_Service):
    """Calls for an event loop. Each runs in a thread; when its task is cancelled, its connection is closed."""

    async def _exchange(self, method: str, path: str, **request: Any) -> tuple[int, Message, Any]:
        call = self._call()
        return await _in_thread(lambda: self._answer(call, method, path, **request), call.close)

    async def _ask(self, method: str, path: str, **request: Any) -> Any:
        return (await self._exchange(method, path, **request))[2]

    async def _stream(self, method: str, path: str, **request: Any) -> AsyncIterator[ServerEvent]:
        call = self._call()
        events = self._events(call, method, path, **request)
        try:
            while (event := await _in_thread(lambda: next(events, None), call.close)) is not None:
                yield event
        finally:
            call.close()


def parse_events(lines: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Server-sent events: fields by line, an empty line at the end of each event; an unfinished event is dropped."""
    data: list[str] = []
    event, last_id = "", None
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "":
            if data:
                yield ServerEvent("\n".join(data), event or "message", last_id)
            data, event = [], ""
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            event = value
        elif field == "id":
            last_id = value


class Patience:
    """How long calls are repeated while the service is unreachable or answers 502–504, for example during a restart."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _SECONDS_TO_RETRY

    def pause(self, error: Exception) -> float:
        """The seconds to wait before the next try; raises the error when it is no outage, or lasts too long."""
        unavailable = isinstance(error, ServiceUnreachable) or (
            isinstance(error, ServiceFailure) and error.status in _UNAVAILABLE
        )
        if not unavailable or time.monotonic() >= self._end:
            raise error
        return _PAUSE


async def _in_thread(work: Callable[[], T], stop: Callable[[], None]) -> T:
    """Runs work in a thread of its own: the threads of the loop are few, and a stream may wait for minutes."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result: T | None = None
        failed: BaseException | None = None
        try:
            result = work()
        except BaseException as error:
            failed = error
        try:
            loop.call_soon_threadsafe(settle, result, failed)
        except RuntimeError:
            pass  # The loop was closed while the thread was waiting.

    threading.Thread(target=run, daemon=True, name="rehearsal-client").start()
    try:
        return await done
    except asyncio.CancelledError:
        stop()
        raise


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _failure(status: int, content: bytes) -> ServiceFailure:
    """Problems are kept whole; of OpenAI-style errors under ``/v1`` only the message."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return ServiceFailure(status, None)
    if "code" in body and "detail" in body:
        problem: Problem = body  # type: ignore[assignment]
        return ServiceFailure(status, problem)
    error = body.get("error")
    return ServiceFailure(status, None, str(error["message"]) if isinstance(error, dict) and "message" in error else None)
