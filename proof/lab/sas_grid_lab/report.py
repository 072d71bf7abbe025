"""Steps with their seconds, the table at the end, and report.json."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

Verdict = Literal['passed', 'failed', 'not run']
COLOURS: dict[Verdict, str] = {'passed': '\033[32m', 'failed': '\033[31m', 'not run': '\033[33m'}
PLAIN = '\033[0m'


class ScenarioFailed(Exception):
    """What the scenario was to prove does not hold."""


class NotRun(Exception):
    """The scenario cannot run here, for this reason."""


@dataclass
class Step:
    """One thing that a scenario did."""

    text: str
    seconds: float
    passed: bool


@dataclass
class Fact:
    """Something that was measured."""

    name: str
    value: str | int | float
    unit: str = ''


@dataclass
class Result:
    """What became of a scenario."""

    scenario: str
    title: str
    verdict: Verdict = 'not run'
    reason: str = ''
    seconds: float = 0.0
    peak_memory_mib: int = 0
    steps: list[Step] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


class Steps:
    """The steps and facts of one scenario, printed as they come."""

    def __init__(self, result: Result, out: TextIO | None = None) -> None:
        self._result = result
        self._out = out or sys.stdout

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Time what is done inside."""
        started, passed = time.monotonic(), False
        try:
            yield
            passed = True
        finally:
            seconds = round(time.monotonic() - started, 1)
            self._result.steps.append(Step(text, seconds, passed))
            self._say(f'{seconds:7.1f} s  {"" if passed else "FAILED: "}{text}')

    def fact(self, name: str, value: str | int | float, unit: str = '') -> None:
        """Keep something that was measured."""
        shown = round(value, 3) if isinstance(value, float) else value
        self._result.facts.append(Fact(name, shown, unit))
        self._say(f'           {name}: {shown} {unit}'.rstrip())

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def table(results: list[Result], colour: bool) -> str:
    """One line for each scenario; under it why it failed or did not run."""
    width = max(len(name) for name in ('scenario', *(result.scenario for result in results)))
    lines = [f'{"scenario".ljust(width)}  steps  seconds  verdict']
    for result in results:
        before, after = (COLOURS[result.verdict], PLAIN) if colour else ('', '')
        steps, seconds = str(len(result.steps)).rjust(5), f'{result.seconds:.0f}'.rjust(7)
        lines.append(f'{result.scenario.ljust(width)}  {steps}  {seconds}  {before}{result.verdict}{after}')
        if result.reason:
            lines.append(f'{"".ljust(width)}  {result.reason.splitlines()[0]}')
    return '\n'.join(lines)


def write(folder: Path, results: list[Result], about: dict[str, Any]) -> Path:
    """Write report.json; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / 'report.json'
    content = {**about, 'scenarios': [asdict(result) for result in results]}
    file.write_text(json.dumps(content, indent=2) + '\n')
    return file


def exit_code(results: list[Result]) -> int:
    """0 when none failed and at least one ran, 69 when none could run."""
    if any(result.verdict == 'failed' for result in results):
        return 1
    return 0 if any(result.verdict == 'passed' for result in results) else 69
