"""Runs the scenarios of this folder once and makes a test of each. No plug-in is needed: pip install pytest && pytest"""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

COMMAND = shlex.split(os.environ.get("REHEARSAL", "npx --no -- rehearsal"))
MODEL = os.environ.get("MODEL", "demo/retrieval")


def evaluate():
    options = ["eval", "scenarios.yaml", "--model", MODEL, "--attempts", "2", "--reporter", "json"]
    done = subprocess.run([*COMMAND, *options], cwd=Path(__file__).parent, capture_output=True, text=True)
    if not done.stdout:
        pytest.exit(done.stderr, returncode=done.returncode)
    return json.loads(done.stdout)["runs"][0]


RUN = evaluate()


@pytest.mark.parametrize("scenario", RUN["results"]["scenarios"], ids=lambda scenario: scenario["scenario_id"])
def test_scenario(scenario):
    turns = [turn for attempt in scenario["attempts"] for turn in attempt["interactions"]]
    for turn in turns:
        assert turn["error"] is None, turn["error"]
        assert turn["scores"]["overall"] >= 0.5, turn["score_reasons"]
