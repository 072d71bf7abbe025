"""A Lustre of an MGS, an MDS and two OSSs with two targets each: what its machines are told and what has to hold."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..machine import Machine
from ..report import NotRun, ScenarioFailed
from ..runner import Needs

FSNAME = 'sasfs'
MOUNT_POINT = '/sasdata'
MGS_ADDRESS = '10.77.0.100'
PARAMETERS = {'osc.*.max_rpcs_in_flight': '16', 'osc.*.max_dirty_mb': '64'}
"""The papers set 256 MB; a client takes at most a quarter of its memory, and this one is small."""


@dataclass(frozen=True)
class Server:
    """A slot: which targets it serves, each on a volume, and on which address."""

    slot: str
    address: str
    targets: tuple[str, ...]

    @property
    def service(self) -> str:
        return self.slot.partition('-')[0]


MGS = Server('mgs-00', MGS_ADDRESS, ('MGS',))
MDS = Server('mds-00', '10.77.0.101', (f'{FSNAME}-MDT0000',))
OSS = [
    Server('oss-00', '10.77.0.110', (f'{FSNAME}-OST0000', f'{FSNAME}-OST0001')),
    Server('oss-01', '10.77.0.111', (f'{FSNAME}-OST0002', f'{FSNAME}-OST0003')),
]
TARGETS = [target for server in OSS for target in server.targets]
"""all object storage targets"""


def needs(environment: Mapping[str, str]) -> Needs:
    """A Lustre for the guest. Debian carries none."""
    tree = environment.get('LUSTRE_TREE', '')
    if not tree:
        raise NotRun('LUSTRE_TREE is not set: it names the tree of a Lustre, built for the guest, with both backends')
    if not any((Path(tree) / folder / 'lctl').exists() for folder in ('sbin', 'usr/sbin', 'usr/local/sbin')):
        raise ScenarioFailed(f'LUSTRE_TREE={tree} has no sbin/lctl: it is no installed Lustre')
    return Needs(lustre_tree=Path(tree))


def roles(server: Server, backend: str) -> dict[str, dict[str, str]]:
    """A server of a slot, with a volume for each of its targets."""
    settings = {
        **common(),
        'SERVICE': server.service,
        'BACKEND': backend,
        'VOLUMES_PER_SLOT': str(len(server.targets)),
        'TUNABLES': f'osd-{backend}.*.readcache_max_filesize=2M' if server.service == 'oss' else '',
    }
    if server is MGS:
        settings |= {
            'MONITORING': 'true',
            'MONITORING_PORT': '80',
            'STRIPE_COUNT': '-1',
            'STRIPE_SIZE_BYTES': '4194304',
        }
    return {f'lustre-{server.service}': settings}


def client_roles() -> dict[str, dict[str, str]]:
    """A client with the papers' parameters, as far as its memory goes."""
    tunables = ' '.join(f'{name}={value}' for name, value in PARAMETERS.items())
    return {'lustre-client': {**common(), 'MOUNT_POINT': MOUNT_POINT, 'MOUNT_OPTIONS': 'flock', 'TUNABLES': tunables}}


def common() -> dict[str, str]:
    """What servers and clients are told alike."""
    return {'FSNAME': FSNAME, 'MGS_NID': f'{MGS_ADDRESS}@tcp', 'LUSTRE_SOFTWARE': 'preinstalled'}


def serve(machine: Machine, server: Server, epoch: int, volumes: str, *options: str, within: float = 420) -> None:
    """Tell a machine to serve a slot, as often as it says 'not yet': protection waits for 44 s after a kill."""
    end = time.monotonic() + within
    command = (
        f'/opt/cdk-sas-grid/bin/sas-grid-serve --slot {server.slot} --epoch {epoch} --address {server.address}'
        f' --volumes {volumes} {" ".join(options)}'
    )
    while True:
        code, output = machine.try_run(command, 600)
        if code == 0:
            break
        if code != 75 or time.monotonic() > end:
            raise ScenarioFailed(f'{machine.name}: {server.slot} is not served ({code}):\n{output}')
        time.sleep(2)
    nids = machine.run('lctl list_nids').split()
    if nids != [f'{server.address}@tcp']:
        raise ScenarioFailed(f'{machine.name}: LNet speaks on {nids}, not on {server.address} alone')


