"""``python -m sas_grid_lab.reaper RECORD``: removes what a run has made, as soon as the run has ended without doing so.

It waits for the end of its standard input, which the run holds, whatever ends that.
"""

import os
import subprocess
import sys
from pathlib import Path

from .leftovers import Record
from .settings import LAB


def start(record: Path) -> 'subprocess.Popen[bytes]':
    """Start one for the record of this process. It ends with this process, or soon after its standard input."""
    command = [sys.executable, '-m', __name__, str(record)]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(LAB), os.environ.get('PYTHONPATH', '')])}
    # In a session of its own, so that what interrupts the run does not reach it.
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, env=environment)


def main(file: Path) -> None:
    sys.stdin.buffer.read()
    # A run that ended in order has removed it.
    if file.exists():
        Record.load(file).clean()


if __name__ == '__main__':
    main(Path(sys.argv[1]))
