"""What Pacemaker does on a node by itself: locks, then the shared file system, where the configuration has them."""

from __future__ import annotations

import os
import sys

import cluster
import gfs2
import host
import logical
import lvm
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LVM_CONF = host.ROOT / 'etc/lvm/lvm.conf'


def lockd_configured() -> bool:
    return LVM_CONF.exists() and any(line.strip() == 'use_lvmlockd = 1' for line in LVM_CONF.read_text().splitlines())


def step() -> None:
    """Bring up what should run here and may. What cannot yet is tried again at the next step."""
    if not cluster.COROSYNC.exists() or not cluster.PACEMAKER.exists():
        return
    with cluster.state(cluster.configuration()[0]) as shared:
        member = shared['members'].get(host.INSTANCE)
        if not member:
            return
        # While a member may still write, nobody gets a lock.
        free = cluster.fence(shared) and cluster.quorate(shared)
        found = {key for key in ('locks-clone', 'gfs2-clone') if key in shared['cib']}
        stonith = cluster.value(shared, 'cib-bootstrap-options-stonith-enabled') == 'true'
        device = cluster.value(shared, 'mount-instance-device')
        directory = cluster.value(shared, 'mount-instance-directory')
    if not (free and stonith and member['fenceable'] and 'locks-clone' in found):
        return
    if not cluster.LOCKD.exists():
        if not lockd_configured():
            return
        cluster.DLM.make_folder()
        (cluster.DLM / 'lvm_global').make_folder()
        cluster.LOCKD.touch()
    if 'gfs2-clone' in found and not _mounted(directory):
        try:
            _mount(device, directory)
        except Failed as failed:
            print(f'pacemaker: {failed}', file=sys.stderr)


def _mounted(directory: str) -> bool:
    return any(line[1] == str(host.ROOT / directory.lstrip('/')) for line in host.mounts())


def _mount(device: str, directory: str) -> None:
    group, name = device.removeprefix('/dev/').split('/')
    lvm.lvchange(['--activate', 'sy', f'{group}/{name}'])
    gfs2.mount(str(host.ROOT / device.lstrip('/')), str(host.ROOT / directory.lstrip('/')), 'noatime')


def stop() -> None:
    """Pacemaker ends: the file system is unmounted, locks are given back."""
    for line in [line for line in host.mounts() if line[2] == 'gfs2']:
        host.write_mounts([other for other in host.mounts() if other != line])
        gfs2.unmounted(line[0])
        volume = logical.LogicalVolume(line[0])
        lvm.lvchange(['--activate', 'n', f'{volume.group}/{volume.name}'])
    with cluster.state(cluster.configuration()[0]) as shared:
        cluster.release(shared, host.INSTANCE)
        if host.INSTANCE in shared['members']:
            shared['members'][host.INSTANCE]['fenceable'] = False
    cluster.LOCKD.remove()
    for space in cluster.DLM.children():
        os.rmdir(str(space))


def pgrep(arguments: Sequence[str]) -> int:
    step()
    return 0 if arguments[-1] == 'lvmlockd' and cluster.LOCKD.exists() else 1


def crm_node(arguments: Sequence[str]) -> int:
    step()
    return cluster.crm_node(arguments)


def cibadmin(arguments: Sequence[str]) -> int:
    status = cluster.cibadmin(arguments)
    step()
    return status


def lvmconfig(_: Sequence[str]) -> int:
    print(f'use_lvmlockd={int(lockd_configured())}')
    return 0


def lvmdevices(arguments: Sequence[str]) -> int:
    disk = host.Device(arguments[list(arguments).index('--adddev') + 1])
    listed = logical.DEVICES_FILE.read_text().split()
    if disk.id not in listed:
        logical.DEVICES_FILE.append_text(f'{disk.id}\n')
    return 0


TOOLS = {
    'pgrep': pgrep,
    'crm_node': crm_node,
    'cibadmin': cibadmin,
    'lvmconfig': lvmconfig,
    'lvmdevices': lvmdevices,
    'corosync-cfgtool': cluster.corosync_cfgtool,
    'crm_attribute': cluster.crm_attribute,
    'stonith_admin': cluster.stonith_admin,
}
