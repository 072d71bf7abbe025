"""A GFS2 that is checked while no node has it mounted."""

import re
from collections.abc import Sequence
from functools import partial

from ..machine import Machine
from ..report import ScenarioFailed
from ._gfs2_programs import POINT
from ._until import until

UNCORRECTED = 4
"""fsck.gfs2(8): something is wrong that was not mended, which is all that -n can do"""

_STATFS = re.compile(
    r'The statfs file is wrong:.*?free: +(?P<told>\d+).*?free: +(?P<counted>\d+).*?The statfs file was not fixed\.',
    re.DOTALL,
)
_PROGRESS = re.compile(
    r'Initializing fsck|Validating resource group index|Level 1 resource group check: Checking |\(level 1 passed\)'
    r'|Starting |Reconciling bitmaps|\s*\d+ percent complete|\w+ completed in |fsck\.gfs2 complete'
)


def fsck(nodes: Sequence[Machine]) -> int:
    """As `checked`, after all nodes have unmounted, as an administrator would: locks and volume stay as they are."""
    nodes[0].run('crm_resource --resource mount --meta --set-parameter target-role --parameter-value Stopped')
    # A mount is out of sight before the kernel has written the last of it; what it shows of the file system goes last.
    gone = f'! findmnt {POINT} && ! ls /sys/fs/gfs2/*/'
    for node in nodes:
        until(f'{node.name} unmounts', partial(_succeeds, node, gone))
    off = checked(nodes[0], '/dev/labgfs/sasdata')
    nodes[0].run('crm_resource --resource mount --meta --delete-parameter target-role')
    for node in nodes:
        until(f'{node.name} mounts again', partial(_succeeds, node, f'findmnt {POINT}'))
    return off


def checked(node: Machine, device: str) -> int:
    """Check a device that nobody has mounted.

    :returns: by how many blocks the counts are off that df shows
    """
    code, output = node.try_run(f'fsck.gfs2 -n {device} 2>&1', 240)
    off = statfs_is_off_by(output) if code == UNCORRECTED else 0
    if code != 0 and not off:
        raise ScenarioFailed(f'fsck.gfs2 ended with {code}:\n{output[-2000:]}')
    return off


def _succeeds(node: Machine, command: str) -> bool:
    code, _ = node.try_run(command)
    return code == 0


def statfs_is_off_by(output: str) -> int:
    """By how many free blocks the file is off that df is answered from; 0 when fsck.gfs2 finds anything else wrong.

    Each node keeps its changes of it for itself for a while. What a node that was fenced had not told the others may
    be missing; the blocks themselves are where the resource groups say.
    """
    found = _STATFS.search(output)
    rest = (output[: found.start()] + output[found.end() :]) if found else output
    usual = all(_PROGRESS.match(line) for line in rest.splitlines() if line.strip())
    return abs(int(found['told']) - int(found['counted'])) if found and usual else 0
