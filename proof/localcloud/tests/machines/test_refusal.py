"""Where there can be no virtual machines, the embedded AWS says so and does not start."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[4]


def start(tmp_path: Path, machines: str) -> subprocess.CompletedProcess[str]:
    """As on a machine that has Node.js and no QEMU."""
    tools = tmp_path / 'tools'
    tools.mkdir()
    (tools / 'node').symlink_to(str(shutil.which('node')))
    paths = os.pathsep.join(str(PROJECT / 'proof' / part) for part in ('localcloud', 'lab'))
    environment = {**os.environ, 'PATH': str(tools), 'PYTHONPATH': paths, 'SAS_GRID_LOCALCLOUD_MACHINES': machines}
    command = [sys.executable, '-m', 'sas_grid_localcloud', 'start', '--state', str(tmp_path / 'state')]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_without_qemu(tmp_path: Path) -> None:
    ended = start(tmp_path, 'vm')
    assert ended.returncode == 69
    assert 'virtual machines need Linux, root and QEMU; install it: bash proof/lab/setup.sh' in ended.stderr


def test_another_kind_of_host(tmp_path: Path) -> None:
    ended = start(tmp_path, 'docker')
    assert ended.returncode == 1
    assert "SAS_GRID_LOCALCLOUD_MACHINES is 'docker'; allowed: sandbox or vm" in ended.stderr
