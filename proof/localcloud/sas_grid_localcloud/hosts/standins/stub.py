"""Packages and keys as text: what a real one says of itself, and whose signature it has.

A signature is a hash over what is signed and the fingerprint of the key. Anybody could make one: it shows what was
changed and who has signed, where nobody means to deceive.
"""

from __future__ import annotations

import hashlib

from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paths import Path

DISTRIBUTION_KEY = 'D' * 40
"""The fingerprint of the key of every distribution; its public part is in the images (hosts/sandbox.py)."""
ARCHITECTURES = ('x86_64', 'aarch64', 'noarch')
_FIRST = 'stub of a package'
_FIELDS = ('NAME', 'VERSION', 'RELEASE', 'ARCH')


class Package:
    """A package, in a file or to be."""

    def __init__(self, name: str, version: str, release: str, arch: str) -> None:
        self.name, self.version, self.release, self.arch = name, version, release, arch

    @property
    def build(self) -> str:
        return f'{self.version}-{self.release}.{self.arch}'

    @property
    def file(self) -> str:
        return f'{self.name}-{self.build}.rpm'

    def text(self) -> str:
        """As a file, without a signature."""
        values = (self.name, self.version, self.release, self.arch)
        lines = [_FIRST, *(f'{key}={value}' for key, value in zip(_FIELDS, values, strict=True))]
        content = ''.join(f'{line}\n' for line in lines)
        return f'{content}DIGEST={_hash(content)}\n'

    def format(self, wanted: str) -> str:
        """What rpm prints for a query format."""
        for key, value in zip(_FIELDS, (self.name, self.version, self.release, self.arch), strict=True):
            wanted = wanted.replace(f'%{{{key}}}', value)
        return wanted.replace('\\n', '\n')


def read(text: str, where: str) -> Package:
    """What a file says it is."""
    lines = text.splitlines()
    said = dict(line.partition('=')[::2] for line in lines)
    if lines[:1] != [_FIRST] or any(not said.get(key) for key in _FIELDS):
        raise Failed(1, f'error: {where}: not an rpm package (or package manifest)')
    return Package(*(said[key] for key in _FIELDS))


def add_signature(text: str, key: str) -> str:
    """The package signed with a key, and with no other one."""
    content = text.partition('SIGNATURE=')[0]
    return f'{content}SIGNATURE={key} {_hash(key + content)}\n'


def whole(text: str) -> bool:
    """Whether the digest fits."""
    content, found, rest = text.partition('DIGEST=')
    return bool(found) and rest.split('\n')[0] == _hash(content)


def signature(text: str) -> tuple[str, bool]:
    """The key that signed a package, '' when none did, and whether it signed this very content."""
    content, found, rest = text.partition('SIGNATURE=')
    if not found:
        return '', False
    key, _, said = rest.strip().partition(' ')
    return key, said == _hash(key + content)


def wanted(spec: str) -> tuple[str, str, str, bool]:
    """What dnf is asked for: name, version and release, as far as they are named; whether newer ones fit, too."""
    name, newer, version = spec.partition(' >= ')
    if newer:
        return name, version, '', True
    stem, _, last = spec.rpartition('.')
    parts = (stem if last in ARCHITECTURES else spec).split('-')
    cut = next((at for at, part in enumerate(parts) if part[:1].isdigit()), len(parts))
    version, _, release = '-'.join(parts[cut:]).rstrip('*').partition('-')
    return '-'.join(parts[:cut]), version, release, False


def not_below(version: str, least: str) -> bool:
    return _numbers(version) >= _numbers(least)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.replace('-', '.').split('.') if part.isdigit()]


def block(kind: str, content: str) -> str:
    """An armoured block of OpenPGP, of this kind."""
    return f'-----BEGIN PGP {kind}-----\n\n{content}\n-----END PGP {kind}-----\n'


def unblocked(kind: str, text: str) -> str:
    """What is in such a block; '' in any other text."""
    lines = text.splitlines()
    begins = f'-----BEGIN PGP {kind}-----'
    return lines[lines.index(begins) + 2] if begins in lines and len(lines) > lines.index(begins) + 2 else ''


PUBLIC, PRIVATE, SIGNATURE = 'PUBLIC KEY BLOCK', 'PRIVATE KEY BLOCK', 'SIGNATURE'


def fingerprint(secret: str) -> str:
    return _hash(secret)[:40].upper()


def sign(content: bytes, key: str) -> str:
    """A signature of its own."""
    return block(SIGNATURE, f'{key} {_hash_of(key.encode() + content)}')


def signer(content: bytes, armoured: str) -> str:
    """The key that made the signature; '' when it is of something else."""
    key, _, said = unblocked(SIGNATURE, armoured).partition(' ')
    return key if said == _hash_of(key.encode() + content) else ''


def public_keys(files: list[Path]) -> list[str]:
    """The fingerprints in these files."""
    found = (unblocked(PUBLIC, file.read_text()) for file in files if file.is_file())
    return [key for key in found if key]


def _hash(text: str) -> str:
    return _hash_of(text.encode())


def _hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
