"""What hosts write is in memory, bounded, seen by others, and leaves no mount behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sas_grid_localcloud import memory

PROGRAM = """
import ctypes, os, shutil, subprocess, sys
from pathlib import Path
from sas_grid_localcloud import memory
state, user = Path(sys.argv[1]), int(sys.argv[2])
if user != os.getuid():
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as one who logged in: others of this account may look
memory.make(state)
log = state / 'hosts/i-1/var/log/user-data.log'
log.parent.mkdir(parents=True)
log.write_text('installed')
(state / 'history.jsonl').open('a').write('{}')
(state / 'volumes/vol-1').mkdir()
(state / 'volumes/vol-1/disk').write_text('data')
(state / 'hosts/i-1/nvme1n1').hardlink_to(state / 'volumes/vol-1/disk')
full = subprocess.run(['head', '-c', '32M', '/dev/zero'], stdout=(state / 'hosts/i-1/big').open('wb'), stderr=-1)
print('ready', b'No space left' in full.stderr, state.is_mount(), flush=True)
sys.stdin.read()
memory.keep(state)
"""


def _users() -> list[int]:
    return [os.getuid()] + [65534] * (os.getuid() == 0)


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='only Linux has mount namespaces')
@pytest.mark.parametrize('user', _users())
def test_hosts_have_a_file_system_of_their_own(tmp_path: Path, user: int) -> None:
    state = tmp_path / 'state'
    state.mkdir()
    for folder in (state, *state.parents[:3]):
        if os.getuid() == 0:
            folder.chmod(0o755)
    os.chown(state, user, -1)
    environment = {**os.environ, memory.SIZE: '16', 'PYTHONPATH': str(Path(memory.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, '-c', PROGRAM, str(state), str(user)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stdout.readline()
        if not said.endswith('True\n'):
            process.stdin.close()
            pytest.skip(process.stderr.read())
        assert said == 'ready True True\n'
        assert (state / 'history.jsonl').read_text() == '{}'
        assert (state / 'hosts/i-1/nvme1n1').read_text() == 'data'
        assert not os.path.ismount(state)
        process.stdin.close()
        assert (process.wait(), process.stderr.read()) == (0, '')
    left = sorted(str(path.relative_to(state)) for path in (state / 'hosts').rglob('*') if path.is_file())
    assert left == ['hosts/i-1/var/log/user-data.log']


def test_a_size_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.SIZE, 'much')
    with pytest.raises(ValueError, match="SAS_GRID_LOCALCLOUD_HOSTS_MIB is 'much'; allowed: MiB from 16 to 1048576"):
        memory.size_mib()
