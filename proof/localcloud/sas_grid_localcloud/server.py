"""Starting and stopping the embedded AWS: ministack in this process with our extension installed."""

import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from . import history, memory, settings
from .patience import Patience
from .settings import Settings

MINISTACK_VERSION = '1.5.33'
OLDEST_NODE = 20


class CannotStart(Exception):
    """Why the embedded AWS did not start, and what to do about it."""

    code = 1
    """of the process"""


class CannotRunHere(CannotStart):
    """This machine lacks what was asked for, which is no fault of anybody's: sysexits.h, EX_UNAVAILABLE."""

    code = 69


def check_ministack() -> None:
    """The extension replaces private functions of one exact version: refuse any other."""
    try:
        found = importlib.metadata.version('ministack')
    except importlib.metadata.PackageNotFoundError:
        found = 'not installed'
    if found != MINISTACK_VERSION:
        raise CannotStart(
            f'ministack is {found}; allowed: exactly {MINISTACK_VERSION}. '
            f"Type: {sys.executable} -m pip install 'ministack=={MINISTACK_VERSION}'"
        )


def check_node() -> None:
    """Lambdas run in the Node.js found on the PATH."""
    node = shutil.which('node')
    if node is None:
        raise CannotStart(f'node is not on the PATH; allowed: Node.js {OLDEST_NODE} or newer. Install it first.')
    text = subprocess.run([node, '--version'], capture_output=True, text=True, check=True).stdout.strip()
    if int(text.lstrip('v').split('.')[0]) < OLDEST_NODE:
        raise CannotStart(f'node on the PATH is {text}; allowed: {OLDEST_NODE} or newer. Put a newer one first.')


def _node_modules() -> list[str]:
    """Where functions find the AWS SDK, which on AWS is part of the Lambda runtime."""
    start = Path(__file__).resolve()
    found = [folder / 'node_modules' for folder in (*start.parents, Path.cwd())]
    return [str(one) for one in found if (one / '@aws-sdk').is_dir()]


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])


def prepare(wanted: Settings) -> Settings:
    """Check what is needed, choose a port, make the state folder and set ministack's environment."""
    check_ministack()
    check_node()
    if 'ministack' in sys.modules:
        raise CannotStart('ministack was imported before its environment was set; start in a fresh process')
    chosen = Settings(
        wanted.state.resolve(), wanted.port or free_port(), wanted.region, wanted.delays, wanted.with_hosts
    )
    memory.make(chosen.state)
    for name in ('AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'):
        os.environ.pop(name, None)
    os.environ.update(chosen.server_environment())
    os.environ.setdefault('NODE_PATH', os.pathsep.join(_node_modules()))
    # Python reads TMPDIR once.
    tempfile.tempdir = str(chosen.state / 'tmp')
    return chosen


def install(chosen: Settings) -> None:
    """Put the extension into ministack. Once per process, after prepare."""
    from . import (
        autoscaling,
        call_log,
        cloudformation,
        cloudwatch,
        dlm,
        ec2,
        efs,
        fsx,
        imagebuilder,
        lambda_runtime,
        permissions,
        rules,
        schedules,
        scope,
        secrets,
        service_catalog,
        service_quotas,
        state_machines,
        validation,
        web,
    )
    from .faults import denials, requests

    settings.use_delays(chosen.delays)
    scope.use_region(chosen.region)
    history.open_in(chosen.state)
    call_log.open_in(chosen.state)
    web.install()
    ec2.install()
    autoscaling.install()
    fsx.install()
    dlm.install()
    imagebuilder.install()
    secrets.install()
    efs.install()
    service_catalog.install()
    service_quotas.install()
    cloudformation.install()
    lambda_runtime.install()
    schedules.install()
    cloudwatch.install()
    state_machines.install()
    if chosen.with_hosts:
        _install_hosts(chosen)
    rules.install()
    requests.install()
    denials.install()
    permissions.install()
    validation.install()
    call_log.install()


def _install_hosts(chosen: Settings) -> None:
    from . import hosts, ssm

    ssm.install()
    hosts.install(chosen.state)


def serve(chosen: Settings, ready_file: Path | None = None) -> None:
    """Run until SIGTERM or SIGINT; stop all that was started."""
    asyncio.run(_serve(chosen, ready_file))


async def _serve(chosen: Settings, ready_file: Path | None) -> None:
    from hypercorn.asyncio import serve as hypercorn_serve
    from hypercorn.config import Config
    from ministack import app

    from . import web
    from .faults import door
    from .hosts import metadata_door

    config = Config()
    config.bind = [f'127.0.0.1:{chosen.port}']
    config.keep_alive_timeout = 75
    config.loglevel = 'WARNING'
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stop.set)
    application: Any = web.guarded(door.beside(metadata_door.beside(app.app)))
    server = asyncio.ensure_future(hypercorn_serve(application, config, shutdown_trigger=lambda: stop.wait()))
    announce = asyncio.ensure_future(_announce(chosen, ready_file))
    done, _ = await asyncio.wait({server, asyncio.ensure_future(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
    announce.cancel()
    stop.set()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.shield(server), 5)
    stop_children()
    memory.keep(chosen.state)
    if ready_file:
        ready_file.unlink(missing_ok=True)
    # Threads of running Lambdas and executions would keep the process alive for minutes.
    sys.stdout.flush()
    failed = server in done and server.exception() is not None
    os._exit(1 if failed else 0)


async def _announce(chosen: Settings, ready_file: Path | None) -> None:
    # What this process computes moves on while it starts.
    patience = Patience(lambda: int(time.process_time()))
    while not await asyncio.to_thread(_answers, chosen):
        if reason := patience.lost():
            raise CannotStart(f'{chosen.endpoint} does not answer: {reason}')
        await asyncio.sleep(0.05)
    environment = chosen.client_environment()
    for name, value in environment.items():
        print(f'export {name}={value}')
    sys.stdout.flush()
    if ready_file:
        facts = {'endpoint': chosen.endpoint, 'pid': os.getpid(), 'environment': environment}
        text = json.dumps({**facts, 'realFileSystems': chosen.with_hosts and _real_file_systems()}, indent=2)
        partial = ready_file.with_suffix('.partial')
        partial.write_text(text, encoding='utf-8')
        partial.replace(ready_file)


def _real_file_systems() -> bool:
    from .hosts import kind

    return kind.current().real_file_systems


def _answers(chosen: Settings) -> bool:
    try:
        with urllib.request.urlopen(f'{chosen.endpoint}/_ministack/health', timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def stop_children() -> None:
    """End the Lambda workers and the processes of hosts, all of which this process started."""
    from . import lambda_runtime, state_machines

    lambda_runtime.stop()
    state_machines.stop()
    with contextlib.suppress(ImportError):
        hosts: Any = importlib.import_module('.hosts', __package__)
        if hasattr(hosts, 'stop'):
            hosts.stop()
