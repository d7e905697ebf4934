"""The clients against running services of the engine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rehearsal_eval._engine import engine_environment, engine_main, node
from rehearsal_eval.client import (
    AgentClient,
    AsyncAgentClient,
    AsyncEvaluationClient,
    EvaluationClient,
    ServiceFailure,
    ServiceUnreachable,
)
from rehearsal_eval.client._transport import parse_events
from rehearsal_eval.client.evaluation_types import EvaluationRequest


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("services")
    command = [node(), engine_main(), "serve", "--port=0", "--eval-port=0", "--no-open", "--json", f"--data-dir={folder}"]
    environment = {**engine_environment(), "LOG_LEVEL": "silent"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def request(agent: str) -> EvaluationRequest:
    return {
        "test_batch": {
            "id": "greeting",
            "interactions": [
                {"id": "1", "user_message": "What is 2 * 3?", "checks": [{"type": "contains", "text": "6"}]},
            ],
        },
        "endpoint": agent,
        "protocol": "agent",
        "model_id": "demo/scripted",
        "attempts": 2,
    }


def test_a_run_from_start_to_end(services: dict[str, str]) -> None:
    client = EvaluationClient(services["evaluation"])
    result = client.evaluate(request(services["agent"]), idempotency_key="once")
    assert result["state"] == "completed"
    assert result["summary"]["average_scores"]["overall"] == 1
    # The same key is the same run.
    again = client.start(request(services["agent"]), idempotency_key="once")
    assert again["run_id"] == result["run_id"]
    assert again["run_id"] in [run["run_id"] for run in client.list_runs(limit=200)["runs"]]
    seen = list(client.events(result["run_id"]))
    stored = [event.id for event in seen if event.type == "interaction"]
    assert len(stored) >= 2 and seen[-1].type == "end"
    # After the first event come the others, each once.
    later = [event.id for event in client.events(result["run_id"], after=stored[0]) if event.type == "interaction"]
    assert later == stored[1:]
    csv = client.export_run(result["run_id"], format="csv")
    assert isinstance(csv, str) and csv.startswith("scenario_id,")
    client.delete_run(result["run_id"])
    with pytest.raises(ServiceFailure) as gone:
        client.get_run(result["run_id"])
    assert gone.value.status == 404
    assert gone.value.problem is not None and gone.value.problem["code"] == "run_not_found"


def test_the_same_from_an_event_loop(services: dict[str, str]) -> None:
    async def main() -> None:
        client = AsyncEvaluationClient(services["evaluation"])
        # More at once than the threads that a loop has of its own.
        results = await asyncio.gather(*(client.evaluate(request(services["agent"])) for _ in range(8)))
        assert {result["state"] for result in results} == {"completed"}
        kinds = [event.type async for event in client.events(results[0]["run_id"])]
        assert kinds[-1] == "end" and "interaction" in kinds

    asyncio.run(main())


def test_turns_of_the_agent(services: dict[str, str]) -> None:
    client = AgentClient(services["agent"])
    reply = client.run_agent_turn({"messages": [{"type": "human", "content": "What is 2 * 3?"}]}, model_id="demo/scripted")
    assert "6" in reply["content"]
    body: Any = {"messages": [{"type": "human", "content": "What is 2 * 3?"}]}
    events = list(client.run_agent_turn_events(body, model_id="demo/scripted"))
    assert events[0].event == "run-start" and events[-1].event == "run-end"
    started = client.start_agent_turn(body, model_id="demo/scripted", idempotency_key="k")
    assert started["id"] == client.start_agent_turn(body, model_id="demo/scripted", idempotency_key="k")["id"]
    # The name of a model has a slash, which is no part of another path.
    assert client.get_model("demo/scripted")["id"] == "demo/scripted"

    async def main() -> list[str]:
        stream = AsyncAgentClient(services["agent"]).run_agent_turn_events(body, model_id="demo/scripted")
        return [event.event async for event in stream]

    assert asyncio.run(main())[-1] == "run-end"


def test_a_service_that_is_not_there() -> None:
    with pytest.raises(ServiceUnreachable, match="nothing answers at http://127.0.0.1:9"):
        EvaluationClient("http://127.0.0.1:9").list_runs()
    with pytest.raises(ValueError, match="use an absolute http or https URL"):
        EvaluationClient("localhost:8001")
    with pytest.raises(ValueError) as refused:
        EvaluationClient("http://me:secret@127.0.0.1")
    assert "secret" not in str(refused.value)


class _Stub(BaseHTTPRequestHandler):
    """Events that break off twice; then the rest."""

    asked: list[str | None] = []

    def do_GET(self) -> None:
        self.asked.append(self.headers.get("last-event-id"))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        turn = b'event: interaction\nid: %d\ndata: {}\n\n' % len(self.asked)
        self.wfile.write(turn if len(self.asked) < 3 else b'event: end\ndata: {"state": "completed"}\n\n')

    def log_message(self, *_: object) -> None:
        pass


def test_events_continue_after_a_broken_connection() -> None:
    _Stub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        events = list(EvaluationClient(f"http://127.0.0.1:{server.server_address[1]}").events("run"))
    finally:
        server.shutdown()
        server.server_close()
    assert [event.type for event in events] == ["interaction", "interaction", "end"]
    assert _Stub.asked == [None, "1", "2"]


class _Silent(BaseHTTPRequestHandler):
    """Opens a stream and says nothing."""

    closed = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.rfile.read(1)
        self.closed.set()

    def log_message(self, *_: object) -> None:
        pass


def test_a_cancelled_task_closes_its_connection() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def main() -> None:
        client = AsyncEvaluationClient(f"http://127.0.0.1:{server.server_address[1]}")

        async def follow() -> None:
            async for _ in client.events("run"):
                pass

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(follow(), 0.5)
        assert await asyncio.to_thread(_Silent.closed.wait, 30)

    try:
        asyncio.run(main())
    finally:
        server.shutdown()
        server.server_close()


def test_server_sent_events_of_any_form() -> None:
    lines = [b": hello\n", b"id: 7\n", b"event: x\n", b"data: a\r\n", b"data:b\n", b"\n", b"data: c\n", b"\n", b"data: lost\n"]
    read = [(event.event, event.id, event.data) for event in parse_events(lines)]
    assert read == [("x", "7", "a\nb"), ("message", "7", "c")]


def test_the_types_are_those_of_the_services(folder: Path) -> None:
    """mypy refuses a request with a wrong key, and accepts a right one."""
    api = pytest.importorskip("mypy.api")
    program = folder / "program.py"
    program.write_text(
        """
from rehearsal_eval.client import EvaluationClient

client = EvaluationClient("http://127.0.0.1:8001")
run = client.start({"test_batch": {"id": "a", "interactions": []}, "endpoint": "http://x", "model_id": "m", "attempts": 2})
print(run["state"])
print(run["stat"])
client.start({"test_batch": [], "endpoint": "http://x", "model": "m"})
"""
    )
    said, _, _ = api.run(["--strict", "--python-version", "3.10", "--cache-dir", str(folder / "cache"), str(program)])
    errors = [line.split(" error: ")[0] for line in said.splitlines() if " error: " in line]
    assert {error.rsplit(":", 2)[1] for error in errors} == {"7", "8"}, said
