"""Three nodes share a GFS2 on two striped volumes; one is lost under load, fenced through EC2, and comes back."""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ..disks import Volume
from ..ec2_endpoint import Certificate, Ec2, Ec2Endpoint, Instance
from ..lab import Lab
from ..machine import Machine
from ..metadata_service import ACCESS_KEY, REGION
from ..network import ROUTER
from ..report import ScenarioFailed, Steps
from ..settings import PROJECT
from ..together import on_each

TITLE = 'GFS2: three nodes write, one is lost, fenced and comes back'
TIMEOUT = 1500

ENDPOINT = f'ec2.{REGION}.amazonaws.com'
AUTHORITY = '/etc/ssl/lab-authority.pem'
POINT = '/sasdata'
LOST = 'n3'

METADATA = PROJECT / 'test' / 'host' / 'recordings' / 'fence_aws_metadata.out'

QUICK_AGENT = """#!/bin/bash
case $* in
  '') input=$(cat) ;;
  '-o metadata') input=action=metadata ;;
  *) exec /usr/share/fence/fence_aws "$@" ;;
esac
[[ $input != *action=metadata* ]] || exec cat /usr/share/fence/fence_aws.xml
exec /usr/share/fence/fence_aws <<<"$input"
"""


# Each line has the number after the last one's: whoever sees an old end of the file, or loses a line, breaks it.
WRITER = f"""
import fcntl, hashlib, os, sys, time
name, number = sys.argv[1], 0
log = open('{POINT}/sequence', 'a+b', 0)
while not os.path.exists('/run/stop-writing'):
    fcntl.flock(log, fcntl.LOCK_EX)
    fcntl.lockf(log, fcntl.LOCK_EX)
    end = log.seek(0, os.SEEK_END)
    log.seek(max(0, end - 100))
    lines = log.read().split(b'\\n')
    last = int(lines[-2].split()[0]) if end else -1
    log.write(b'%d %s %d\\n' % (last + 1, name.encode(), number))
    os.fsync(log.fileno())
    fcntl.lockf(log, fcntl.LOCK_UN)
    fcntl.flock(log, fcntl.LOCK_UN)
    data = os.urandom(16384)
    with open('{POINT}/%s-%d' % (name, number % 40), 'wb') as own:
        own.write(hashlib.sha256(data).digest() + data)
        own.flush()
        os.fsync(own.fileno())
    number += 1
    with open('/run/acknowledged.new', 'w') as told:
        told.write(str(number))
    os.rename('/run/acknowledged.new', '/run/acknowledged')
    time.sleep(0.05)
"""

CHECKER = f"""
import glob, hashlib, json
count, broken, torn = {{}}, [], []
lines = open('{POINT}/sequence', 'rb').read().split(b'\\n')
for number, line in enumerate(lines[:-1]):
    words = line.decode(errors='replace').split()
    if len(words) != 3 or words[0] != str(number) or words[2] != str(count.get(words[1], 0)):
        broken.append([number, repr(line)])
    else:
        count[words[1]] = count.get(words[1], 0) + 1
files = glob.glob('{POINT}/n[0-9]*-*')
for file in files:
    data = open(file, 'rb').read()
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        torn.append([file, len(data)])
print(json.dumps(dict(count=count, broken=broken, torn=torn, files=len(files), rest=repr(lines[-1]))))
"""


