"""Unit files: where they lie, which a package brings, and what is in them."""

from __future__ import annotations

import host

UNITS = host.ROOT / 'etc/systemd/system'
ENABLED = UNITS / 'multi-user.target.wants'
STARTED = host.ROOT / 'run/units'
LOADED = host.ROOT / 'run/loaded-units'

OF_PACKAGES = {
    'amazon-ssm-agent.service': '',
    'chronyd.service': '',
    'systemd-resolved.service': '',
    'nginx.service': 'nginx',
    'tuned.service': 'tuned',
    'nfs-server.service': 'nfs-utils',
    'nfsdcld.service': 'nfs-utils',
    'rpc-statd.service': 'nfs-utils',
    'rpcbind.service': 'nfs-utils',
    'rpcbind.socket': 'nfs-utils',
    'corosync.service': 'corosync',
    'pacemaker.service': 'pacemaker',
    'dlm.service': 'dlm',
    'lvmlockd.service': 'lvm2-lockd',
    'lvmlocks.service': 'lvm2-lockd',
}
"""Units that the image has, and those that a package brings."""


def known(unit: str) -> bool:
    if (UNITS / unit).exists():
        return True
    return unit in OF_PACKAGES and (not OF_PACKAGES[unit] or host.installed(OF_PACKAGES[unit]))


def masked(unit: str) -> bool:
    return str((UNITS / unit).resolve()) == '/dev/null'


def parse(unit: str) -> dict[str, list[str]]:
    """A unit as systemd knows it: as it was when it was loaded, until all are loaded anew. An empty value clears."""
    loaded = LOADED / unit
    if not loaded.exists():
        files = [UNITS / unit, *(UNITS / f'{unit}.d').children()]
        LOADED.make_folder()
        loaded.write_text('\n'.join(file.read_text() for file in files if file.is_file()))
    found: dict[str, list[str]] = {}
    for line in loaded.read_text().splitlines():
        key, separator, value = line.partition('=')
        if separator and not value:
            found.pop(key, None)
        elif separator:
            found.setdefault(key, []).append(value)
    return found


def names(settings: dict[str, list[str]], *keys: str) -> list[str]:
    return ' '.join(value for key in keys for value in settings.get(key, [])).split()


def coming_before(unit: str) -> list[str]:
    """Services of enabled targets that say of themselves that they do."""
    targets = [link.name for link in ENABLED.children() if link.name.endswith('.target')]
    services = [name.replace('.target', '.service') for name in targets]
    return [one for one in services if (UNITS / one).exists() and unit in names(parse(one), 'Before')]


def reload() -> None:
    """All units are read anew when they are needed next."""
    for unit in LOADED.children():
        unit.remove()
