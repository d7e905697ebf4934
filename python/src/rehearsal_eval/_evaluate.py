"""``evaluate``: a run of the engine over scenarios, with an agent that is a function of this process."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ._callback import CallbackServer, Scorer, Target
from ._engine import Engine, EngineError
from ._results import Result
from ._scenarios import Scenario, scenario_json

#: A file, folder or pattern, a scenario, or several of these.
Scenarios = str | os.PathLike[str] | Scenario | Mapping[str, Any] | Iterable[Any]

#: Exit codes that come with results: passed, failed, no usable replies, budget spent, undecided.
_WITH_RESULTS = frozenset({0, 1, 3, 4, 6})

_TOKEN = "PYTHON_CALLBACK_TOKEN"
_URL = "PYTHON_CALLBACK_URL"
#: Address and token come from the environment, so that a scorer is the same check in every run and runs can be compared.
_SCORER_CODE = """
const answer = await fetch(process.env.%s + context.config.path, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${process.env.%s}` },
  body: JSON.stringify({ reply: output, context }),
}).catch(({ message, cause }) => {
  throw new Error(`the scorer could not be reached: ${cause?.message || message}`);
});
const text = await answer.text();
if (!answer.ok) throw new Error(text);
return JSON.parse(text);
""" % (_URL, _TOKEN)


def evaluate(
    scenarios: Scenarios,
    target: Target | str | Mapping[str, Any] | None = None,
    *,
    model: str | None = None,
    attempts: int | None = None,
    gates: Sequence[str] = (),
    scorers: Sequence[Scorer | str | Mapping[str, Any]] = (),
    baseline: str | os.PathLike[str] | None = None,
    not_worse_by: float | str | None = None,
    only: Sequence[str] = (),
    concurrency: int | None = None,
    max_cost: float | None = None,
    max_seconds: float | None = None,
    system: str | None = None,
    name: str | None = None,
    use_world: bool = False,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    progress: bool | None = None,
) -> Result:
    """Runs the scenarios against an agent and scores every reply.

    Args:
        scenarios: Files, folders or patterns, ``Scenario`` values, or dicts as a scenario file has them.
        target: The agent: a function ``(messages, *, session) -> str | Reply``, sync or async, which runs in this
            process; an address of a model endpoint (with ``model``); a dict as it stands under ``targets`` in
            ``rehearsal.yaml``; or a name from there. With ``model`` alone, Rehearsal's own agent backend is tested.
        gates: Rules such as ``"outcome>=0.9"`` or ``"pass^3>=0.9"``. Without any, every scenario has to pass.
        scorers: Functions ``(reply, *, context) -> bool | float | (float, reason)``, names of built-in scorers, and
            checks as dicts. A failed ``assert`` scores 0; one that returns ``None``, or raises another
            exception, leaves its score undecided.
        baseline: A run or results file that replies must not be worse than; with ``not_worse_by`` this has to be shown.
        only: Ids of scenarios, ``*`` matching anything, or ``tag:name``.
        use_world: The agent takes its tools from ``session.world``, the MCP address of the scenario's world.
        config: Further keys of ``rehearsal.yaml``, such as ``judge`` or ``limits``, or the path of such a file. Without it,
            ``rehearsal.yaml`` is read only to find a target by its name.
        output: Files to write: ``.json``, ``.jsonl``, ``.csv``, ``.xml`` (JUnit), ``.md`` or ``.html``.
        progress: Whether progress is shown on standard error. Default: when that is a terminal.

    Returns the results, also of a run that failed. Raises ``EngineError`` when there are none.

    >>> from rehearsal_eval import evaluate
    >>> result = evaluate(
    ...     {"id": "hello", "interactions": [{"id": "1", "user_message": "Hi", "checks": [{"type": "contains", "text": "hello"}]}]},
    ...     target=lambda messages: "Hello! How can I help?",
    ... )
    >>> result.passed
    True
    """
    return _run(locals(), Engine(), None)


async def evaluate_async(
    scenarios: Scenarios, target: Target | str | Mapping[str, Any] | None = None, **options: Any
) -> Result:
    """``evaluate`` for callers in an event loop. Coroutines of the target run in the caller's loop."""
    defaults: Mapping[str, Any] = evaluate.__kwdefaults__ or {}
    unknown = set(options) - set(defaults)
    if unknown:
        raise TypeError(f"evaluate_async() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    given = {"scenarios": scenarios, "target": target, **defaults, **options}
    engine = Engine()
    run = asyncio.ensure_future(asyncio.to_thread(_run, given, engine, asyncio.get_running_loop()))
    try:
        return await asyncio.shield(run)
    except asyncio.CancelledError:
        engine.stop()
        await asyncio.gather(run, return_exceptions=True)
        raise


def list_scenarios(files: Sequence[str | os.PathLike[str]]) -> list[dict[str, Any]]:
    """The scenarios in files, folders or patterns, as the engine reads them."""
    _, printed = Engine().run(["export", "--to", "json", *(os.fspath(file) for file in files)])
    # A single scenario is not in a list.
    read = json.loads(printed)
    return list(read) if isinstance(read, list) else list(read.get("test_batch", [read]))


def _run(given: Mapping[str, Any], engine: Engine, loop: asyncio.AbstractEventLoop | None) -> Result:
    target = given["target"]
    if target is None and given["model"] is None and given["config"] is None:
        raise ValueError("there is nothing to test: pass a target, or model= for Rehearsal's own agent backend")
    functions = _functions(given["scorers"])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rehearsal-")))
        server: CallbackServer | None = None
        environment: dict[str, str] = {}
        if callable(target) or functions:
            server = stack.enter_context(CallbackServer(target if callable(target) else None, functions, loop))
            environment = {_TOKEN: server.token}
        if server and functions:
            # The engine hands only these variables to code of users.
            shared = [name for name in os.environ.get("REHEARSAL_CODE_ENV", "").split(",") if name]
            environment |= {_URL: server.url, "REHEARSAL_CODE_ENV": ",".join([*shared, _URL, _TOKEN])}
        try:
            code, printed = engine.run(
                _command(given, folder, server), environment, show=_shows(given["progress"]), accept=_WITH_RESULTS
            )
        except EngineError as error:
            # The folder of this run means nothing to the caller.
            raise EngineError(str(error).replace(f"{folder}{os.sep}", ""), error.exit_code) from None
    (run,) = json.loads(printed)["runs"]
    return Result(raw=run, exit_code=code)


def _functions(scorers: Sequence[Any]) -> dict[str, Scorer]:
    functions: dict[str, Scorer] = {}
    for scorer in scorers:
        if not callable(scorer):
            continue
        name = _name_of(scorer)
        if name in functions:
            raise ValueError(f"two scorers are called {name!r}: give one of the functions another name")
        functions[name] = scorer
    return functions


def _command(given: Mapping[str, Any], folder: Path, server: CallbackServer | None) -> list[str]:
    parameters = ["eval", "--json", *_scenario_files(given["scenarios"], folder)]
    flags = {
        "--model": given["model"],
        "--attempts": given["attempts"],
        "--baseline": given["baseline"],
        "--not-worse-by": given["not_worse_by"],
        "--concurrency": given["concurrency"],
        "--max-cost": given["max_cost"],
        "--max-seconds": given["max_seconds"],
        "--system": given["system"],
        "--name": given["name"],
        "--data-dir": given["data_dir"],
    }
    for flag, value in flags.items():
        if value is not None:
            parameters.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    output = given["output"]
    parameters += [f"--output={os.fspath(file)}" for file in _listed(output)]
    parameters += [f"--gate={gate}" for gate in _listed(given["gates"])]
    parameters += [f"--filter={pattern}" for pattern in _listed(given["only"])]
    return parameters + _selection(given, folder, server)


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def _selection(given: Mapping[str, Any], folder: Path, server: CallbackServer | None) -> list[str]:
    """The options that name the configuration and the target."""
    target, config, scorers = given["target"], given["config"], given["scorers"]
    parameters = []
    if isinstance(target, str):
        parameters.append(f"--{'endpoint' if '://' in target else 'target'}={target}")
    if isinstance(config, (str, os.PathLike)):
        if callable(target) or isinstance(target, Mapping) or scorers:
            raise ValueError("config is a file: with a target or scorers that are no names, pass its keys as a dict")
        return [*parameters, f"--config={os.fspath(config)}"]
    if config is None and not scorers and isinstance(target, str) and "://" not in target:
        return parameters
    document = _located(config or {})
    if not isinstance(document.get("model", ""), str):
        raise ValueError("evaluate tests one model: call it once for each")
    if scorers:
        document["scorers"] = [_scorer_setting(scorer) for scorer in scorers]
    if callable(target):
        assert server is not None
        document = {**document, "targets": {_name_of(target): _callback(server, given["use_world"])}, "target": _name_of(target)}
    elif isinstance(target, Mapping):
        document = {**document, "targets": {"agent": dict(target)}, "target": "agent"}
    file = folder / "rehearsal.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return [*parameters, f"--config={file}"]


def _callback(server: CallbackServer, use_world: bool) -> dict[str, Any]:
    """A function of this process as a target of the engine."""
    return {
        "url": f"{server.url}/target",
        "headers": {"authorization": {"env": _TOKEN, "prefix": "Bearer "}},
        "body": {"messages": "{{messages}}", "session_id": "{{session_id}}", "system": "{{system}}"},
        "reply": "/text",
        "tool_calls": "/tool_calls",
        "usage": "/usage",
        "labels": "/labels",
        "context": {"at": "/context"},
        # A function may keep its state by session, and may act: an answer that was lost is not asked for again.
        "idempotent": False,
        **({"world": {"header": "x-rehearsal-world"}} if use_world else {}),
    }


def _located(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with absolute paths: it is written to a folder of its own, but its paths start here."""
    located = dict(config)

    def absolute(entry: Any, *names: str) -> Any:
        if not isinstance(entry, Mapping):
            return entry
        return {key: os.path.abspath(value) if key in names else value for key, value in entry.items()}

    if "scorers" in located:
        located["scorers"] = [absolute(scorer, "file") for scorer in located["scorers"]]
    if "world" in located:
        located["world"] = absolute(located["world"], "module", "state_file")
    if "targets" in located:
        located["targets"] = {
            name: absolute({"folder": ".", **entry} if "command" in entry else entry, "module", "folder")
            for name, entry in located["targets"].items()
        }
    return located


def _scorer_setting(scorer: Any) -> Any:
    if isinstance(scorer, Mapping):
        return _located({"scorers": [scorer]})["scorers"][0]
    if not callable(scorer):
        return scorer
    name = _name_of(scorer)
    try:
        # Results of two versions of a function are not compared as if they were of one.
        source = hashlib.sha256(inspect.getsource(scorer).encode()).hexdigest()[:16]
    except (OSError, TypeError):
        source = "unknown"
    config = {"path": f"/scorer/{quote(name)}", "source": source}
    return {"type": "javascript", "name": name, "code": _SCORER_CODE, "config": config}


def _name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of the class of an object that can be called, in the letters that the engine allows."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name.strip("<>"))[:64]


def _scenario_files(scenarios: Scenarios, folder: Path) -> list[str]:
    """Files as they are; values are written to a file of the run."""
    files: list[str] = []
    values: list[dict[str, Any]] = []
    for entry in [scenarios] if isinstance(scenarios, (str, os.PathLike, Scenario, Mapping)) else scenarios:
        if isinstance(entry, (str, os.PathLike)):
            files.append(os.fspath(entry))
        elif isinstance(entry, (Scenario, Mapping)):
            values.append(scenario_json(entry))
        else:
            raise TypeError(f"a scenario is a file, a dict or a Scenario, not {type(entry).__name__}")
    if values:
        file = folder / "scenarios.json"
        file.write_text(json.dumps(values), encoding="utf-8")
        files.append(str(file))
    if not files:
        raise ValueError("there are no scenarios: pass files, dicts or Scenario values")
    return files


def _shows(progress: bool | None) -> bool:
    return sys.stderr.isatty() if progress is None else progress