def run(lab: Lab, steps: Steps) -> None:
    """Start, write, lose a node, get it back, leave."""
    volumes = [lab.volume(512, shared=True), lab.volume(512, shared=True)]
    nodes = [lab.machine(f'n{number}', 640, volumes) for number in (1, 2, 3)]
    survivors, lost = [node for node in nodes if node.name != LOST], lab.machines[LOST]
    ec2 = Ec2()
    for node in nodes:
        ec2.add(Instance(node.instance_id, node.end, partial(power_on, node, volumes)))
    certificate = Certificate(lab.folder, ENDPOINT)
    endpoint = Ec2Endpoint(ec2, lab.network.listen(ROUTER, 443), certificate, ACCESS_KEY)
    settings = {
        'CLUSTER': 'labgfs',
        'NODES': ','.join(f'{node.name}={node.address}' for node in nodes),
        'VOLUMES': ','.join(volume.id for volume in volumes),
        'MOUNT_POINT': POINT,
        'STRIPE_KIB': '256',
        'SPARE_JOURNALS': '1',
        'JOURNAL_MIB': '16',
        'MAY_FORMAT': 'yes',
        'FENCE': 'ec2',
        'REGION': REGION,
        'TOKEN_MS': '8000',
        'CONSENSUS_MS': '12000',
        'FENCE_TIMEOUT': '420',
        # Each look at a resource takes seconds of an emulated processor.
        'MONITOR_SECONDS': '120',
    }

    try:
        with steps.step('three machines boot'):
            on_each(nodes, lambda node: node.start())
            on_each(nodes, lambda node: node.wait())
        with steps.step('cluster, shared volume group, file system, mounted on all'):
            on_each(nodes, lambda node: install(node, settings, certificate))
            on_each(nodes, lambda node: node.wait_for_unit('sas-grid-gfs2.service', 600))
        settings_are_real(nodes[0], steps)
        with steps.step('all write'):
            on_each(nodes, lambda node: write(node, node.name))
            for node in nodes:
                until(f'{node.name} writes', lambda node=node: acknowledged(node) >= 10)  # type: ignore[misc]
        before = acknowledged(lost)
        lose(ec2, lost, survivors, steps)
        with steps.step('nothing else is to be done; it was fenced once'):
            survivors[0].run('crm_resource --wait --timeout=180s', 200)
            if len([call for call in ec2.calls if call.action == 'StopInstances']) != 1:
                raise ScenarioFailed(f'stopped more than once: {ec2.calls}')
        with steps.step('the lost node is started again and joins by itself'):
            started = time.monotonic()
            ec2.answer({'Action': 'StartInstances', 'InstanceId.1': lost.instance_id})
            until('it is started', lambda: ec2.state(lost.instance_id) == 'running')
            lost.wait()
            steps.fact('boot', round(time.monotonic() - started, 1), 's')
            lost.wait_for_unit('sas-grid-gfs2.service', 480)
            steps.fact('rejoined after', round(time.monotonic() - started, 1), 's')
        with steps.step('it writes with the others; nothing is torn, nothing acknowledged is lost'):
            write(lost, f'{LOST}again')
            until('it writes', lambda: acknowledged(lost) >= 5)
            on_each(nodes, stop_writing)
            told = {node.name: acknowledged(node) for node in survivors}
            told |= {LOST: before, f'{LOST}again': acknowledged(lost)}
            for node in nodes:
                check(node, told)
            steps.fact('lines written', sum(told.values()))
        with steps.step('unmounted everywhere; fsck finds nothing; mounted again'):
            fsck(nodes)
        with steps.step('all leave'):
            on_each(nodes, lambda node: node.run('/opt/cdk-sas-grid/bin/sas-grid-gfs2 --leave', 240))
        if ec2.problems:
            raise ScenarioFailed('; '.join(ec2.problems))
    finally:
        endpoint.close()


def install(node: Machine, settings: dict[str, str], certificate: Certificate) -> None:
    """The role, on a host that takes the lab's endpoint for EC2's."""
    node.put(AUTHORITY, certificate.authority)
    node.run(f"echo '{ROUTER} {ENDPOINT}' >>/etc/hosts")
    node.put('/etc/systemd/system/pacemaker.service.d/lab.conf', f'[Service]\nEnvironment=AWS_CA_BUNDLE={AUTHORITY}\n')
    # Pacemaker waits seconds for an agent to describe itself, and emulated Python needs more: that one answer comes
    # from a file. Everything else is done by the real agent.
    node.put('/usr/share/fence/fence_aws.xml', METADATA.read_text())
    node.run('mv /usr/sbin/fence_aws /usr/share/fence/')
    node.put('/usr/sbin/fence_aws', QUICK_AGENT, 0o755)
    node.install({'gfs2-node': settings})


def settings_are_real(node: Machine, steps: Steps) -> None:
    """What was asked for, as the kernel and the cluster have it."""
    found = node.run(
        f"findmnt -n -o FSTYPE,OPTIONS {POINT}; dmsetup table | grep -o 'striped 2 [0-9]*';"
        f' echo journals $(gfs2_edit -p journals /dev/labgfs/sasdata | grep -c "^journal"); crm_mon -1 --group-by-node'
    )
    for wanted in ('gfs2', 'noatime', 'striped 2 512', 'journals 4'):
        if wanted not in found:
            raise ScenarioFailed(f'{wanted} is not there:\n{found}')
    question = f'action=status\\nregion={REGION}\\nplug={node.instance_id}'
    asked = f"AWS_CA_BUNDLE={AUTHORITY} fence_aws <<<$'{question}' >/dev/null 2>&1"
    seconds = node.run(f"{{ time -p {asked} || test $? = 2; }} 2>&1 | sed -n 's/^real //p'")
    steps.fact('fence_aws asks EC2 for a state in', float(seconds), 's')


