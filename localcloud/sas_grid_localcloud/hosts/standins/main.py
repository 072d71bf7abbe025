"""Stand-in for a tool that would touch the machine: the name it was called by says which.

Started as ``main.py NAME ARGUMENT...`` inside a host, with ``SAS_GRID_ROOT`` naming the host's root.
"""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

import host
import lustre
import storage
import system

TOOLS = {**system.TOOLS, **storage.TOOLS, **lustre.TOOLS}


def main() -> int:
    name, arguments = os.path.basename(sys.argv[1]), sys.argv[2:]
    log = host.ROOT / 'var/log/tools.log'
    log.parent.make_folder()
    log.append_text(f'{time.time():.3f} {name} {" ".join(arguments)}\n')
    try:
        return TOOLS[name](arguments)
    except host.Failed as failed:
        print(failed, file=sys.stderr)
        return failed.code


if __name__ == '__main__':
    sys.exit(main())
