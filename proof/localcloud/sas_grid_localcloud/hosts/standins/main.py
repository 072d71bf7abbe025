"""Stand-in for a tool that would touch the machine: the name it was called by says which.

Started as ``main.py NAME ARGUMENT...`` inside a host, with ``SAS_GRID_ROOT`` naming the host's root.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

import host

TOOLS_OF = {
    'system': ('curl', 'getent', 'groupadd', 'hostnamectl', 'ip', 'sysctl', 'useradd', 'zgenhostid'),
    'packages': ('dnf', 'rpm'),
    'repositories': ('createrepo_c',),
    'signing': ('gpg', 'gpgv', 'rpmkeys', 'rpmsign'),
    'image': ('cloud-init', 'grubby', 'locale', 'losetup'),
    'systemd': ('systemctl', 'systemd-escape'),
    'systemd_run': ('systemd-run',),
    'storage': ('blkid', 'mdadm', 'mkfs.ext4', 'mkfs.xfs', 'mount', 'umount', 'wipefs', 'zpool'),
    'lvm': ('lvchange', 'lvcreate', 'lvextend', 'lvs', 'pvresize', 'pvs', 'vgchange', 'vgcreate', 'vgs'),
    'filesystems': ('dumpe2fs', 'e2fsck', 'e2mmpstatus', 'resize2fs'),
    'nfs': ('mountpoint', 'nfsconf', 'timeout'),
    'gfs2': ('mkfs.gfs2',),
    'pacemaker': (
        'cibadmin',
        'corosync-cfgtool',
        'crm_attribute',
        'crm_node',
        'lvmconfig',
        'lvmdevices',
        'pgrep',
        'stonith_admin',
    ),
    'freeze': ('fsfreeze',),
    'python': ('python3',),
    'lustre': ('lctl', 'lfs', 'lnetctl', 'mkfs.lustre', 'tunefs.lustre'),
}
"""Which module has a tool. Only that one is loaded: starting is most of the time that a tool takes."""

OF_PACKAGES = {
    'lvm2': (*TOOLS_OF['lvm'], 'lvmconfig', 'lvmdevices'),
    'nfs-utils': ('nfsconf',),
    'pacemaker': ('cibadmin', 'crm_attribute', 'crm_node', 'stonith_admin'),
    'corosync': ('corosync-cfgtool',),
    'gfs2-utils': ('mkfs.gfs2',),
}
"""Tools that are not there before a package is installed."""


def main() -> int:
    name, arguments = os.path.basename(sys.argv[1]), sys.argv[2:]
    log = host.ROOT / 'var/log/tools.log'
    log.parent.make_folder()
    log.append_text(f'{time.time():.3f} {name} {" ".join(arguments)}\n')
    for package, tools in OF_PACKAGES.items():
        if name in tools and not host.installed(package):
            print(f'{name}: command not found', file=sys.stderr)
            return 127
    try:
        module = next(module for module, tools in TOOLS_OF.items() if name in tools)
        return int(__import__(module).TOOLS[name](arguments))
    except host.Failed as failed:
        print(failed, file=sys.stderr)
        return failed.code


if __name__ == '__main__':
    sys.exit(main())
