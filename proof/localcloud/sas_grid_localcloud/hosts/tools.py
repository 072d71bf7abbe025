"""The search path of hosts: harmless tools of this machine, and stand-ins for the others."""

import compileall
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
    'df',
    'diff',
    'dirname',
    'echo',
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
    'paste',
    'printf',
    'pwd',
    'readlink',
    'rm',
    'rmdir',
    'sed',
    'seq',
    'setsid',
    'sh',
    'sha256sum',
    'sleep',
    'sort',
    'stat',
    'tail',
    'tar',
    'tee',
    'test',
    'touch',
    'tr',
    'true',
    'truncate',
    'uniq',
    'wc',
    'xargs',
]
"""Tools that only read, or write where they are told; hosts get this machine's own."""

STAND_INS = [
    'blkid',
    'cibadmin',
    'cloud-init',
    'corosync-cfgtool',
    'crm_attribute',
    'crm_node',
    'curl',
    'dnf',
    'dumpe2fs',
    'e2fsck',
    'e2mmpstatus',
    'fsfreeze',
    'getent',
    'gpg',
    'gpgv',
    'groupadd',
    'grubby',
    'hostnamectl',
    'ip',
    'lctl',
    'lfs',
    'lnetctl',
    'locale',
    'losetup',
    'lvchange',
    'lvcreate',
    'lvextend',
    'lvmconfig',
    'lvmdevices',
    'lvs',
    'mdadm',
    'mkfs.ext4',
    'mkfs.gfs2',
    'mkfs.lustre',
    'mkfs.xfs',
    'mount',
    'mountpoint',
    'nfsconf',
    'pgrep',
    'pvresize',
    'pvs',
    'python3',
    'resize2fs',
    'rpm',
    'rpmkeys',
    'stonith_admin',
    'sysctl',
    'systemctl',
    'systemd-escape',
    'systemd-run',
    'tunefs.lustre',
    'umount',
    'useradd',
    'vgchange',
    'vgcreate',
    'vgs',
    'wipefs',
    'zgenhostid',
    'zpool',
]
"""Tools that would touch the machine; hosts get ours."""

OF_PACKAGES = ['createrepo_c', 'rpmsign']
"""Ours, but they are in a host that has installed the package of it (standins/packages.py)."""

REAL_OR_STAND_IN = {'timeout': """*'/dev/tcp/'* | *' stat '*"""}
"""Tools of this machine, but ours for calls that fit the shell pattern: those wait for what is emulated."""

GUARDED = {
    'dd': """for argument; do
  case $argument in
    of=/dev/null | of=/dev/stdout | of="$SAS_GRID_ROOT"/*) ;;
    of=/*) echo "dd: failed to open '${argument#of=}': Permission denied" >&2; exit 1 ;;
  esac
done""",
    'id': """for name; do :; done
case $name in
  -*) ;;
  *) line=$(grep -m 1 -- "^$name:" "$SAS_GRID_ROOT/etc/passwd" 2>/dev/null) ||
      { [ "$name" = root ] || { echo "id: '$name': no such user" >&2; exit 1; }; }
    line=${line:-root:x:0:0}
    line=${line#*:*:}
    [ "$1" = -g ] && line=${line#*:}
    echo "${line%%:*}"
    exit 0 ;;
esac""",
    # The kernel that the host has chosen at its boot.
    'uname': """if [ "$*" = -r ] && [ -s "$SAS_GRID_ROOT/proc/sys/kernel/osrelease" ]; then
  exec cat "$SAS_GRID_ROOT/proc/sys/kernel/osrelease"
fi""",
    # Where hosts have no file system of their own, theirs is the disk of this machine, which others use as well.
    'sync': """if [ -n "$SAS_GRID_ON_DISK" ]; then
  for name; do
    case $name in -*) ;; *) [ -e "$name" ] || { echo "sync: error opening '$name'" >&2; exit 1; } ;; esac
  done
  exit 0
fi""",
}
"""Tools of this machine, after a look at their arguments: no device is written to, and accounts are the host's."""

OF_HOST = ['fence_sas_grid']
"""Programs of the host's own that lie on its search path."""

AS_ANOTHER = ['runuser', 'setpriv']
"""Tools that run something as another account, which is the same one here."""

