"""The archive of an export: with the real AWS CLI, where there is one, and with a store of files in its place."""

import errno
import importlib.util
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cloud, unique

PROGRAM = Path(__file__).resolve().parents[3] / 'constructs/host/documents/nfs-archive.py'
ID = '11111111-2222-3333-4444-555555555555'

STORE = """#!{python}
# s3 cp, and s3api list-objects-v2, of a CLI whose bucket is a folder: a file for each key, and one for its data.
import hashlib, json, os, shutil, sys
arguments = sys.argv[1:]
store = os.environ['STORE'].encode() + b'/'
if os.environ.get('BROKEN') and os.environ['BROKEN'] in ' '.join(arguments): sys.exit(1)
os.makedirs(store, exist_ok=True)
at = lambda key: store + hashlib.sha256(key).hexdigest().encode()
keys = lambda: [open(store + name, 'rb').read() for name in os.listdir(store) if name.endswith(b'.key')]
if arguments[0] == 's3api':
    key = arguments[5]
    print(json.dumps([key] if os.fsencode(arguments[3] + '/' + key) in keys() else None))
    sys.exit(0)
source, target = [os.fsencode(one) for one in arguments[2:4]]
failed = 0
def put(file, key):
    global failed
    if os.environ.get('BAD', '//').encode() in key: failed = 1; return
    shutil.copyfile(file, at(key))
    open(at(key) + b'.key', 'wb').write(key)
def get(key, file):
    global failed
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        shutil.copyfile(at(key), file)
    except OSError: failed = 1
recursive = '--recursive' in arguments
if source.startswith(b's3://') and recursive:
    for key in keys():
        if key.startswith(source[5:]): get(key, target + b'/' + key[len(source) - 5:])
elif source.startswith(b's3://'):
    get(source[5:], target)
elif recursive:
    for folder, _, names in os.walk(source):
        for name in names:
            file = os.path.join(folder, name)
            put(file, target[5:] + b'/' + os.path.relpath(file, source))
else:
    put(source, target[5:])
sys.exit(failed)
"""


