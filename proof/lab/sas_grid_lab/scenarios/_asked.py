"""What the documents say of a host, as one that has run for long."""

import re
import time

from .. import documents
from ..machine import Machine
from ..report import ScenarioFailed

# Who has just started is in doubt for a quarter of an hour.
LONG_UP = '4000.00 1.00'
# The guest takes the time from its host, and nobody in it says so to the kernel (adjtimex(2): status and maxerror).
CLOCK = (
    'import ctypes, struct; timex = bytearray(208); struct.pack_into("I", timex, 0, 0x14);'
    ' ctypes.CDLL(None).adjtimex((ctypes.c_char * 208).from_buffer(timex))'
)
NOT_THE_CLOCK = 'nobody says whether the clock is in step'


def ask(machine: Machine, document: str) -> tuple[int, str]:
    """What the document says; without the line that names its program."""
    path = f'/run/document-{document}'
    machine.put(path, documents.script(document), 0o700)
    code, said = machine.try_run(
        f'echo {LONG_UP} >/run/uptime; unshare -m bash -c'
        f" 'mount --bind /run/uptime /proc/uptime; exec {path} </dev/null 2>&1'",
        120,
    )
    return code, '\n'.join(line.strip() for line in said.splitlines() if not line.startswith('program '))


def expect_probe(machine: Machine, code: int, text: str) -> str:
    """The probe says so at once. Returns all that it says."""
    found, said = ask(machine, 'probe')
    if found != code or not matches(said, text):
        raise ScenarioFailed(f'{machine.name}: the probe says ({found}): {said}\nnot ({code}): {text}')
    return said


def says(machine: Machine, document: str, code: int, text: str, within: float) -> float:
    """Wait until the document says so; returns the seconds."""
    started = time.monotonic()
    while True:
        found, said = ask(machine, document)
        passed = time.monotonic() - started
        if found == code and matches(said, text):
            return passed
        if passed > within:
            raise ScenarioFailed(f'{machine.name}: {document} still says ({found}), after {within:g} s: {said}')
        time.sleep(1)


def matches(said: str, text: str) -> bool:
    """Whether an answer of the probe has this verdict, after the slot and the epoch."""
    return re.match(rf'\S+ \d+ {re.escape(text)}', re.sub(r'\s+', ' ', said)) is not None


def node_health(client: Machine) -> tuple[int, str]:
    """What the document says of a node of the grid, whose clock is in step."""
    client.run(f"python3 -c '{CLOCK}'")
    return ask(client, 'node-health')


def complaints(said: str) -> set[str]:
    """The reasons in an answer of the node health. On a busy machine the clock may not be asked in time."""
    reasons = re.sub(r'^\S+ \S+ \S+ ?', '', said.strip()).split('; ')
    return {reason for reason in reasons if reason and reason != NOT_THE_CLOCK}