NO_EFFECT = [
    'apt-get',
    'blockdev',
    'chown',
    'depmod',
    'dpkg',
    'dpkg-query',
    'fence_aws',
    'gpgconf',
    'logger',
    'lsblk',
    'modinfo',
    'modprobe',
    'nginx',
    'nmcli',
    'tuned-adm',
    'udevadm',
    'usermod',
    'zfs',
]
"""Tools whose effect nothing in the emulation depends on; they are noted in the host's tools.log."""

_NOTE = 'echo "$(date +%s.%3N) ${0##*/} $*" >>"$SAS_GRID_ROOT/var/log/tools.log"'

QUICK = {
    'curl': f"""answer='' file=''
for url; do :; done
case $url in
  */latest/api/token) answer=token ;;
  */meta-data/instance-id) answer=${{SAS_GRID_ROOT##*/}} ;;
  */meta-data/local-ipv4) file=local-ipv4 ;;
  */meta-data/instance-type) file=instance-type ;;
  */meta-data/network/interfaces/macs/*) file=${{url#*/interfaces/}} ;;
esac
if [ -n "$answer$file" ]; then
  {_NOTE}
  if [ -n "$answer" ]; then printf %s "$answer"; exit; fi
  [ -f "$SAS_GRID_ROOT/metadata/$file" ] || exit 22
  exec cat "$SAS_GRID_ROOT/metadata/$file"
fi""",
    'ip': f"""case "$1 $2" in link' '* | 'route replace' | 'rule del') {_NOTE}; exit 0 ;; esac""",
    # As python.py does it; a build of an image starts dozens of these.
    'python3': f"""if [ -n "$SAS_GRID_ENDPOINT" ]; then
  case $1 in "$SAS_GRID_ROOT"/var/lib/sas-grid-image/*)
    {_NOTE}
    export AWS_ENDPOINT_URL="$SAS_GRID_ENDPOINT"
    export AWS_EC2_METADATA_SERVICE_ENDPOINT="$SAS_GRID_ENDPOINT/_sas_grid/metadata/${{SAS_GRID_ROOT##*/}}"
    exec {shlex.quote(sys.executable)} -sS "$@"
  esac
fi""",
    'rpm': f"""for last; do :; done
case " $* " in *' --qf '*) ;; *' -q '*)
  {_NOTE}
  grep -qxF -- "$last" "$SAS_GRID_ROOT/var/lib/packages" 2>/dev/null || exit 1
  exit 0 ;;
esac""",
}
"""Frequent calls of stand-ins that a shell answers by itself: it starts in a tenth of the time of Python."""

_STANDIN_FOLDER = Path(__file__).parent / 'standins'


class MissingTool(Exception):
    """This machine lacks a tool that hosts need."""


def make_search_path(folder: Path) -> Path:
    """Fill a folder with what hosts may call, and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in HARMLESS:
        _link(folder / name, _find(name))
    program = f'{shlex.quote(sys.executable)} -IS {shlex.quote(str(_STANDIN_FOLDER / "main.py"))}'
    launcher = _write(folder / '.stand-in', f'exec {program} "$0" "$@"')
    for name in STAND_INS:
        if name in QUICK:
            _write(folder / name, f'{QUICK[name]}\nexec {program} "$0" "$@"')
        else:
            _link(folder / name, launcher)
    for name, pattern in REAL_OR_STAND_IN.items():
        real = _find(name)
        _link(folder / f'.{name}', real)
        _write(
            folder / name,
            f'case " $* " in {pattern}) exec {program} {name} "$@" ;; esac\nexec {shlex.quote(str(real))} "$@"',
        )
    for name, look in GUARDED.items():
        _write(folder / name, f'{look}\nexec {shlex.quote(str(_find(name)))} "$@"')
    for name in AS_ANOTHER:
        _write(folder / name, f'{_NOTE}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"')
    for name in OF_HOST:
        _write(folder / name, f'exec "$SAS_GRID_ROOT/usr/sbin/{name}" "$@"')
    silent = _write(folder / '.no-effect', _NOTE)
    for name in NO_EFFECT:
        _link(folder / name, silent)
    # A host may not write here, so that each of its calls would compile the stand-ins anew.
    compileall.compile_dir(_STANDIN_FOLDER, quiet=2)
    return folder


def _find(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise MissingTool(f'{name} is not on the PATH; hosts of the embedded AWS need it: install it')
    return Path(found)


def _write(path: Path, script: str) -> Path:
    path.write_text(f'#!/bin/sh\n{script}\n')
    path.chmod(0o755)
    return path


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and os.readlink(link) == str(target):
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)
