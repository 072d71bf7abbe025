"""The documents of Systems Manager that ask servers whether they serve, and tell them to, as synthesis makes them."""

import json
import shlex
from functools import cache
from typing import Any

from .commands import host
from .machine import Machine
from .settings import LAB, PROJECT


@cache
def _documents() -> dict[str, dict[str, Any]]:
    tsx = PROJECT / 'node_modules' / '.bin' / 'tsx'
    found: dict[str, dict[str, Any]] = json.loads(host([tsx, LAB / 'render-documents.ts'], timeout=120))
    return found


def script(document: str, parameters: dict[str, str] | None = None) -> str:
    """The script of a document with parameters, as the agent runs it."""
    made, wanted = _documents()[document], parameters or {}
    if unknown := set(wanted) - set(made['defaults']):
        raise ValueError(f'{document} has no parameters {sorted(unknown)}')
    text = str(made['program'])
    for name, value in {**made['defaults'], **wanted}.items():
        text = text.replace(f'{{{{ {name} }}}}', value)
    return text


def run(machine: Machine, document: str, parameters: dict[str, str], timeout: float = 600) -> tuple[int, str]:
    """Run a document on a machine; returns its exit code and output."""
    path = f'/run/document-{document}'
    machine.put(path, script(document, parameters), 0o700)
    return machine.try_run(f'{shlex.quote(path)} </dev/null 2>&1', timeout)
