"""Tools from npm that check hitbox's files, each in a folder of its own. Tests are skipped without node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def folder_with(package: str, folder: Path) -> Path:
    """Return `folder` after installing the package in it."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip(f"{package} needs node and npm")
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", package]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip(f"npm cannot install {package} here")
    return folder
