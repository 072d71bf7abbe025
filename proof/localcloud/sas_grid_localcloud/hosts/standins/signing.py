"""Keys and signatures: gpg and gpgv, and what rpm does with them. What they print follows rpm 4.16 and GnuPG 2.3."""

from __future__ import annotations

import os
import sys

import stub
from host import Failed
from paths import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _home() -> Path:
    folder = Path(os.environ['GNUPGHOME']) / 'private-keys-v1.d'
    folder.make_folder()
    return folder


def _secrets(home: Path) -> dict[str, str]:
    """What the private keys are made of, by fingerprint."""
    return {key.name: key.read_text() for key in home.children()}


def _add(secret: str) -> None:
    (_home() / stub.fingerprint(secret)).write_text(secret)


def gpg(arguments: Sequence[str]) -> int:
    for command in COMMANDS:
        if command in arguments:
            return COMMANDS[command](list(arguments))
    # Keys of the outside, such as that of AWS's command line, are not looked at.
    return 0


def _generate(_: list[str]) -> int:
    if 'Key-Type' not in sys.stdin.read():
        raise Failed(2, 'gpg: no Key-Type was named')
    _add(os.urandom(20).hex())
    return 0


def _import(arguments: list[str]) -> int:
    text = Path(arguments[-1]).read_text()
    secret = stub.unblocked(stub.PRIVATE, text)
    if not secret:
        raise Failed(2, 'gpg: no valid OpenPGP data found.')
    _add(secret)
    return 0


def _list(_: list[str]) -> int:
    for key in _secrets(_home()):
        print(f'sec:u:4096:1:{key[-16:]}:0:::u:::scSC:::+:::23::0:\nfpr:::::::::{key}:')
    return 0


def _export_secret(_: list[str]) -> int:
    for secret in _secrets(_home()).values():
        print(stub.block(stub.PRIVATE, secret), end='')
    return 0


def _export(arguments: list[str]) -> int:
    if arguments[-1] not in _secrets(_home()):
        raise Failed(2, 'gpg: WARNING: nothing exported')
    print(stub.block(stub.PUBLIC, arguments[-1]), end='')
    return 0


def _sign(arguments: list[str]) -> int:
    """A file, to the same name with .asc; standard input to standard output."""
    key = arguments[arguments.index('--local-user') + 1]
    if key not in _secrets(_home()):
        raise Failed(2, f'gpg: no default secret key: No secret key\ngpg: signing failed: {key}')
    file = arguments[-1]
    if file.startswith('--'):
        print(stub.sign(sys.stdin.buffer.read(), key), end='')
    else:
        Path(f'{file}.asc').write_text(stub.sign(Path(file).read_bytes(), key))
    return 0


COMMANDS = {
    '--gen-key': _generate,
    '--import': _import,
    '--list-secret-keys': _list,
    '--export-secret-keys': _export_secret,
    '--export': _export,
    '--detach-sign': _sign,
}


def gpgv(arguments: Sequence[str]) -> int:
    ring, (signature, data) = Path(arguments[arguments.index('--keyring') + 1]), arguments[-2:]
    known = stub.public_keys([ring])
    if not known:
        # A key of the outside: what AWS signs is not there, either.
        return 0
    signer = stub.signer(Path(data).read_bytes(), Path(signature).read_text())
    if not signer:
        raise Failed(1, 'gpgv: BAD signature')
    if signer not in known:
        raise Failed(2, "gpgv: Can't check signature: No public key")
    return 0


def rpmkeys(arguments: Sequence[str]) -> int:
    """--import and --checksig, with the keys of --dbpath."""
    keys = Path(arguments[arguments.index('--dbpath') + 1])
    at = arguments.index('--import' if '--import' in arguments else '--checksig')
    files = [Path(name) for name in arguments[at + 1 :] if not name.startswith('--')]
    if '--import' in arguments:
        return _import_public(keys, files)
    known = [key.name for key in keys.children()]
    said = [_checked(file, known, '--verbose' in arguments) for file in files]
    print('\n'.join(text for text, _ in said))
    return 0 if all(good for _, good in said) else 1


def _import_public(keys: Path, files: list[Path]) -> int:
    keys.make_folder()
    for file in files:
        found = stub.public_keys([file])
        if not found:
            raise Failed(1, f'error: {file}: key 1 not an armored public key.')
        (keys / found[0]).touch()
    return 0


def _checked(file: Path, known: list[str], verbose: bool) -> tuple[str, bool]:
    text = file.read_bytes().decode('utf-8', 'replace')
    whole = stub.whole(text)
    key, fits = stub.signature(text)
    verdict = 'BAD' if key and not fits else 'OK' if key in known else 'NOKEY'
    good = whole and (not key or verdict == 'OK')
    if verbose:
        lines = [f'    Header V4 RSA/SHA256 Signature, key ID {key[-8:].lower()}: {verdict}'] if key else []
        lines.append(f'    Header SHA256 digest: {"OK" if whole else "BAD"}')
        return '\n'.join([f'{file}:', *lines]), good
    digests = 'digests' if whole else 'DIGESTS'
    signatures = '' if not key else ' signatures' if verdict == 'OK' else ' SIGNATURES'
    return f'{file}: {digests}{signatures} {"OK" if good else "NOT OK"}', good


def rpmsign(arguments: Sequence[str]) -> int:
    defined = dict(
        value.partition(' ')[::2] for at, value in enumerate(arguments) if at and arguments[at - 1] == '--define'
    )
    key = defined['_gpg_name']
    if key not in _secrets(Path(defined['_gpg_path']) / 'private-keys-v1.d'):
        raise Failed(1, 'gpg: signing failed: No secret key\nerror: gpg exec failed (2)')
    for name in arguments[arguments.index('--addsign') + 1 :]:
        file = Path(name)
        text = file.read_text()
        stub.read(text, name)
        file.write_text(stub.add_signature(text, key))
        print(f'{name}:')
    return 0


TOOLS = {'gpg': gpg, 'gpgv': gpgv, 'rpmkeys': rpmkeys, 'rpmsign': rpmsign}
