"""Scenarios run at the same time as far as memory goes, each in a process of its own: no machine always works."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TextIO

from .report import Result
from .settings import MEMORY_LIMIT_MIB

NICENESS = 3
"""of the scenarios beside the largest one: a cluster takes a member that is late for one that is lost"""

Run = Callable[[str], Result]


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
    memory_mib: int
    process: multiprocessing.process.BaseProcess
    answer: Connection


def run_all(
    names: list[str], memory_mib: Callable[[str], int], run: Run, room_mib: int = MEMORY_LIMIT_MIB
) -> list[Result]:
    """Run scenarios, the largest first, as many at a time as there is room for; a larger one runs alone.

    The one that was started when no other ran goes before the others. Who is interrupted ends them all, and waits
    until they have cleaned up.
    """
    context = multiprocessing.get_context('fork')
    waiting = sorted(names, key=lambda name: -memory_mib(name))
    running, results = list[Running](), dict[str, Result]()
    try:
        while waiting or running:
            for name in list(waiting):
                needed = min(memory_mib(name), room_mib)
                if sum(one.memory_mib for one in running) + needed > room_mib:
                    continue
                answer, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(name, run, theirs, NICENESS if running else 0))
                process.start()
                theirs.close()
                waiting.remove(name)
                running.append(Running(name, needed, process, answer))
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


def _child(name: str, run: Run, answer: Connection, niceness: int) -> None:
    os.nice(niceness)
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
