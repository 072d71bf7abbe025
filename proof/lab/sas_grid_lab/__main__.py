"""The lab: virtual machines that look like EC2 instances, on which the host software proves itself.

Exit codes: 0 all scenarios passed, or could not run and said so; 1 one failed; 2 wrong usage; 69 nothing can run here
(the reason is printed); 130 and 143 interrupted, after cleaning up.
"""

import argparse
import os
import platform
import shutil
import signal
import sys
import time
from types import FrameType

from . import accelerator, image, leftovers, report, runner, side_by_side
from .memory import Sampler
from .settings import REPORT, Settings

CANNOT_RUN = 69
TOOLS = (accelerator.QEMU, 'qemu-img', 'mmdebstrap', 'ip', 'zstd')


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and do it."""
    chosen = parser().parse_args(arguments)
    settings = Settings.from_environment()
    if chosen.command == 'list':
        for name in runner.names():
            print(f'{name:14} {runner.load(name).TITLE}')
        return 0
    if reason := why_not():
        print(f'the lab cannot run here: {reason}', file=sys.stderr)
        return CANNOT_RUN
    signal.signal(signal.SIGTERM, _terminate)
    try:
        if chosen.command == 'clean':
            return clean(settings, chosen.images)
        for line in leftovers.clean(settings.runs):
            print(f'removed what an earlier run left: {line}')
        if chosen.command == 'image':
            print(image.ensure(settings, print).folder)
            return 0
        return run([name.replace('-', '_') for name in chosen.scenario], settings, chosen.room)
    except KeyboardInterrupt:
        print('interrupted; the machines and networks are removed', file=sys.stderr)
        return 130
    except image.PROBLEMS as problem:
        print(f'the image cannot be built: {problem}', file=sys.stderr)
        return 1
    except image.CANNOT_BUILD as problem:
        print(f'the lab cannot run here: {problem}', file=sys.stderr)
        return CANNOT_RUN


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog='sas_grid_lab', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest='command', required=True)
    start = commands.add_parser('run', help='run scenarios (all, when none is named)')
    start.add_argument('scenario', nargs='*', help='a name that `list` shows, or how names begin: lustre')
    start.add_argument(
        '--room',
        type=int,
        default=0,
        metavar='N',
        help='run scenarios side by side, up to N machines',
    )
    commands.add_parser('list', help='list the scenarios')
    commands.add_parser('image', help='build the image, if there is none of these inputs, and print where it lies')
    cleaning = commands.add_parser('clean', help='remove what killed runs left')
    cleaning.add_argument('--images', action='store_true', help='remove the cached images as well')
    return top


def why_not() -> str:
    """Why this host cannot run machines; empty when it can."""
    if platform.system() != 'Linux' or platform.machine() != 'x86_64':
        return f'it needs Linux on x86_64, this is {platform.system()} on {platform.machine()}'
    if os.geteuid() != 0:
        return 'it makes network namespaces, for which it must be root; try: sudo make lab'
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f'{", ".join(missing)} missing; bash proof/lab/setup.sh installs what the lab needs'
    if not os.path.exists('/dev/net/tun'):
        return '/dev/net/tun is missing; a container needs --device /dev/net/tun --cap-add NET_ADMIN'
    return ''


def clean(settings: Settings, images: bool) -> int:
    """Remove leftovers and, if asked for, images."""
    for line in leftovers.clean(settings.runs):
        print(f'removed {line}')
    for path in image.remove_all(settings) if images else []:
        print(f'removed {path}')
    return 0


def run(wanted: list[str], settings: Settings, room: int = 0) -> int:
    """Run scenarios, print the table, write the report. Without room they run one after another."""
    try:
        names = runner.chosen(wanted)
    except LookupError as unknown:
        print(f'unknown: {unknown}; there are {", ".join(runner.names())}', file=sys.stderr)
        return 2
    built = runner.image_of(names, settings)
    machines = accelerator.describe(accelerator.works(built)) if built else 'no accelerator: none was needed'
    print(f'machines run under {machines} on {os.cpu_count()} cores')
    started, results = time.monotonic(), list[report.Result]()
    memory = Sampler(lambda: leftovers.machines(settings.runs))
    memory.start()
    try:
        if room > 0:
            results = side_by_side.run_all(names, runner.machines, lambda name: runner.run(name, settings), room)
        else:
            for name in names:
                results.append(runner.run(name, settings))
    finally:
        memory.stop()
        if results:
            about = {
                'accelerator': machines,
                'cores': os.cpu_count(),
                'kernel': built.version if built else None,
                'seconds': round(time.monotonic() - started, 1),
                'peak_memory_mib': memory.peak_mib,
            }
            written = report.write(REPORT, results, about)
            print(f'\n{report.table(results, sys.stdout.isatty())}')
            print(f'{about["seconds"]:.0f} s in all, at most {memory.peak_mib} MiB of memory; {written}')
    return report.exit_code(results)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    # Cleaning up must not be cut short by a second signal.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(143)


if __name__ == '__main__':
    sys.exit(main())
