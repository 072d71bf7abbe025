"""The search path of hosts: harmless tools of this machine, and stand-ins for the others."""

import os
import shlex
import shutil
import sys
from pathlib import Path

HARMLESS = [
    'awk',
    'base64',
    'basename',
    'bash',
    'cat',
    'chmod',
    'cmp',
    'cp',
    'cut',
    'date',
    'diff',
    'dirname',
    'env',
    'expr',
    'false',
    'find',
    'flock',
    'grep',
    'gzip',
    'head',
    'ln',
    'ls',
    'mkdir',
    'mktemp',
    'mv',
    'od',
    'printf',
    'pwd',
    'readlink',
    'rm',
    'rmdir',
    'sed',
    'seq',
    'sh',
    'sha256sum',
    'sleep',
    'sort',
    'stat',
    'sync',
    'tail',
    'tar',
    'tee',
    'test',
    'timeout',
    'touch',
    'tr',
    'true',
    'uname',
    'uniq',
    'wc',
    'xargs',
]
"""Tools that only read, or write where they are told; hosts get this machine's own."""

STAND_INS = [
    'blkid',
    'curl',
    'dnf',
    'getent',
    'groupadd',
    'hostnamectl',
    'ip',
    'lctl',
    'lnetctl',
    'mdadm',
    'mkfs.ext4',
    'mkfs.lustre',
    'mkfs.xfs',
    'mount',
    'rpm',
    'systemctl',
    'systemd-escape',
    'tunefs.lustre',
    'umount',
    'useradd',
    'wipefs',
    'zgenhostid',
    'zpool',
]
"""Tools that would touch the machine; hosts get ours."""

NO_EFFECT = [
    'apt-get',
    'blockdev',
    'chown',
    'dpkg',
    'dpkg-query',
    'gpg',
    'gpgv',
    'lfs',
    'logger',
    'lsblk',
    'modprobe',
    'nginx',
    'nmcli',
    'runuser',
    'sysctl',
    'tuned-adm',
    'udevadm',
    'usermod',
    'zfs',
]
"""Tools whose effect nothing in the emulation depends on; they are noted in the host's tools.log."""

_STANDIN_FOLDER = Path(__file__).parent / 'standins'


class MissingTool(Exception):
    """This machine lacks a tool that hosts need."""


def make_search_path(folder: Path) -> Path:
    """Fill a folder with what hosts may call, and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in HARMLESS:
        found = shutil.which(name)
        if found is None:
            raise MissingTool(f'{name} is not on the PATH; hosts of the embedded AWS need it: install it')
        _link(folder / name, Path(found))
    launcher = folder / '.stand-in'
    program = shlex.quote(str(_STANDIN_FOLDER / 'main.py'))
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -IS {program} "$0" "$@"\n')
    launcher.chmod(0o755)
    for name in STAND_INS:
        _link(folder / name, launcher)
    silent = folder / '.no-effect'
    silent.write_text('#!/bin/sh\necho "$(date +%s.%3N) ${0##*/} $*" >>"$SAS_GRID_ROOT/var/log/tools.log"\n')
    silent.chmod(0o755)
    for name in NO_EFFECT:
        _link(folder / name, silent)
    return folder


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and os.readlink(link) == str(target):
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)
