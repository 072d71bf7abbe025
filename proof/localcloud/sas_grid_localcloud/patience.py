"""Waiting as long as something moves.

A fixed second would say how fast the machine has to be: beside other work it is missed, although all is well. What
moves nothing any more for a while has failed.
"""

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

QUIET_SECONDS = 120.0
"""For so long nothing may move."""
LONGEST_SECONDS = 3600.0
"""The end of every wait: what goes round in circles moves as well."""
_LONGEST_LOOK_SECONDS = 2.0
"""A look counts for no more than this: whoever waits gets no processor, and neither does what is waited for."""
_LOOKS = re.compile(rb'"action": "(Describe|Get|List|Query|Scan|BatchGet|Lookup|Search|Head|Filter)')
"""Who looks moves nothing."""

Signs = Callable[[], object]
"""What is another value when something has moved."""


class Patience:
    """One wait, which is asked at each look whether it is over."""

    def __init__(self, signs: Signs, quiet: float = QUIET_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._signs, self._limit, self._clock = signs, quiet, clock
        self._started = self._looked = clock()
        self._last = signs()
        self._quiet = 0.0

    def lost(self) -> str:
        """Why there is nothing to wait for any more; '' while there is."""
        now, signs = self._clock(), self._signs()
        self._quiet = self._quiet + min(now - self._looked, _LONGEST_LOOK_SECONDS) if signs == self._last else 0.0
        self._looked, self._last = now, signs
        if self._quiet > self._limit:
            return f'nothing moved for {self._limit:.0f} s'
        return f'it went on for {LONGEST_SECONDS:.0f} s' if now - self._started > LONGEST_SECONDS else ''


class Moves:
    """What happens in an embedded AWS: transitions, and API calls that change something."""

    def __init__(self, state: Path, own: bytes = b'-') -> None:
        """:param own: calls by this agent are those of who waits, and do not count"""
        self._files = [_Lines(state / 'history.jsonl'), _Lines(state / 'api-calls.jsonl')]
        self._own = b'"userAgent": "' + own
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            return sum(each.count(self._own) for each in self._files)


class _Lines:
    """Counts the lines of a file that grows, and reads none of them twice."""

    def __init__(self, file: Path) -> None:
        self._file, self._position, self._found, self._rest = file, 0, 0, b''

    def count(self, own: bytes) -> int:
        try:
            if self._file.stat().st_size == self._position:
                return self._found
            with self._file.open('rb') as lines:
                lines.seek(self._position)
                new = lines.read()
        except FileNotFoundError:
            return self._found
        self._position += len(new)
        *whole, self._rest = (self._rest + new).split(b'\n')
        self._found += sum(not _LOOKS.search(line) and own not in line for line in whole)
        return self._found
