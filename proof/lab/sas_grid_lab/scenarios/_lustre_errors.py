"""A target meets an error: it stops writing at once, the hosts say so, and the repair loses nothing acknowledged."""

import time

from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ._asked import expect_probe, says
from ._lustre_small import OSS, Small, until
from ._sequence import Writer, check

# Blocks that are free become used in the bitmap of each group, on the disk and in the kernel's memory of it. A bitmap
# that is in the journal already is put right by its replay: something has to be written after the damage.
DAMAGE = """
import os, re, subprocess, sys

device = sys.argv[1]
groups = subprocess.run(['dumpe2fs', device], capture_output=True, text=True, check=True).stdout
size = int(re.search(r'Block size: +([0-9]+)', groups)[1])
disk = os.open(device, os.O_RDWR)
harmed = 0
for block in re.findall('Block bitmap at ([0-9]+)', groups):
    place = int(block) * size + size - 256
    before = os.pread(disk, 64, place)
    if before == bytes(64):
        harmed += os.pwrite(disk, bytes([255]) * 64, place) // 64
os.fsync(disk)
sys.exit(not harmed and 'no group has free blocks at its end')
"""


def ldiskfs(small: Small, writers: list[Writer], steps: Steps) -> None:
    """Damage on the disk, and the kernel's own injected error, which ends as one that it finds by itself."""
    server, target, writer = small.oss, OSS.targets[0], writers[0]
    with steps.step('an error of a target: it stops writing at once, and the probe and the serve document say so'):
        device = server.run(f"awk '/{target}/ {{print $1}}' /proc/mounts").strip()
        server.put('/run/damage.py', DAMAGE)
        server.run(f'python3 /run/damage.py {device}')
        fresh = f'{writer.path}-fresh'
        small.client.run(f'lfs setstripe -c 1 -i 0 {fresh}')
        small.client.run(f'dd if=/dev/zero of={fresh} bs=1M count=48 conv=fsync', 300)
        server.run(f'echo lab >/sys/fs/ldiskfs/{device.removeprefix("/dev/")}/trigger_fs_error')
        started, at_error = time.monotonic(), writer.count()
        expect_probe(server, 20, f'fails {target} has met errors, and may have stopped writing')
        writers[1].wait_for_more(writers[1].count(), 60)
        if writer.count() > at_error + 2:
            raise ScenarioFailed(f'the client wrote {writer.count() - at_error} times more')
        until(small.client, f'systemctl is-failed --quiet {writer.unit}', 'the client is told nothing', 300)
        if 'Errno 30' not in writer.failed():
            raise ScenarioFailed(f'the client was told {writer.failed()}')
        steps.fact('a client is told of the error, by EROFS, after', time.monotonic() - started, 's')
        code, said = small.tell(server, small.epoch)
        if code != 1 or 'it has met errors, and may have stopped writing: this server has to be replaced' not in said:
            raise ScenarioFailed(f'the serve document says ({code}): {said}')
    with steps.step('a new machine finds the damage, and repairs it after snapshots'):
        damage = small.replace(steps)
        if 'Block bitmap differences' not in damage:
            raise ScenarioFailed(f'e2fsck found no damage of a bitmap:\n{damage}')
        clients_go_on(small, writers, steps)


def zfs(small: Small, writers: list[Writer], steps: Steps) -> None:
    """Each write to the disk fails: ZFS tries again for ever. A person clears it, and what waited goes on."""
    server, target, writer = small.oss, OSS.targets[0], writers[0]
    pool = target.lower()
    with steps.step('each write of a pool fails: the client waits, and the probe says so'):
        disk = server.run(f'zpool status -P {pool} | grep -o "/dev/[^ ]*" | head -n 1').strip()
        server.run(f'zinject -d {disk} -e io -T write -f 100 {pool}')
        hangs = f'fails its check hangs for 20 s: the pool {pool}, which has met errors, does not write'
        steps.fact('an error of a pool is told after', says(server, 'probe', 20, hangs, 180), 's')
        at_error = writer.count()
        writers[1].wait_for_more(writers[1].count(), 60)
        if writer.failed() or writer.count() > at_error:
            raise ScenarioFailed(f'the client wrote to a pool that does not, or failed: {writer.failed()}')
    with steps.step('the disk is well again, and a person clears the pool: served on, by the same machine'):
        server.run(f'zinject -c all && zpool clear {pool}')
        clients_go_on(small, writers, steps)
        expect_probe(server, 0, 'serves')


def clients_go_on(small: Small, writers: list[Writer], steps: Steps) -> None:
    """Who waited gets further; who was told of an error finds all that was acknowledged, and writes anew."""
    started = time.monotonic()
    for number, writer in enumerate(writers):
        if writer.failed():
            check(small.client, writer.path, writer.written())
            writers[number] = start_writer(small.client, number, f'{writer.path}-again')
    for writer, count in [(writer, writer.count()) for writer in writers]:
        writer.wait_for_more(count, 400)
    steps.fact('clients write again after', time.monotonic() - started, 's')
    expect_probe(small.oss, 0, 'serves')


def start_writer(client: Machine, number: int, path: str) -> Writer:
    """A writer to a file on one target."""
    writer = Writer(client, path)
    client.run(f'lfs setstripe -c 1 -i {number} {path}', 400)
    writer.start()
    return writer


RUN = {'ldiskfs': ldiskfs, 'zfs': zfs}