def write(node: Machine, name: str) -> None:
    """Start a writer; its name is its own for good."""
    node.put('/root/writer.py', WRITER)
    node.background(f'exec python3 /root/writer.py {name}', 'writer')


def stop_writing(node: Machine) -> None:
    """End the writer after the number that it is at."""
    ended = 'for i in $(seq 300); do systemctl is-active -q writer || exit 0; sleep 0.2; done; exit 1'
    node.run(f'touch /run/stop-writing; {ended}')


def acknowledged(node: Machine) -> int:
    """How many numbers the writer has on disk."""
    return int(node.run('cat /run/acknowledged 2>/dev/null || echo 0'))


def lose(ec2: Ec2, lost: Machine, survivors: list[Machine], steps: Steps) -> None:
    """Kill a node, see it fenced by another one and the others go on."""
    with steps.step('one is lost; the others have it fenced and go on'):
        killed = time.monotonic()
        lost.kill()
        until('it is fenced', lambda: ec2.state(lost.instance_id) == 'stopped', 240)
        steps.fact('fenced after', round(time.monotonic() - killed, 1), 's')
        stops = [call for call in ec2.calls if call.action == 'StopInstances']
        if {tuple(call.instances) for call in stops} != {(lost.instance_id,)}:
            raise ScenarioFailed(f'stopped: {[call.instances for call in stops]}, not only {lost.instance_id}')
        if {call.source for call in stops} - {node.address for node in survivors}:
            raise ScenarioFailed(f'stopped by {[call.source for call in stops]}')
        fenced = {node.name: acknowledged(node) for node in survivors}
        for node in survivors:
            until(f'{node.name} writes', lambda node=node: acknowledged(node) >= fenced[node.name] + 5)  # type: ignore[misc]
        steps.fact('survivors write again after', round(time.monotonic() - killed, 1), 's')


def power_on(node: Machine, volumes: list[Volume]) -> None:
    """The instance on another host: same root disk, the volumes attached."""
    for volume in volumes:
        if volume not in node.volumes:
            node.attach(volume)
    node.start()


def check(node: Machine, told: dict[str, int]) -> None:
    """What a node reads is whole, and has at least what the writers were told to be on disk."""
    node.put('/root/checker.py', CHECKER)
    found: dict[str, Any] = json.loads(node.run('python3 /root/checker.py'))
    if found['broken'] or found['torn'] or found['rest'] != "b''":
        raise ScenarioFailed(f'{node.name} reads: {json.dumps(found)[:1000]}')
    for name, number in told.items():
        if found['count'].get(name, 0) < number:
            raise ScenarioFailed(f'{name} was told that {number} lines are on disk, {node.name} reads {found["count"]}')


def fsck(nodes: list[Machine]) -> None:
    """Unmount on all nodes, as an administrator would, and check on one: locks and volume stay as they are."""
    nodes[0].run('crm_resource --resource mount --meta --set-parameter target-role --parameter-value Stopped')
    # A mount is out of sight before the kernel has written the last of it; what it shows of the file system goes last.
    gone = f'! findmnt {POINT} && ! ls /sys/fs/gfs2/*/'
    for node in nodes:
        until(f'{node.name} unmounts', lambda node=node: node.try_run(gone)[0] == 0)  # type: ignore[misc]
    code, output = nodes[0].try_run('fsck.gfs2 -n /dev/labgfs/sasdata 2>&1', 240)
    if code != 0:
        raise ScenarioFailed(f'fsck.gfs2 ended with {code}:\n{output[-2000:]}')
    nodes[0].run('crm_resource --resource mount --meta --delete-parameter target-role')
    for node in nodes:
        until(f'{node.name} mounts again', lambda node=node: node.try_run(f'findmnt {POINT}')[0] == 0)  # type: ignore[misc]


def until(what: str, holds: Callable[[], bool], timeout: float = 120) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            raise ScenarioFailed(f'not after {timeout:g} s: {what}')
        time.sleep(0.5)
