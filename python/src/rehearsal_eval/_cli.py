"""``rehearsal``: the same command line as that of the npm package."""

from __future__ import annotations

import os
import subprocess
import sys

from ._engine import EngineError, engine_environment, engine_main, node


def main() -> None:
    try:
        command = [node(), engine_main(), *sys.argv[1:]]
    except EngineError as error:
        print(f"rehearsal: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    if os.name == "nt":
        # Windows has no exec that keeps the console's process: the signals of a console reach both.
        try:
            sys.exit(subprocess.call(command, env=engine_environment()))
        except KeyboardInterrupt:
            sys.exit(130)
    os.execve(command[0], command, engine_environment())
