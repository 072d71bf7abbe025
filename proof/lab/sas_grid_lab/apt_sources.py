"""The apt sources of the guest: those of this host, or a file that SAS_GRID_LAB_SOURCES names."""

from pathlib import Path

from .commands import HostCommandFailed, host

SUITE = 'bookworm'
FORMAT = '$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)'
PASSED_ON = ('Acquire::http', 'Acquire::https', 'Acquire::Check-Valid-Until', 'Acquire::Check-Date', 'Acquire::Retries')


class NoSources(Exception):
    """This host has no source of the guest's packages."""


def sources(chosen: Path | None) -> str:
    """One-line apt sources of Debian 12."""
    if chosen:
        return chosen.read_text()
    found = from_targets(_targets())
    if not found:
        # A fresh container has sources, but has not read them yet.
        host(['apt-get', 'update', '-qq'], timeout=300)
        found = from_targets(_targets())
    if not found:
        raise NoSources(
            'the apt sources of this host do not offer Debian 12 (bookworm), of which the guests are made; '
            'write its sources, one "deb ..." a line, to a file and name it in SAS_GRID_LAB_SOURCES'
        )
    return found


def _targets() -> str:
    try:
        return host(['apt-get', 'indextargets', '--format', FORMAT, 'Created-By: Packages'])
    except HostCommandFailed as problem:
        raise NoSources(f'the apt sources of this host cannot be read: {problem}') from problem


def from_targets(text: str) -> str:
    """Sources out of what apt-get indextargets prints."""
    components: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines():
        origin, codename, address, release, component = line.split('|')
        if origin == 'Debian' and codename in (SUITE, f'{SUITE}-updates', f'{SUITE}-security'):
            known = components.setdefault((address, release), [])
            if component not in known:
                known.append(component)
    return ''.join(f'deb {address} {release} {" ".join(names)}\n' for (address, release), names in components.items())


def with_contrib(text: str) -> str:
    """The same sources with Debian's section contrib, where they have main."""
    lines = text.splitlines()
    return ''.join(f'{line} contrib\n' if ' main' in line and ' contrib' not in line else f'{line}\n' for line in lines)


def options() -> list[str]:
    """The host's settings of apt that decide whether a mirror can be used: proxies, tolerance of old indexes."""
    lines = host(['apt-config', 'dump']).splitlines()
    return [line.rstrip(';') for line in lines if line.startswith(PASSED_ON) and not line.endswith(' "";')]


def available(package: str) -> bool:
    """Whether the sources of this host have a package."""
    return 'Candidate: (none)' not in (shown := host(['apt-cache', 'policy', package])) and 'Candidate:' in shown
