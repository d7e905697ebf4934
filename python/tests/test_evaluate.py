"""Each run starts the engine, so that a test looks at several things of one run."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from rehearsal_eval import EngineError, Reply, Scenario, Session, ToolCall, Turn, _callback, evaluate, evaluate_async
from rehearsal_eval._callback import CallbackServer

Messages = list[dict[str, Any]]
REFUND = [ToolCall(name="refund", arguments={"order": 12})]
SAYS_HELLO = [{"type": "contains", "text": "hello"}]


def scenario(name: str, **turn: Any) -> Scenario:
    return Scenario(id=name, turns=[Turn(user_message=name, **turn)])


def test_green_red_and_undecided(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: "the-token-of-this-run")

    def agent(messages: Messages) -> Any:
        call = functools.partial(ToolCall, name="refund")
        answers = {
            "says it": "hello ünïcode 👋",
            "says another": "goodbye",
            "calls unknown": "hello",
            "called nothing": Reply(text="hello", tool_calls=[]),
            "called it": Reply(text="hello", tool_calls=[call(arguments={"order": 12}, result={"ok": True})]),
            "called it wrong": {"text": "hello", "tool_calls": [{"name": "refund", "arguments": {"order": "13"}}]},
            "states nothing": "hello",
            "wrong type": 3,
            "no text": Reply(text=None),  # type: ignore[arg-type]
        }
        return answers[messages[-1]["content"]]

    checked = ["says it", "says another"]
    calling = ["calls unknown", "called nothing", "called it", "called it wrong"]
    result = evaluate(
        [
            *(scenario(name, checks=SAYS_HELLO) for name in checked),
            *(scenario(name, reference_tool_calls=REFUND) for name in calling),
            *(scenario(name) for name in ("states nothing", "wrong type", "no text", "raises")),
        ],
        target=agent,
        attempts=2,
    )
    assert {each.id: (each.verdict, each.undecided) for each in result.scenarios} == {
        "says it": ("passed", False),
        "says another": ("failed", False),
        "calls unknown": ("unscored", True),
        "called nothing": ("failed", False),
        "called it": ("passed", False),
        "called it wrong": ("failed", False),
        "states nothing": ("unscored", True),
        "wrong type": ("error", False),
        "no text": ("error", False),
        "raises": ("error", False),
    }
    assert (result.passed, result.undecided, result.exit_code) == (False, False, 1)
    assert result.scenario("says it").attempts[0].turns[0].reply == "hello ünïcode 👋"
    report = result.report()
    assert "expected: refund(order=12)\n    called:   refund(order='13')" in report
    assert 'tool_match: refund: order is "13", expected 12' in report
    assert "not called: refund" in report
    assert "? tool_match: undecided: the endpoint does not show which tools it calls" in report
    assert "the target returned int: return a text, or rehearsal_eval.Reply" in report
    assert "the text of the reply is NoneType, not a text" in report
    # The exception, with the line that raised it and none of our own frames.
    assert "KeyError: 'raises'" in report and "return answers[messages[-1]" in report
    assert "_callback.py" not in report
    # What two attempts have in common is said once.
    assert report.count("KeyError") == 1 and "attempt 1, turn 1; attempt 2, turn 1" in report
    with pytest.raises(AssertionError, match="not called: refund"):
        result.check()
    with pytest.raises(KeyError):
        result.scenario("another")
    written = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert written and not any(b"the-token-of-this-run" in text for text in written)


def test_undecided_alone_is_neither_green_nor_red() -> None:
    result = evaluate([scenario("hi", reference_tool_calls=REFUND), scenario("ho")], target=lambda messages: "hello")
    assert (result.passed, result.undecided, result.exit_code) == (False, True, 6)
    assert [gate.undecided for gate in result.gates] == [True]


def test_an_agent_keeps_its_state_by_session_side_by_side() -> None:
    together = threading.Barrier(4, timeout=60)
    threads: set[int] = set()

    class Agent:
        def __call__(self, messages: Messages, *, session: Session) -> str:
            threads.add(threading.get_ident())
            session.state.setdefault("said", []).append(messages[-1]["content"])
            together.wait()
            assert session.system == "Be brief."
            return " and ".join(session.state["said"])

    turns = [Turn(user_message=text) for text in ("one", "two")]
    turns.append(Turn(user_message="three", checks=[{"type": "equals", "text": "one and two and three"}]))
    result = evaluate(Scenario(id="state", turns=turns), Agent(), attempts=4, concurrency=4, system="Be brief.")
    assert result.check().scenario("state").raw["attempts"][0]["interactions"][0]["model"] == "Agent"


async def _polite(messages: Messages, *, session: Session, word: str = "hello") -> str:
    await asyncio.sleep(0)
    return word


class _Bot:
    async def answer(self, messages: Messages, **_: Any) -> str:
        await asyncio.sleep(0)
        return "hello"


def test_coroutines_in_and_outside_of_an_event_loop() -> None:
    hello = scenario("hi", checks=SAYS_HELLO)
    assert evaluate(hello, functools.partial(_polite, word="hello you")).passed

    async def in_a_notebook() -> None:
        loops: list[asyncio.AbstractEventLoop] = []

        async def agent(messages: Messages) -> str:
            loops.append(asyncio.get_running_loop())
            return "hello"

        assert (await evaluate_async(hello, agent)).passed
        assert loops == [asyncio.get_running_loop()]
        # A cell that does not await blocks the loop, so that coroutines have one of their own.
        assert evaluate(hello, _Bot().answer).passed
        with pytest.raises(TypeError, match="unexpected keyword argument 'atempts'"):
            await evaluate_async(hello, agent, atempts=3)

    asyncio.run(in_a_notebook())


def test_a_cancelled_evaluation_ends_its_engine() -> None:
    called = asyncio.Event()

    async def agent(messages: Messages) -> str:
        called.set()
        await asyncio.sleep(600)
        return "never"

    async def main() -> None:
        run = asyncio.ensure_future(evaluate_async(scenario("hi"), agent))
        await called.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_control_c_stops_the_engine_and_leaves_nothing_behind(folder: Path) -> None:
    program = folder / "program.py"
    program.write_text(
        "import pathlib, time\n"
        "from rehearsal_eval import evaluate\n"
        "def agent(messages):\n"
        "    pathlib.Path('called').touch()\n"
        "    time.sleep(600)\n"
        "evaluate({'id': 'a', 'interactions': [{'id': '1', 'user_message': 'Hi'}]}, agent)\n"
    )
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(program)], env={**os.environ, "TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True
    )
    while not (folder / "called").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert [file.name for file in temporary.iterdir() if file.name.startswith("rehearsal-")] == []


def test_scorers_are_functions() -> None:
    def flag(reply: str) -> bool:
        return "hello" in reply

    def share(reply: str, *, context: dict[str, Any]) -> float:
        return 0.25 if context["user_message"] == "hi" else 1

    def explained(reply: str) -> tuple[float, str]:
        return 0.5, "half of it ✓"

    def record(reply: str) -> dict[str, Any]:
        return {"pass": False, "reason": "never good"}

    def asserts(reply: str) -> bool:
        assert reply == "goodbye", "it is not goodbye"
        return True

    def silent(reply: str) -> None:
        return None

    def misspelt(reply: str, *, context: dict[str, Any]) -> float:
        return context["user_mesage"] == "hi"

    async def later(reply: str) -> bool:
        return True

    result = evaluate(
        scenario("hi", checks=SAYS_HELLO),
        lambda messages: "hello",
        scorers=[flag, share, explained, record, asserts, silent, misspelt, later, "token_f1", {"type": "contains", "text": "o"}],
        config={"limits": {"code_timeout_ms": 60_000}},
    )
    turn = result.scenarios[0].attempts[0].turns[0]
    measured = {"flag": 1, "share": 0.25, "explained": 0.5, "record": 0, "asserts": 0, "later": 1}
    assert {name: turn.scores.get(name) for name in measured} == measured
    assert "silent" not in turn.scores
    assert "misspelt" not in turn.scores and "KeyError: 'user_mesage'" in turn.reasons["misspelt"]
    assert turn.reasons["explained"] == "half of it ✓"
    assert "it is not goodbye" in turn.reasons["asserts"]

    def made() -> Any:
        def flag(reply: str) -> bool:
            return True

        return flag

    with pytest.raises(ValueError, match="two scorers are called 'flag'"):
        evaluate(scenario("hi"), lambda messages: "hello", scorers=[flag, made()])


def test_a_scorer_whose_connection_breaks_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def good(reply: str) -> bool:
        return True

    original = _callback._handler

    def breaking(server: CallbackServer) -> type[BaseHTTPRequestHandler]:
        handler: Any = original(server)
        answer = handler._answer

        def broken(self: BaseHTTPRequestHandler, *response: Any) -> None:
            if not self.path.startswith("/scorer/"):
                return answer(self, *response)
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        handler._answer = broken
        return handler

    monkeypatch.setattr(_callback, "_handler", breaking)
    result = evaluate(scenario("hi", checks=SAYS_HELLO), lambda messages: "hello", scorers=[good], gates=["good>=0.5"])
    turn = result.scenarios[0].attempts[0].turns[0]
    assert "good" not in turn.scores and "could not be reached" in turn.reasons["good"]
    assert result.undecided and not result.passed


def test_large_replies_and_results_in_files(folder: Path) -> None:
    hello = scenario("hi", checks=SAYS_HELLO)
    reply = "hello " + "é" * 500_000
    first = evaluate(hello, lambda messages: reply, output=[folder / "results.json", "results.xml"])
    assert first.passed and first.scenarios[0].attempts[0].turns[0].reply == reply
    assert json.loads((folder / "results.json").read_text("utf-8"))["run_id"] == first.run_id
    assert "<testsuites" in (folder / "results.xml").read_text("utf-8")
    worse = evaluate(hello, lambda messages: "bye", baseline=folder / "results.json", not_worse_by=0.5)
    assert not worse.passed
    assert list(Path(tempfile.gettempdir()).glob("rehearsal-*")) == []


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(ValueError, match="there are no scenarios"):
        evaluate([], lambda messages: "hello")
    with pytest.raises(TypeError, match="a scenario is a file, a dict or a Scenario, not int"):
        evaluate([3], lambda messages: "hello")
    with pytest.raises(ValueError, match="there is nothing to test"):
        evaluate(scenario("hi"))
    with pytest.raises(ValueError, match="config is a file"):
        evaluate(scenario("hi"), lambda messages: "hello", config="rehearsal.yaml")
    with pytest.raises(EngineError, match="interactions") as refused:
        evaluate({"id": "a", "interactions": [{"id": "1"}]}, lambda messages: "hello")
    assert refused.value.exit_code == 2 and tempfile.gettempdir() not in str(refused.value)
