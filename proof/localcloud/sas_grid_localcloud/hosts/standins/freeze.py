"""fsfreeze: what is frozen is remembered, and refused a second time, as the kernel does (fsfreeze(8), FIFREEZE)."""

from __future__ import annotations

import gfs2
import host
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FROZEN = host.ROOT / 'run/frozen'


def fsfreeze(arguments: Sequence[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ('-f', '--freeze', '-u', '--unfreeze'):
        raise Failed(1, f'fsfreeze: {" ".join(arguments)} is not emulated')
    verb, place = arguments
    directory = place.rstrip('/')
    mounts = {line[1]: line for line in host.mounts()}
    if directory not in mounts:
        # There it would be the root file system.
        raise Failed(1, f'fsfreeze: {place}: nothing is mounted there')
    source, _, kind = mounts[directory][:3]
    if kind == 'gfs2':
        return (gfs2.freeze if verb in ('-f', '--freeze') else gfs2.thaw)(source, place)
    held = FROZEN.read_text().splitlines() if FROZEN.exists() else []
    if verb in ('-f', '--freeze'):
        if directory in held:
            raise Failed(1, f'fsfreeze: {place}: freeze failed: Device or resource busy')
        FROZEN.parent.make_folder()
        FROZEN.write_text(''.join(f'{one}\n' for one in [*held, directory]))
        return 0
    if directory not in held:
        raise Failed(1, f'fsfreeze: {place}: unfreeze failed: Invalid argument')
    FROZEN.write_text(''.join(f'{one}\n' for one in held if one != directory))
    return 0


TOOLS = {'fsfreeze': fsfreeze}
