"""Instance-store scratch through a machine's life: first boot, reboot, stop and start, beside an EBS volume."""

import hashlib
import json
from pathlib import Path

from ..disks import Volume
from ..lab import Lab, Machine
from ..report import ScenarioFailed, Steps

TITLE = 'Scratch: arrays on instance store over reboot and stop, beside an EBS volume that is left alone'
MACHINES = 1

TARGET = 'sas-grid-scratch.target'
CHUNK_KIB, READ_AHEAD_KIB = 256, 8192
SASWORK, UTILLOC = ('/saswork', 5), ('/utilloc', 3)
ROLES = {
    'scratch': {
        'SASWORK_DISKS': str(SASWORK[1]),
        'UTILLOC_DISKS': str(UTILLOC[1]),
        'CHUNK_KIB': str(CHUNK_KIB),
        'READ_AHEAD_KIB': str(READ_AHEAD_KIB),
        'SCHEDULER': 'none',
        'FILE_SYSTEM': 'xfs',
    }
}

# One JSON object of what the kernel says, for a mount point.
LOOK = r"""
set -eu
mount=%s
array=$(basename "$(readlink -f "$(findmnt -no SOURCE "$mount")")")
block=/sys/block/$array
members=$(for member in "$block"/slaves/*; do
  queue=$member/queue
  jq -n --arg model "$(sed 's/ *$//' "$member/device/model")" --arg ahead "$(cat "$queue/read_ahead_kb")" \
    --arg scheduler "$(sed 's/.*\[\(.*\)\].*/\1/' "$queue/scheduler")" --arg name "${member##*/}" \
    '{name: $name, model: $model, ahead: ($ahead | tonumber), scheduler: $scheduler}'
done | jq -s .)
jq -n --arg array "$array" --arg level "$(cat "$block/md/level")" --arg chunk "$(cat "$block/md/chunk_size")" \
  --arg ahead "$(cat "$block/queue/read_ahead_kb")" --arg type "$(findmnt -no FSTYPE "$mount")" \
  --arg options "$(findmnt -no OPTIONS "$mount")" --arg mode "$(stat -c %%a "$mount")" --argjson members "$members" \
  --arg scheduler "$(cat "$block/queue/scheduler" 2>/dev/null | sed 's/.*\[\(.*\)\].*/\1/')" \
  '{array: $array, level: $level, chunk: ($chunk | tonumber), ahead: ($ahead | tonumber), type: $type,
    options: ($options | split(",")), mode: $mode, scheduler: $scheduler, members: $members}'
"""


def run(lab: Lab, steps: Steps) -> None:
    """The whole life of one machine."""
    volume = lab.volume(64)
    node = lab.machine('node', instance_store=(SASWORK[1] + UTILLOC[1], 160), volumes=[volume])
    with steps.step('a machine with 8 instance-store disks and an EBS volume boots'):
        node.start()
        steps.fact('boot', round(node.wait(), 1), 's')
    with steps.step('data is written to the EBS volume'):
        untouched = fill(node, volume)
    with steps.step('user data installs the role, the arrays are made'):
        node.install(ROLES)
        node.wait_for_unit(TARGET)
        steps.fact('sas-grid-scratch', seconds_of(node), 's')
    with steps.step('chunk, read-ahead, scheduler, noatime and modes are really set'):
        check_settings(node)
    with steps.step('throughput of the array and of its members'):
        measure(node, steps)
    with steps.step('a reboot: the data is kept and mounted by systemd alone'):
        node.run('head -c 8M /dev/urandom >/saswork/data; head -c 1M /dev/urandom >/utilloc/data; sync')
        before = sums(node)
        node.reboot()
        node.wait_for_unit(TARGET)
        expect('data after the reboot', sums(node), before)
        check_settings(node)
    with steps.step('a stop and a start: the disks are blank, the arrays are made anew by systemd alone'):
        node.stop()
        node.start()
        node.wait()
        node.wait_for_unit(TARGET)
        steps.fact('sas-grid-scratch, rebuilt', seconds_of(node), 's')
        expect('what lies on the new file systems', node.run('ls -A /saswork /utilloc'), '/saswork:\n\n/utilloc:\n')
        check_settings(node)
    with steps.step('the EBS volume is bit for bit what it was'):
        expect('checksum of the EBS volume', checksum(volume.path), untouched)


