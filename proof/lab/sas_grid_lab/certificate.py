"""A throw-away authority, and what it certifies."""

from pathlib import Path

from .commands import host

_NEW: list[str | Path] = ['openssl', 'req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']


class Certificate:
    """An authority of its own and a certificate for a name and others."""

    def __init__(self, folder: Path, name: str, *others: str) -> None:
        authority, key = folder / 'authority.pem', folder / 'authority.key'
        self.file, self.key = folder / 'server.pem', folder / 'server.key'
        request, extensions = folder / 'server.csr', folder / 'server.ext'
        host([*_NEW, '-x509', '-days', '2', '-subj', '/CN=lab authority', '-keyout', key, '-out', authority])
        host([*_NEW, '-subj', f'/CN={name}', '-keyout', self.key, '-out', request])
        names = ','.join(f'DNS:{one}' for one in (name, *others))
        extensions.write_text(f'subjectAltName={names}\n')
        sign: list[str | Path] = ['openssl', 'x509', '-req', '-days', '2', '-in', request]
        sign += ['-CA', authority, '-CAkey', key, '-CAcreateserial', '-extfile', extensions, '-out', self.file]
        host(sign)
        self.authority = authority.read_text()
        """what a client trusts"""
        self.hash = host(['openssl', 'x509', '-noout', '-subject_hash', '-in', authority]).strip()
        """under which name OpenSSL looks for it in /etc/ssl/certs, with '.0'"""
