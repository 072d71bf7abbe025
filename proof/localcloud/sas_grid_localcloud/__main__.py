"""``python -m sas_grid_localcloud start --state DIR``: run the embedded AWS in the foreground."""

import argparse
import os
import sys
from pathlib import Path

from . import server, throttling
from .settings import Delays, Settings


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog='sas_grid_localcloud', description=__doc__)
    commands = parser.add_subparsers(dest='command', required=True)
    start = commands.add_parser('start', help='run in the foreground until SIGTERM or SIGINT')
    start.add_argument('--state', type=Path, required=True, help='folder for everything that is written')
    start.add_argument('--port', type=int, default=0, help='0 (default) takes a free one')
    start.add_argument('--ready-file', type=Path, help='JSON file written as soon as requests are answered')
    start.add_argument('--region', default='us-east-1')
    start.add_argument('--without-hosts', action='store_true', help='instances run no user data and no commands')
    chosen = parser.parse_args(arguments)
    try:
        with_hosts = not chosen.without_hosts
        wanted = Settings(chosen.state, chosen.port, chosen.region, Delays.from_environment(), with_hosts)
        throttling.use(throttling.parse(os.environ.get(throttling.VARIABLE, '')))
        prepared = server.prepare(wanted)
        server.install(prepared)
    except (server.CannotStart, ValueError) as problem:
        print(f'cannot start the embedded AWS: {problem}', file=sys.stderr)
        return getattr(problem, 'code', 1)
    server.serve(prepared, chosen.ready_file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
