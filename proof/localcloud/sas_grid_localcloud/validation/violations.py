"""What is wrong with a request."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """One member that is not what the service's model says."""

    path: str
    """from the request down: ``tagSpecifications.1.tags.2.key``"""
    kind: str
    """missing, type, unknown, length, range, pattern, enum or union"""
    message: str


Found = list[Violation]


def below(path: str, name: str) -> str:
    """The path of a member."""
    return f'{path}.{name}' if path else name


def shown(path: str) -> str:
    """A path as AWS's messages write it, each part with a small first letter."""
    return '.'.join(part[:1].lower() + part[1:] for part in path.split('.'))
