"""Commands of this host, bounded in time, with errors that carry their output."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class HostCommandFailed(Exception):
    """A command of this host failed or took too long."""


def host(
    command: Sequence[str | Path],
    timeout: float = 30,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a command and return what it printed to standard output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, errors='replace', timeout=timeout, env=environment
        )
    except subprocess.TimeoutExpired as late:
        raise HostCommandFailed(f'{words[0]} took longer than {timeout:g} s: {" ".join(words)[:300]}') from late
    except FileNotFoundError as missing:
        raise HostCommandFailed(
            f'{words[0]} is not installed; bash proof/lab/setup.sh installs what the lab needs'
        ) from missing
    if done.returncode != 0:
        output = (done.stderr + done.stdout).strip()[-2000:]
        raise HostCommandFailed(f'{" ".join(words)[:300]} ended with {done.returncode}: {output}')
    return done.stdout