def check_client(client: Machine) -> None:
    """What users rely on: locks work, and the parameters are the kernel's."""
    options = client.run(f'findmnt -n -o FSTYPE,OPTIONS {MOUNT_POINT}')
    if not options.startswith('lustre') or 'flock' not in re.split(r'[ ,\n]+', options):
        raise ScenarioFailed(f'{MOUNT_POINT} is not mounted with flock: {options}')
    client.run(f'flock -n {MOUNT_POINT}/lock true')
    for name, value in PARAMETERS.items():
        found = client.run(f"lctl get_param -n '{name}'").split()
        if set(found) != {value} or len(found) != len(TARGETS):
            raise ScenarioFailed(f'{name} is {found}, not {value} for each of {len(TARGETS)} targets')


def until_page(machine: Machine, holds: Any, within: float = 180) -> None:
    """Wait until the page, read over the network, says something."""
    end = time.monotonic() + within
    while True:
        code, text = machine.try_run(f'curl -sS --max-time 10 -f http://{MGS_ADDRESS}/status.json')
        if code == 0 and holds(json.loads(text)):
            return
        if time.monotonic() > end:
            raise ScenarioFailed(f'the monitoring page still says, after {within:g} s: {text}')
        time.sleep(3)


def page_is_complete(page: dict[str, Any], client: str) -> bool:
    """Every server and target is there and well, with its space and throughput, and so is the client."""
    servers = {(one['name'], one['address'], one['state']) for one in page['servers']}
    targets = {one['name']: one for one in page['targets']}
    data = [targets.get(name, {}) for name in (*MDS.targets, *TARGETS)]
    return (
        str(page['health']).startswith('OK')
        and servers == {('mgs', MGS.address, 'healthy')} | {(one.slot, one.address, 'healthy') for one in (MDS, *OSS)}
        and all(target.get('state') == 'serving' and (target.get('GiB') or 0) > 0 for target in data)
        and all(target['readMBps'] is not None and target['writeMBps'] is not None for target in data[1:])
        and page['clients'] == [client]
    )


def recovered(server: Machine, target: str, within: float = 300) -> int:
    """The seconds of a recovery that ended with every client back."""
    end = time.monotonic() + within
    service = 'mdt' if '-MDT' in target else 'obdfilter'
    while True:
        status = server.run(f'lctl get_param -n {service}.{target}.recovery_status')
        found = recovery(status)
        if found.get('status') == 'COMPLETE':
            break
        if time.monotonic() > end or found.get('status') == 'INACTIVE':
            raise ScenarioFailed(f'{target} has not recovered:\n{status}')
        time.sleep(1)
    back, known = found['completed_clients'].split('/')
    # The metadata server is a client of each object storage target, too.
    if back != known or int(known) < (1 if service == 'mdt' else 2):
        raise ScenarioFailed(f'{target}: {back} of {known} clients are back:\n{status}')
    return int(found['recovery_duration'])


def recovery(status: str) -> dict[str, str]:
    """A target's recovery_status, by key."""
    lines = (line.rpartition('=')[2].partition(':') for line in status.splitlines())
    return {key.strip(): value.strip() for key, separator, value in lines if separator}


def check_not_evicted(client: Machine) -> None:
    """Neither the kernel nor the state of a connection tells of an eviction, and all connections stand."""
    complaint = eviction(
        client.run("dmesg | grep -E 'Lustre|LNet' || true"), client.run("lctl get_param 'osc.*.state' 'mdc.*.state'")
    )
    if complaint:
        raise ScenarioFailed(f'the client was not spared: {complaint}')


def eviction(log: str, states: str) -> str:
    """What tells of an eviction, of lost pages or of a connection that does not stand; empty when nothing does."""
    for line in log.splitlines():
        if 'evicted by' in line or 'dirty page discard' in line:
            return line
    current = re.findall(r'current_state: *(\w+)', states)
    if not current:
        return f'no connection: {states}'
    for state in (*re.findall(r'\[ *\d+, *(\w+) *\]', states), *current):
        if state == 'EVICTED':
            return states
    # A connection without requests goes to sleep.
    return '' if set(current) <= {'FULL', 'IDLE'} else states
