"""User data, made by the same HostBundle that synthesis uses."""

import json
from collections.abc import Mapping

from .commands import host
from .settings import LAB, PROJECT

Roles = Mapping[str, Mapping[str, str]]

_rendered: dict[str, str] = {}


class CannotRender(Exception):
    """The project's packages are not installed."""


def render(roles: Roles) -> str:
    """The user data of a host with these roles. Rendered once for each set of roles and settings."""
    wanted = json.dumps(roles)
    if wanted not in _rendered:
        tsx = PROJECT / 'node_modules' / '.bin' / 'tsx'
        if not tsx.exists():
            raise CannotRender(f'{tsx} is missing; make setup installs the packages of the project')
        _rendered[wanted] = host([tsx, LAB / 'render-user-data.ts'], timeout=120, stdin=wanted)
    return _rendered[wanted]
