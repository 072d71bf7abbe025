"""Scenarios with few machines run at the same time, each in a process of its own: of each mostly one machine works."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TextIO

from .report import Result

ROOM = 4
"""machines at the same time, on two cores"""

Run = Callable[[str], Result]

INTERRUPTIONS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class Prefixed:
    """A stream that writes whole lines, each after the name of its scenario."""

    def __init__(self, name: str, out: TextIO) -> None:
        self._before = f'{name}: '
        self._out = out
        self._line = ''

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split('\n')
        for line in lines:
            self._out.write(f'{self._before}{line}\n' if line else '\n')
        return len(text)

    def flush(self) -> None:
        self._out.flush()


@dataclass
class Running:
    """A scenario at work."""

    name: str
    machines: int
    process: multiprocessing.process.BaseProcess
    answer: Connection


def run_all(names: list[str], machines: Callable[[str], int], run: Run, room: int = ROOM) -> list[Result]:
    """Run scenarios in their order, as many at a time as there is room for; a larger one runs alone.

    Who is interrupted ends them all, and waits until they have cleaned up.
    """
    context = multiprocessing.get_context('fork')
    waiting, running, results = list(names), list[Running](), dict[str, Result]()
    try:
        while waiting or running:
            for name in list(waiting):
                needed = min(machines(name), room)
                if sum(one.machines for one in running) + needed > room:
                    continue
                answer, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(name, run, theirs))
                with _not_interrupted():
                    process.start()
                    running.append(Running(name, needed, process, answer))
                theirs.close()
                waiting.remove(name)
            ready = wait([one.answer for one in running])
            for one in [each for each in running if each.answer in ready]:
                results[one.name] = _result(one)
                running.remove(one)
    finally:
        for one in running:
            one.process.terminate()
        for one in running:
            one.process.join()
    return [results[name] for name in names]


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """A scenario that has begun and that nobody knows of would not be ended."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _child(name: str, run: Run, answer: Connection) -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
    sys.stdout, sys.stderr = Prefixed(name, sys.stdout), Prefixed(name, sys.stderr)
    answer.send(run(name))
    sys.stdout.flush()
    # Nothing of the parent is to be cleaned up here.
    os._exit(0)


def _result(one: Running) -> Result:
    try:
        result: Result = one.answer.recv()
    except EOFError:
        one.process.join()
        return Result(one.name, one.name, 'failed', f'its process ended with {one.process.exitcode}')
    one.process.join()
    return result
