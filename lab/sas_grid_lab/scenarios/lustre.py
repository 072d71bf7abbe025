"""Lustre: an object storage server dies while a client writes; its volume and its address move to a new machine."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..lab import Lab
from ..machine import Machine
from ..report import NotRun, ScenarioFailed, Steps
from ..runner import Needs
from ..together import together
from ._sequence import Writer, check

TITLE = 'Lustre: an object storage server dies under load, a new machine takes over its volume and address'
TIMEOUT = 1800

FSNAME = 'sasfs'
MOUNT_POINT = '/sasdata'
MGS_ADDRESS = '10.77.0.100'
PARAMETERS = {'osc.*.max_rpcs_in_flight': '16', 'osc.*.max_dirty_mb': '64'}
"""The papers set 256 MB; a client takes at most a quarter of its memory, and this one is small."""

LOAD = (
    f'fio --name=load --directory={MOUNT_POINT} --filename=fio --size=16m --bs=64k --rw=randwrite --rate=512k'
    ' --ioengine=psync --end_fsync=1 --verify=crc32c --do_verify=1 --verify_fatal=1 >/run/fio.log 2>&1;'
    ' echo $? >/run/fio.code'
)
WAIT_FOR_LOAD = 'for i in $(seq 500); do [ ! -e /run/fio.code ] || break; sleep 0.5; done'


@dataclass(frozen=True)
class Server:
    """A slot: what it serves, and on which address."""

    slot: str
    address: str
    target: str

    @property
    def service(self) -> str:
        return self.slot.partition('-')[0]


MGS = Server('mgs-00', MGS_ADDRESS, 'MGS')
MDS = Server('mds-00', '10.77.0.101', f'{FSNAME}-MDT0000')
OSS = [Server(f'oss-0{number}', f'10.77.0.11{number}', f'{FSNAME}-OST000{number}') for number in (0, 1)]


def needs(environment: Mapping[str, str]) -> Needs:
    """A Lustre for the guest. Debian carries none."""
    tree = environment.get('LUSTRE_TREE', '')
    if not tree:
        raise NotRun('LUSTRE_TREE is not set: it names the tree of a Lustre, built for the guest, with ZFS backend')
    if not any((Path(tree) / folder / 'lctl').exists() for folder in ('sbin', 'usr/sbin', 'usr/local/sbin')):
        raise ScenarioFailed(f'LUSTRE_TREE={tree} has no sbin/lctl: it is no installed Lustre')
    return Needs(lustre_tree=Path(tree))


def run(lab: Lab, steps: Steps) -> None:
    volumes = {server.slot: lab.volume(1024) for server in (MGS, MDS, *OSS)}
    interfaces = {server.slot: lab.interface(server.address) for server in (MGS, MDS, *OSS)}
    machines = {
        server.slot: lab.machine(
            server.slot, 512 if server is MGS else 576, [volumes[server.slot]], interfaces=[interfaces[server.slot]]
        )
        for server in (MGS, MDS, *OSS)
    }
    client = lab.machine('client', 576)
    with steps.step('boot five machines'):
        together(machine.start().wait for machine in (*machines.values(), client))
    with steps.step('install the roles'):
        together(partial(machines[server.slot].install, roles(server)) for server in (MGS, MDS, *OSS))
    # As Lustre's manual has it: MGS, then MDT, then OSTs.
    for servers in ([MGS], [MDS], OSS):
        with steps.step(f'serve {" and ".join(one.slot for one in servers)} on blank volumes'):
            together(
                partial(serve, machines[one.slot], one, 1, volumes[one.slot].id, '--may-format') for one in servers
            )
    with steps.step('serve again: nothing changes'):
        together(partial(serve, machines[one.slot], one, 1, volumes[one.slot].id) for one in (MGS, *OSS))
    with steps.step('mount on the client: flock, parameters'):
        client.install(client_roles())
        steps.fact('mounted after', client.wait_for_unit('sas-grid-lustre-client.target', 300), 's')
        check_client(client)
    with steps.step('the monitoring page knows all'):
        until_page(machines[MDS.slot], lambda page: page_is_complete(page, client.address))
        if f'Lustre file system {FSNAME}' not in machines[MDS.slot].run(f'curl -fsS http://{MGS_ADDRESS}/'):
            raise ScenarioFailed('the page is no page')
    lost = OSS[0]
    with steps.step('load: sequences with fsync on each target, and fio over both'):
        writers = [Writer(client, f'{MOUNT_POINT}/sequence-{number}') for number in (0, 1)]
        for number, writer in enumerate(writers):
            client.run(f'lfs setstripe -c 1 -i {number} {writer.path}')
            writer.start()
        client.background(LOAD, 'load')
        time.sleep(6)
    host_ids = {machines[lost.slot].run('od -An -tx4 /etc/hostid').strip()}
    with steps.step(f'kill {lost.slot}; the page says so while a new machine boots'):
        machines[lost.slot].kill()
        killed, before = time.monotonic(), [writer.count() for writer in writers]
        new = lab.machine('replacement', 576)
        new.start()
        until_page(machines[MDS.slot], lambda page: str(page['health']).startswith(f'PROBLEM: {lost.address}: NO ANS'))
        new.wait()
        new.install(roles(lost))
    with steps.step('move the volume and the address, serve'):
        moved = time.monotonic()
        new.attach(volumes[lost.slot])
        new.attach_interface(interfaces[lost.slot])
        serve(new, lost, 2, volumes[lost.slot].id)
        steps.fact('served again after the kill', time.monotonic() - killed, 's')
        steps.fact('of that in moving and sas-grid-serve', time.monotonic() - moved, 's')
        host_ids.add(new.run('od -An -tx4 /etc/hostid').strip())
        if len(host_ids) != 2:
            raise ScenarioFailed(f'two machines have the host id {host_ids}: multihost cannot tell them apart')
    with steps.step('the clients recover, none is evicted'):
        for writer, count in zip(writers, before, strict=True):
            writer.wait_for_more(count, 400)
        steps.fact('client writes to the lost target again after the kill', time.monotonic() - killed, 's')
        steps.fact("Lustre's own recovery", recovered(new, lost.target), 's')
        check_not_evicted(client)
    with steps.step('the load ends without an error'):
        client.run(f'{WAIT_FOR_LOAD}; cat /run/fio.log; exit $(cat /run/fio.code)', 300)
    with steps.step('nothing acknowledged is lost, read anew from the servers'):
        written = [writer.stop() for writer in writers]
        client.run(f'systemctl restart {MOUNT_POINT[1:]}.mount', 300)
        for writer, known in zip(writers, written, strict=True):
            check(client, writer.path, known)
            steps.fact(f'{writer.path}: acknowledged writes', known.count)
            steps.fact(f'{writer.path}: longest stall', known.longest_stall, 's')
        check_not_evicted(client)
    with steps.step('the monitoring page is content again'):
        until_page(machines[MDS.slot], lambda page: page_is_complete(page, client.address))


def roles(server: Server) -> dict[str, dict[str, str]]:
    """A server of a slot with one volume."""
    settings = {
        **common(),
        'SERVICE': server.service,
        'BACKEND': 'zfs',
        'VOLUMES_PER_SLOT': '1',
        'TUNABLES': 'osd-zfs.*.readcache_max_filesize=2M' if server.service == 'oss' else '',
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


def serve(machine: Machine, server: Server, epoch: int, volume: str, *options: str, within: float = 420) -> None:
    """Tell a machine to serve a slot, as often as it says 'not yet'. A pool of another host takes 44 s to import."""
    end = time.monotonic() + within
    command = (
        f'/opt/cdk-sas-grid/bin/sas-grid-serve --slot {server.slot} --epoch {epoch} --address {server.address}'
        f' --volumes {volume} {" ".join(options)}'
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
        if set(found) != {value} or len(found) != len(OSS):
            raise ScenarioFailed(f'{name} is {found}, not {value} for each of {len(OSS)} targets')


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
    data = [targets.get(server.target, {}) for server in (MDS, *OSS)]
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
    while True:
        status = server.run(f'lctl get_param -n obdfilter.{target}.recovery_status')
        found = recovery(status)
        if found.get('status') == 'COMPLETE':
            break
        if time.monotonic() > end or found.get('status') == 'INACTIVE':
            raise ScenarioFailed(f'{target} has not recovered:\n{status}')
        time.sleep(1)
    back, known = found['completed_clients'].split('/')
    # The metadata server is a client of each target, too.
    if back != known or int(known) < 2:
        raise ScenarioFailed(f'{target}: {back} of {known} clients are back:\n{status}')
    return int(found['recovery_duration'])


def recovery(status: str) -> dict[str, str]:
    """A target's recovery_status, by key."""
    lines = (line.rpartition('=')[2].partition(':') for line in status.splitlines())
    return {key.strip(): value.strip() for key, separator, value in lines if separator}


def check_not_evicted(client: Machine) -> None:
    """Neither the kernel nor the state of a connection tells of an eviction, and all connections stand."""
    complaint = eviction(
        client.run("dmesg | grep -E 'Lustre|LNet' || true"), client.run("lctl get_param 'osc.*.state'")
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
