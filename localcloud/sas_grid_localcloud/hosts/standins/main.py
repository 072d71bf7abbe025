"""Stand-in for a tool that would touch the machine: the name it was called by says which.

Started as ``main.py NAME ARGUMENT...`` inside a host, with ``SAS_GRID_ROOT`` naming the host's root.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

import filesystems
import gfs2
import host
import lustre
import lvm
import nfs
import pacemaker
import python
import storage
import system
import systemd

TOOLS = {
    **system.TOOLS,
    **systemd.TOOLS,
    **storage.TOOLS,
    **lvm.TOOLS,
    **filesystems.TOOLS,
    **nfs.TOOLS,
    **gfs2.TOOLS,
    **pacemaker.TOOLS,
    **python.TOOLS,
    **lustre.TOOLS,
}
OF_PACKAGES = {
    'lvm2': (*lvm.TOOLS, 'lvmconfig', 'lvmdevices'),
    'nfs-utils': ('nfsconf',),
    'pacemaker': ('cibadmin', 'crm_attribute', 'crm_node'),
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
        return TOOLS[name](arguments)
    except host.Failed as failed:
        print(failed, file=sys.stderr)
        return failed.code


if __name__ == '__main__':
    sys.exit(main())