class Bench:
    """A folder with its archive."""

    def __init__(self, folder: Path, target: str, environment: dict[str, str]) -> None:
        self.export, self.target, self.environment = folder / 'export', target, environment
        self.folder = folder
        self.export.mkdir()

    def run(self, command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        work = self.folder / unique('work')
        work.mkdir()
        arguments = [sys.executable, str(PROGRAM), command, str(folder), self.target, 'us-east-1', ID, str(work)]
        return subprocess.run(arguments, env={**self.environment, **more}, text=True, stderr=subprocess.PIPE)

    def copy(self, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run('copy', self.export, **more)

    def restored(self) -> dict[bytes, Any]:
        folder = self.folder / unique('restored')
        folder.mkdir()
        done = self.run('restore', folder)
        assert done.returncode == 0, done.stderr
        return tree(folder)


def tree(folder: Path) -> dict[bytes, Any]:
    """All of a folder: kind, owner, mode, time, and contents."""
    found: dict[bytes, Any] = {}
    top = os.fsencode(folder)
    for path, folders, names in os.walk(top):
        for name in folders + names:
            full = os.path.join(path, name)
            status = os.lstat(full)
            contents: Any = None
            if stat.S_ISLNK(status.st_mode):
                contents = os.readlink(full)
            elif stat.S_ISREG(status.st_mode):
                with open(full, 'rb') as file:
                    contents = file.read()
            elif not stat.S_ISDIR(status.st_mode):
                continue
            owner = (status.st_uid, status.st_gid)
            found[os.path.relpath(full, top)] = (status.st_mode, owner, status.st_mtime_ns, contents)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Bench:
    """An AWS CLI that keeps objects as files: what is tested is the list and the walk."""
    (tmp_path / 'bin').mkdir()
    program = tmp_path / 'bin/aws'
    program.write_text(STORE.format(python=sys.executable))
    program.chmod(0o755)
    environment = {**os.environ, 'PATH': f'{program.parent}:{os.environ["PATH"]}', 'STORE': str(tmp_path / 'store')}
    return Bench(tmp_path, 's3://bucket/prefix', environment)


@pytest.fixture
def real(tmp_path: Path, cloud: Cloud) -> Bench:
    if shutil.which('aws') is None:
        pytest.skip('no AWS CLI here')
    bucket = unique('archive')
    cloud.client('s3').create_bucket(Bucket=bucket)
    return Bench(tmp_path, f's3://{bucket}/a prefix', {**os.environ, **cloud.environment})


# What SAS and its users leave, and names that S3, an XML document or a terminal would not take.
NAMES = [
    b'sales.sas7bdat',
    'Umsätze.sas7bdat'.encode(),
    'Ums\xe4tze'.encode('latin-1'),
    b'a b',
    b'#lock',
    b'x[1]*?',
    b'quote\'"&<>',
    b'line\nend',
    b'-r',
    b'~',
    b'%41',
    b'\x07bell',
    b'.hidden',
    b'a' * 255,
]


def write(path: bytes, contents: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(contents)


def fill(bench: Bench) -> bytes:
    top = os.fsencode(bench.export)
    for number, name in enumerate(NAMES):
        write(top + b'/lib/' + name, b'%d' % number)
    deep = top + b''.join(b'/' + b'd' * 200 for _ in range(6))
    write(deep + b'/deep.sas7bdat', b'deep')
    write(top + b'/empty', b'')
    os.makedirs(top + b'/no files', exist_ok=True)
    os.symlink(b'lib/sales.sas7bdat', top + b'/link')
    os.symlink(b'/etc/shadow', top + b'/outside')
    os.mkfifo(top + b'/pipe')
    os.chmod(top + b'/lib/sales.sas7bdat', 0o2640)
    if os.getuid() == 0:
        os.chown(top + b'/lib/sales.sas7bdat', 1234, 2345)
    os.utime(top + b'/lib', ns=(1, 1_234_567_890_123_456_789))
    return top


def is_kept(bench: Bench) -> None:
    done = bench.copy()
    assert done.returncode == 0, done.stderr
    wanted = {path: one for path, one in tree(bench.export).items() if path != b'pipe'}
    assert bench.restored() == wanted


def the_story(bench: Bench) -> None:
    top = fill(bench)
    is_kept(bench)
    again = bench.copy()
    assert '0 files copied' in again.stderr
    # Published by rename: the same size, an older time; and by renaming a folder, whose files know nothing of it.
    write(top + b'/new', b'0')
    os.utime(top + b'/new', ns=(1, 1))
    os.rename(top + b'/new', top + b'/lib/sales.sas7bdat')
    write(top + b'/lib.new/a b', b'Z')
    os.utime(top + b'/lib.new/a b', ns=(1, 1))
    is_kept(bench)
    os.rename(top + b'/lib', top + b'/lib.old')
    os.rename(top + b'/lib.new', top + b'/lib')
    # Gone, and a folder where a file was, and a file where a folder was.
    os.remove(top + b'/empty')
    write(top + b'/empty/now', b'a folder')
    shutil.rmtree(top + b'/no files')
    write(top + b'/no files', b'a file')
    os.remove(top + b'/link')
    is_kept(bench)


def test_a_restore_brings_back_what_was_there(store: Bench) -> None:
    the_story(store)


def test_the_real_cli_against_an_s3(real: Bench) -> None:
    the_story(real)


def test_any_change_of_a_tree_is_kept(store: Bench) -> None:
    """Steps that are drawn, the same each time; after some of them a copy, and what is restored is the tree."""
    draw = random.Random(20151125)
    top = os.fsencode(store.export)

    def some(kind: Callable[[bytes], bool]) -> bytes | None:
        paths = sorted(
            path
            for path in (os.path.join(top, one) for one in tree(store.export))
            if kind(path) and not os.path.islink(path)
        )
        return draw.choice(paths) if paths else None

    def step() -> None:
        folder = some(os.path.isdir) or top
        file = some(os.path.isfile)
        name = folder + b'/' + draw.choice(NAMES[:12]) + b'%d' % draw.randrange(5)
        match draw.randrange(7):
            case 0 | 1 if not os.path.lexists(name):
                write(name, b'%d' % draw.randrange(10))
            case 2 if not os.path.lexists(name):
                os.mkdir(name)
            case 3 if file:
                os.rename(file, file if os.path.isdir(name) else name)
            case 4 if file:
                os.remove(file)
            case 5 if file:
                before = os.stat(file)
                with open(file, 'wb') as opened:
                    opened.write(b'%d' % draw.randrange(10))
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
            case 6 if folder != top and not name.startswith(folder + b'/') and not os.path.lexists(name):
                os.rename(folder, name)

    for _ in range(12):
        for _ in range(25):
            step()
        is_kept(store)


def test_what_cannot_be_copied_is_counted_by_file_and_tried_again(store: Bench) -> None:
    top = fill(store)
    done = store.copy(BAD='quote')
    assert done.returncode == 1
    assert "1 could not be copied: lib/quote'%22&%3C%3E\n" in done.stderr
    assert store.copy().returncode == 0
    # What the archive has of a file that fails now is what it had.
    write(top + b'/lib/a b', b'changed')
    assert store.copy(BAD='a b').returncode == 1
    assert store.restored()[b'lib/a b'][3] == b'3'
    is_kept(store)


def test_many_files_that_cannot_be_copied_stop_no_other(store: Bench) -> None:
    top = os.fsencode(store.export)
    for number in range(40):
        write(top + b'/bad/%02d' % number, b'x')
        write(top + b'/sound/%02d' % number, b'%d' % number)
    done = store.copy(BAD='data/bad')
    assert done.returncode == 1
    assert '40 files copied' in done.stderr
    assert '40 could not be copied: bad/00, bad/01' in done.stderr
    assert {path for path in store.restored() if path.startswith(b'sound/')} == {
        b'sound/%02d' % one for one in range(40)
    }


def test_an_s3_that_takes_nothing_is_given_up_soon(store: Bench) -> None:
    fill(store)
    done = store.copy(BAD='prefix/')
    assert done.returncode == 1
    assert 'nothing can be copied' in done.stderr
    lost = store.copy(BROKEN='index-')
    assert lost.returncode == 1
    assert 'cannot list' in lost.stderr


def test_a_folder_that_cannot_be_read_is_not_complete_and_keeps_what_was_copied(
    store: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = os.fsencode(store.export)
    write(top + b'/closed/in/it', b'1')
    write(top + b'/open', b'2')
    assert store.copy().returncode == 0
    before = store.restored()
    spec = importlib.util.spec_from_file_location('nfs_archive', PROGRAM)
    assert spec
    assert spec.loader
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    listed = os.listdir

    def fails(descriptor: int) -> list[str]:
        if os.readlink(f'/proc/self/fd/{descriptor}').endswith('/closed'):
            raise OSError(errno.EIO, 'Input/output error')
        return listed(descriptor)

    with monkeypatch.context() as patch:
        for name, value in store.environment.items():
            patch.setenv(name, value)
        patch.setattr(os, 'listdir', fails)
        work = store.folder / 'work'
        work.mkdir()
        archive = program.Archive(store.target, 'us-east-1')
        walk = program.Copy(os.fsencode(store.export), archive, f'index-{ID}.gz', os.fsencode(work))
        assert walk.all() == 1
        assert walk.walk.troubles == ['closed (Input/output error)']
    assert store.restored() == before


def test_nothing_is_restored_over_what_is_there(store: Bench) -> None:
    fill(store)
    assert store.copy().returncode == 0
    done = store.run('restore', store.export)
    assert done.returncode == 1
    assert 'is not empty: nothing is overwritten' in done.stderr
