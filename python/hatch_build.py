"""Puts the engine, as the npm package has it, into the wheel, and takes the version from package.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_ROOT = Path(__file__).resolve().parent.parent
_MANIFEST = json.loads((_ROOT / "package.json").read_text(encoding="utf-8"))
# Only TypeScript programs read the types of the npm package.
_LEFT_OUT = ("dist/types/",)


def python_version(version: str) -> str:
    """0.3.0 → 0.3.0, 0.3.0-dev → 0.3.0.dev0, 0.3.0-rc.1 → 0.3.0rc1"""
    number, _, stage = version.partition("+")[0].partition("-")
    if not stage:
        return number
    name, _, count = stage.partition(".")
    return f"{number}.dev{count or 0}" if name == "dev" else f"{number}{name}{count or 0}"


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["version"] = python_version(_MANIFEST["version"])


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        if not (_ROOT / "dist/cli/main.js").exists() or not (_ROOT / "web/dist/index.html").exists():
            raise RuntimeError("the engine is not built: npm run build:wheel builds it first")
        listed = [entry for entry in _MANIFEST["files"] if not entry.startswith("!")]
        files = [file for entry in [*listed, "LICENSE"] for file in _files_below(_ROOT / entry)]
        for file in files:
            path = file.relative_to(_ROOT).as_posix()
            if path.startswith(_LEFT_OUT) or re.search(r"/\.[^/]+$", path):
                continue
            build_data["force_include"][str(file)] = f"rehearsal_eval/_engine/{path}"
        manifest = self._manifest()
        build_data["force_include"][str(manifest)] = "rehearsal_eval/_engine/package.json"

    def _manifest(self) -> Path:
        """What the engine reads of its package.json."""
        kept = {key: _MANIFEST[key] for key in ("name", "version", "license", "type", "exports", "engines")}
        file = Path(self.directory) / "package.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=2), encoding="utf-8")
        return file


def _files_below(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
