"""The benchmark's programs, as their documents of Systems Manager have them, and what they print."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .commands import host
from .settings import PROJECT

MARK = '##sas-grid-benchmark '

Record = dict[str, Any]


@cache
def _documents() -> dict[str, tuple[str, dict[str, str]]]:
    """The script of each document and the defaults of its parameters, made by the code that synthesis uses."""
    with TemporaryDirectory() as folder:
        tsx = PROJECT / 'node_modules' / '.bin' / 'tsx'
        host([tsx, PROJECT / 'test' / 'host' / 'benchmark-documents.ts', folder], timeout=120)
        return {
            file.stem: (file.read_text(), _defaults(file.with_suffix('.defaults')))
            for file in Path(folder).glob('*.sh')
        }


def _defaults(file: Path) -> dict[str, str]:
    pairs = (line.partition('=') for line in file.read_text().splitlines())
    return {name: value for name, _, value in pairs}


def script(document: str, parameters: dict[str, str]) -> str:
    """The script of a document with parameters, as the agent runs it."""
    text, defaults = _documents()[document]
    unknown = set(parameters) - set(defaults)
    if unknown:
        raise ValueError(f'{document} has no parameters {sorted(unknown)}')
    for name, value in {**defaults, **parameters}.items():
        text = text.replace(f'{{{{ {name} }}}}', value)
    return text


def records(output: str) -> list[Record]:
    """What a program said, without the output of tools."""
    return [json.loads(line.removeprefix(MARK)) for line in output.splitlines() if line.startswith(MARK)]


def of_kind(output: str, kind: str) -> list[Record]:
    """All records of a kind."""
    return [record for record in records(output) if record['kind'] == kind]
