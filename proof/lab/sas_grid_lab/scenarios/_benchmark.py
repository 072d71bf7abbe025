"""How the scenario of the benchmark runs programs on machines, and what it looks at afterwards."""

from ..benchmark_programs import Record, of_kind, script
from ..machine import Machine
from ..report import ScenarioFailed, Steps

RUN = 'lab-run'
BASE = '.sas-grid-benchmark'
MIB = 1 << 20

COMPUTING = 'step(12 * self.scale if'

UNDER_WAY = '/run/benchmark'


def program(machine: Machine, document: str, **parameters: str) -> str:
    """Run a program to its end, which has to be a good one; returns its output."""
    code, output = try_program(machine, document, **parameters)
    if code != 0 or not of_kind(output, 'done'):
        raise ScenarioFailed(f'{machine.name}: {document} ended with {code}:\n{output[-3000:]}')
    return output


def try_program(machine: Machine, document: str, **parameters: str) -> tuple[int, str]:
    """Run a program; its exit code and output."""
    put(machine, document, f'{UNDER_WAY}-{document}.sh', parameters)
    return machine.try_run(f'{UNDER_WAY}-{document}.sh </dev/null 2>&1', timeout=500)


def put(machine: Machine, document: str, path: str, parameters: dict[str, str]) -> None:
    """The script of a document. Unless that is asked for, it does not look at what others do: a guest is busy."""
    guard = {} if document in ('clean-up', 'network') else {'BusyMBps': '0'}
    text = script(document, {'RunId': RUN, **guard, **parameters})
    if document == 'mixed-sas':
        # Twelve units of computing, two seconds of a real processor, would take half a minute of an emulated one.
        expect_true('the units of a step of computing are not found', COMPUTING in text)
        text = text.replace(COMPUTING, 'step(1 if')
    machine.put(path, text, 0o700)


def start(machine: Machine, directory: str, mib: int) -> None:
    """Start a program in a session of its own, and wait until it is writing."""
    put(machine, 'sas-io', f'{UNDER_WAY}.sh', {'Directory': directory, 'FileMiB': str(mib), 'Data': 'zero'})
    machine.run(
        f'rm -f {UNDER_WAY}.code; '
        f"setsid bash -c '{UNDER_WAY}.sh </dev/null >{UNDER_WAY}.out 2>&1; echo $? >{UNDER_WAY}.code' "
        f'</dev/null >/dev/null 2>&1 & echo $! >{UNDER_WAY}.pid'
    )
    written = f'[ -n "$(find {directory}/{BASE}/{RUN} -type f -size +1M 2>/dev/null)" ]'
    until(machine, written, f'nothing is written; the program says: $(cat {UNDER_WAY}.out)')


def kill(machine: Machine) -> None:
    """End it as Systems Manager does: with all its children, by a signal that no trap sees."""
    machine.run(f'kill -9 -- -$(cat {UNDER_WAY}.pid)')


def ended(machine: Machine) -> tuple[int, str]:
    """Wait for its end; its exit code and output."""
    until(machine, f'[ -s {UNDER_WAY}.code ]', f'it does not end; it says: $(cat {UNDER_WAY}.out)')
    return int(machine.run(f'cat {UNDER_WAY}.code')), machine.run(f'cat {UNDER_WAY}.out')


def until(machine: Machine, condition: str, otherwise: str, seconds: int = 60) -> None:
    """Wait in the guest until a command succeeds."""
    machine.run(
        f'end=$((SECONDS + {seconds})); until {condition}; do '
        f'((SECONDS < end)) || {{ echo "{otherwise}"; exit 1; }}; sleep 0.3; done',
        timeout=seconds + 60,
    )


def starting_in(machine: Machine, seconds: int) -> str:
    """A time by the clock of the machines."""
    return str(int(machine.run('date +%s')) + seconds)


def refused(answer: tuple[int, str], reason: str, text: str = '') -> str:
    """That a program did not do its test, for this reason; returns what it said."""
    code, output = answer
    said = [(str(record['reason']), str(record['text'])) for record in of_kind(output, 'refused')]
    if code != 75 or not said or said[0][0] != reason or text not in said[0][1]:
        raise ScenarioFailed(f'it was to refuse ({reason}: {text}), and ended with {code} {said}:\n{output[-3000:]}')
    return said[0][1]


def check_phases(output: str, wanted: list[str], mib: int) -> list[Record]:
    """All phases, each with all its bytes; mib is of one process."""
    phases = of_kind(output, 'phase')
    expect_true(f'phases {[phase["phase"] for phase in phases]}', [phase['phase'] for phase in phases] == wanted)
    for phase in phases:
        expect_true(f'bytes of {phase}', phase['bytes'] == mib * MIB * phase['processes'])
    return phases


def check_setup(output: str, file_system: str) -> None:
    """What the program saw of the machine and of the file system, and that it could drop caches."""
    [facts] = of_kind(output, 'host')
    expect_true(f'of an instance: {facts}', facts['instanceId'].startswith('i-') and facts['physicalCores'] >= 1)
    for setup in of_kind(output, 'setup'):
        seen = (setup['fileSystemType'], setup['cachesDropped'], setup['reduced'])
        expect_true(f'set up as {seen}', seen == (file_system, True, True))


def tell(steps: Steps, what: str, phases: list[Record]) -> None:
    """The figures, under a name that says what they are worth."""
    for phase in phases:
        rate = float(phase['bytes'] / (phase['endedAt'] - phase['startedAt']) / 1e6)
        steps.fact(f'emulated, {what}: {phase["phase"]}', round(rate, 1), 'MB/s')


def nothing_left(machine: Machine, directory: str) -> None:
    """No file, no directory, no state, no process, a moment after the program's end: what outlives it goes last."""
    left = (
        f'$(ls -A {directory} | grep -vx lost+found; ls -d /run/sas-grid/benchmark-* 2>/dev/null; '
        f'grep -lz "^SAS_GRID_BENCHMARK={RUN}/" /proc/[0-9]*/environ 2>/dev/null)'
    )
    until(machine, f'[ -z "{left}" ]', f'left in {directory}, /run or /proc: {left}', seconds=20)


def expect_true(what: str, holds: bool) -> None:
    """Fail when it does not hold."""
    if not holds:
        raise ScenarioFailed(what)