def fill(node: Machine, volume: Volume) -> str:
    """A file system with a file on the volume; returns the checksum of the whole volume."""
    node.run(
        f'mkfs.ext4 -q {volume.device} && mount {volume.device} /mnt && head -c 4M /dev/urandom >/mnt/data && '
        f'umount /mnt && blockdev --flushbufs {volume.device}'
    )
    return checksum(volume.path)


def checksum(path: Path) -> str:
    """Of a disk, from outside the machine."""
    digest = hashlib.sha256()
    with path.open('rb') as disk:
        while piece := disk.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def sums(node: Machine) -> str:
    """Checksums of the data on scratch."""
    return node.run('sha256sum /saswork/data /utilloc/data')


def seconds_of(node: Machine) -> float:
    """How long the service took to make or assemble everything."""
    shown = node.run(
        'systemctl show --value -p InactiveExitTimestampMonotonic -p ActiveEnterTimestampMonotonic sas-grid-scratch'
    )
    first, last = sorted(int(line) for line in shown.split())
    return round((last - first) / 1e6, 1)


def check_settings(node: Machine) -> None:
    """What the kernel says of both arrays."""
    for mount, count in (SASWORK, UTILLOC):
        seen = json.loads(node.run(LOOK % mount))
        members = seen.pop('members')
        name, options = seen.pop('array'), seen.pop('options')
        wanted = {'level': 'raid0', 'chunk': CHUNK_KIB * 1024, 'ahead': READ_AHEAD_KIB, 'type': 'xfs', 'mode': '1777'}
        # An array has no scheduler of its own in most kernels.
        expect(f'scheduler of {name}', seen.pop('scheduler') in ('', 'none'), True)
        expect(f'{mount} ({name})', seen, wanted)
        expect(f'{mount} is mounted with noatime ({options})', 'noatime' in options, True)
        expect(f'disks of {name}', len(members), count)
        for member in members:
            disk = {'model': 'Amazon EC2 NVMe Instance Storage', 'ahead': READ_AHEAD_KIB, 'scheduler': 'none'}
            expect(f'{member["name"]}, member of {name}', {key: member[key] for key in disk}, disk)
    pages = node.run('cat /sys/kernel/mm/transparent_hugepage/enabled')
    expect('transparent huge pages', '[never]' in pages, True)


def measure(node: Machine, steps: Steps) -> None:
    """Reads that bypass the cache: each member alone, then the array."""
    array = node.run('readlink -f "$(findmnt -no SOURCE /saswork)"').strip()
    members = node.run(f'ls /sys/block/{Path(array).name}/slaves').split()
    jobs = ''.join(f'[{name}]\nstonewall\nfilename={name}\n' for name in [*(f'/dev/{one}' for one in members), array])
    common = '[global]\nrw=read\nbs=1M\ndirect=1\nioengine=libaio\niodepth=4\nsize=48M\n'
    node.put('/tmp/read.fio', common + jobs)
    read = {
        job['jobname']: job['read']['bw'] / 1024
        for job in json.loads(node.run('fio --readonly --output-format=json /tmp/read.fio'))['jobs']
    }
    of_array = read.pop(array)
    steps.fact('read, the array', round(of_array), 'MiB/s')
    steps.fact('read, sum of its members', round(sum(read.values())), 'MiB/s')
    steps.fact('array / sum of members', round(of_array / sum(read.values()), 2))


def expect(what: str, seen: object, wanted: object) -> None:
    """Fail with both values."""
    if seen != wanted:
        raise ScenarioFailed(f'{what}: {seen!r}, expected: {wanted!r}')
