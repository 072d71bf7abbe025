"""Usage: nfs-archive.py copy|restore FOLDER s3://BUCKET/PREFIX REGION ID WORK

copy    copies what is new or changed of FOLDER, by the list of the copy before, PREFIX/index-ID.gz. A file is changed
        when its inode, size, or one of its times is another one: who publishes by 'mv' changes none of its contents'.
restore brings FOLDER, which has to be empty, to what that list says: files, folders, links, owners, modes and times.

Objects are PREFIX/data/<path>. What cannot be the key of an object (not UTF-8, control characters, too long) is
PREFIX/odd/<SHA-256 of the path>. Of one file the data is never another's: it is opened without following links.
WORK is an empty folder for what is temporary. Exit codes: 0 all of it; 1 not all; 64 usage.
"""

import gzip
import hashlib
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import time
from urllib.parse import quote_from_bytes, unquote_to_bytes

FILES_AT_A_TIME = 250
# S3, "Naming Amazon S3 objects": bytes of a key.
KEY_BYTES = 1024
SAVE_SECONDS = 900
# After so many files in a row that cannot be copied it is looked whether anything can.
IN_A_ROW = 5


def say(text):
    print('nfs-archive: ' + text, file=sys.stderr, flush=True)


def quoted(path):
    return quote_from_bytes(path, safe="/!$&'()*+,;=:@")


class Entry:
    """A file, folder or link, as it was when it was copied: a line of the list."""

    def __init__(self, kind, numbers, key, path):
        self.kind, self.numbers, self.key, self.path = kind, numbers, key, path

    @classmethod
    def of(cls, path, status, link=b''):
        kind = 'd' if stat.S_ISDIR(status.st_mode) else 'l' if stat.S_ISLNK(status.st_mode) else 'f'
        mode = stat.S_IMODE(status.st_mode)
        size = status.st_size if kind == 'f' else 0
        data = [status.st_ino, size, status.st_mtime_ns, status.st_ctime_ns]
        return cls(kind, data + [status.st_uid, status.st_gid, mode], quoted(link) or '-', path)

    @classmethod
    def read(cls, line):
        kind, *numbers, key, path = line.split(' ')
        return cls(kind, [int(number) for number in numbers], key, unquote_to_bytes(path.rstrip('\n')))

    def line(self):
        return ' '.join([self.kind] + [str(number) for number in self.numbers] + [self.key, quoted(self.path)]) + '\n'

    @property
    def place(self):
        """By this both the walk and the list are in order: a folder before what is in it."""
        return self.path.split(b'/')

    def same_data(self, other):
        return other.kind == 'f' and self.numbers[:4] == other.numbers[:4]


class Archive:
    """Where the copies are. The AWS CLI has the credentials, retries and splits large files."""

    def __init__(self, target, region):
        self.target, self.region = target, region
        self.prefix = target.split('/', 3)[3]
        # In another one the CLI takes names for something else.
        self.environment = dict(os.environ, LC_ALL='C.UTF-8', AWS_PAGER='')

    def run(self, *arguments):
        command = ['aws'] + list(arguments) + ['--region', self.region]
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, universal_newlines=True)

    def copy(self, source, destination, *options):
        quietly = ['--no-progress', '--only-show-errors']
        return self.run('s3', 'cp', source, destination, *quietly, *options).returncode == 0

    def fetch_index(self, name, file):
        """Whether there is one: an error is not taken for 'no'."""
        bucket = self.target.split('/', 3)[2]
        key = self.prefix + '/' + name
        asked = ['--bucket', bucket, '--prefix', key, '--query', 'Contents[].Key', '--output', 'json']
        found = self.run('s3api', 'list-objects-v2', *asked)
        if found.returncode != 0:
            sys.exit('nfs-archive: cannot list %s' % self.target)
        if key not in (json.loads(found.stdout or 'null') or []):
            return False
        if not self.copy(self.target + '/' + name, file):
            sys.exit('nfs-archive: cannot read %s/%s' % (self.target, name))
        return True

    def key_of(self, path):
        """Below the prefix: where the data of a file is; '-' for its own name."""
        name = (self.prefix + '/data/').encode() + path
        try:
            sound = len(name) <= KEY_BYTES and name.decode().isprintable()
        except UnicodeDecodeError:
            sound = False
        return '-' if sound else 'odd/' + hashlib.sha256(path).hexdigest()


def read_list(file):
    with gzip.open(file, 'rt', encoding='ascii') as lines:
        for line in lines:
            yield Entry.read(line)


class Walk:
    """All of a folder in order, without following a link, and without leaving its file system."""

    def __init__(self, folder):
        self.folder = folder
        # What could not be looked at: messages; and paths, with a slash at the end where it is what is in a folder.
        self.troubles, self.unseen = [], set()

    def trouble(self, path, error, end=b''):
        # What is gone was there a moment ago: somebody removed it.
        if not isinstance(error, FileNotFoundError):
            self.troubles.append('%s (%s)' % (quoted(path or b'.'), error.strerror))
            self.unseen.add(path + end)

    def hides(self, path):
        """Whether it may be there all the same."""
        parts = path.split(b'/')
        above = [b'/'.join(parts[:depth]) for depth in range(len(parts))]
        hiding = {path, *above, *(one + b'/' for one in above)}
        return not self.unseen.isdisjoint(hiding)

    def names(self, descriptor, path):
        try:
            found = sorted(os.fsencode(name) for name in os.listdir(descriptor))
        except OSError as error:
            self.trouble(path, error, b'/')
            return iter(())
        return iter([name for name in found if path or name != b'lost+found'])

    def __iter__(self):
        """Yields (entry, descriptor of the folder that it is in, name)."""
        top = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        device = os.fstat(top).st_dev
        stack = [(top, b'', self.names(top, b''))]
        while stack:
            descriptor, path, names = stack[-1]
            name = next(names, None)
            if name is None:
                os.close(descriptor)
                stack.pop()
                continue
            below = path + b'/' + name if path else name
            try:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if status.st_dev != device:
                    continue
                if stat.S_ISDIR(status.st_mode):
                    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                    yield Entry.of(below, status), descriptor, name
                    stack.append((inner, below, self.names(inner, below)))
                elif stat.S_ISLNK(status.st_mode):
                    yield Entry.of(below, status, os.readlink(name, dir_fd=descriptor)), descriptor, name
                elif stat.S_ISREG(status.st_mode):
                    yield Entry.of(below, status), descriptor, name
            except OSError as error:
                self.trouble(below, error)


class Copy:
    def __init__(self, folder, archive, name, work):
        self.archive, self.name, self.work = archive, name, work
        self.walk = Walk(folder)
        self.old, self.new = work + b'/old.gz', work + b'/new.gz'
        self.out = gzip.open(self.new, 'wt', encoding='ascii', compresslevel=1)
        self.saved = time.time()
        self.count = {'copied': 0, 'as before': 0, 'changed meanwhile': 0}
        self.failed, self.failed_paths, self.in_a_row = [], set(), 0
        # Entries in order; of a file that is still to be copied with its descriptor.
        self.open, self.batch = {}, []

    def all(self):
        before = read_list(self.old) if self.archive.fetch_index(self.name, self.old) else iter(())
        known = next(before, None)
        for entry, descriptor, name in self.walk:
            while known and known.place < entry.place:
                self.keep(known)
                known = next(before, None)
            there = known if known and known.path == entry.path else None
            if entry.kind != 'f':
                self.batch.append((entry, None))
            elif there and entry.same_data(there):
                entry.key = there.key
                self.batch.append((entry, None))
                self.count['as before'] += 1
            else:
                self.take(entry, there, descriptor, name)
            if len(self.open) >= FILES_AT_A_TIME or len(self.batch) >= 100 * FILES_AT_A_TIME:
                self.settle()
                if time.time() > self.saved + SAVE_SECONDS:
                    self.save(entry.place)
        while known:
            self.keep(known)
            known = next(before, None)
        self.settle()
        self.save(None)
        return self.told()

    def keep(self, known):
        """What could not be looked at stays in the list as it was copied."""
        if self.walk.hides(known.path):
            self.batch.append((known, None))

    def take(self, entry, there, descriptor, name):
        try:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=descriptor)
        except OSError as error:
            self.walk.trouble(entry.path, error)
            return
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            os.close(file)
            return
        entry = Entry.of(entry.path, status)
        entry.key = self.archive.key_of(entry.path)
        self.open[entry.path] = file
        self.batch.append((entry, there))

    def settle(self):
        """Copies what is open, and writes the entries down."""
        self.upload([entry for entry, _ in self.batch if entry.path in self.open])
        for entry, there in self.batch:
            file = self.open.pop(entry.path, None)
            if file is not None:
                now = Entry.of(entry.path, os.fstat(file))
                os.close(file)
                if entry.path in self.failed_paths:
                    # What the archive has is what it had.
                    entry = there
                elif not entry.same_data(now):
                    # Written while it was read: it is copied again by the next run, whatever its times are then.
                    self.count['changed meanwhile'] += 1
                    entry.numbers[3] = -1
            if entry:
                self.out.write(entry.line())
        self.batch = []

    def upload(self, entries):
        if not entries:
            return
        if self.sent(entries):
            self.count['copied'] += len(entries)
            self.in_a_row = 0
        elif len(entries) == 1:
            self.give_up(entries[0])
        else:
            half = len(entries) // 2
            self.upload(entries[:half])
            self.upload(entries[half:])

    def give_up(self, entry):
        self.failed.append(quoted(entry.path))
        self.failed_paths.add(entry.path)
        self.in_a_row += 1
        if self.in_a_row == IN_A_ROW:
            self.in_a_row = 0
            with open(self.work + b'/canary', 'wb'):
                pass
            if not self.archive.copy(self.work + b'/canary', self.archive.target + '/canary'):
                sys.exit('nfs-archive: nothing can be copied to %s' % self.archive.target)

    def sent(self, entries):
        """Links to what is open, under the names of the objects: whatever is put in the files' places is not read."""
        farm = self.work + b'/farm'
        shutil.rmtree(farm, ignore_errors=True)
        for entry in entries:
            link = farm + b'/' + (b'data/' + entry.path if entry.key == '-' else entry.key.encode())
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink('/proc/%d/fd/%d' % (os.getpid(), self.open[entry.path]), link)
        return self.archive.copy(farm, self.archive.target, '--recursive', '--follow-symlinks')

    def save(self, place):
        """Stores the list: up to the place what is new, after it what was. Without a place it is whole."""
        self.out.close()
        whole = self.new
        if place is not None:
            whole = self.work + b'/whole.gz'
            shutil.copyfile(self.new, whole)
            with gzip.open(whole, 'at', encoding='ascii') as out:
                for entry in read_list(self.old) if os.path.exists(self.old) else ():
                    if entry.place > place:
                        out.write(entry.line())
            self.out = gzip.open(self.new, 'at', encoding='ascii', compresslevel=1)
        if not self.archive.copy(whole, self.archive.target + '/' + self.name):
            sys.exit('nfs-archive: cannot store the list %s/%s' % (self.archive.target, self.name))
        self.saved = time.time()

    def told(self):
        say(', '.join('%d files %s' % (number, what) for what, number in self.count.items()))
        wrong = self.failed + self.walk.troubles
        if wrong:
            more = '' if len(wrong) <= 10 else ' and %d more' % (len(wrong) - 10)
            say('%d could not be copied: %s%s' % (len(wrong), ', '.join(wrong[:10]), more))
        return 1 if wrong else 0


class Restore:
    def __init__(self, folder, archive, name, work):
        self.folder, self.archive, self.name, self.work = folder, archive, name, work

    def all(self):
        if any(name != 'lost+found' for name in os.listdir(os.fsdecode(self.folder))):
            name = os.fsdecode(self.folder)
            sys.exit('nfs-archive: %s is not empty: nothing is overwritten; restore to an empty folder' % name)
        index = self.work + b'/index.gz'
        if not self.archive.fetch_index(self.name, index):
            sys.exit('nfs-archive: there is no %s/%s' % (self.archive.target, self.name))
        # What fails here, since a folder has taken a file's place for example, is fetched by itself below.
        self.archive.copy(self.archive.target + '/data/', self.folder, '--recursive')
        odd = self.work + b'/odd'
        self.archive.copy(self.archive.target + '/odd/', odd, '--recursive')
        self.forget(index)
        missing = [entry for entry in read_list(index) if not self.place(entry, odd)]
        for entry in read_list(index):
            self.finish(entry)
        self.times(index)
        if missing:
            some = ', '.join(quoted(entry.path) for entry in missing[:10])
            say('%d are not in the archive: %s' % (len(missing), some))
        return 1 if missing else 0

    def forget(self, index):
        """Removes what the archive still has of files that were gone when it was written last."""
        wanted, known = read_list(index), None
        gone = []
        known = next(wanted, None)
        for entry, _, _ in Walk(self.folder):
            while known and known.place < entry.place:
                known = next(wanted, None)
            if not known or known.path != entry.path or known.kind != entry.kind:
                gone.append(self.at(entry))
        for path in gone:
            shutil.rmtree(path) if os.path.isdir(path) else os.path.lexists(path) and os.remove(path)

    def at(self, entry):
        return self.folder + b'/' + entry.path

    def place(self, entry, odd):
        path = self.at(entry)
        if entry.kind == 'd':
            os.makedirs(path, exist_ok=True)
        elif entry.kind == 'f' and not os.path.isfile(path):
            stored = odd + entry.key[len('odd') :].encode()
            if entry.key != '-' and os.path.isfile(stored):
                shutil.move(stored, path)
                return True
            key = 'data/' + os.fsdecode(entry.path) if entry.key == '-' else entry.key
            return self.archive.copy(self.archive.target + '/' + key, path)
        return True

    def finish(self, entry):
        _, _, modified, _, user, group, mode = entry.numbers
        path = self.at(entry)
        if entry.kind == 'l':
            os.symlink(unquote_to_bytes(entry.key), path)
        elif not os.path.lexists(path):
            return
        os.lchown(path, user, group)
        if entry.kind != 'l':
            os.chmod(path, mode)

    def times(self, index):
        for entry in read_list(index):
            if os.path.lexists(self.at(entry)):
                os.utime(self.at(entry), ns=(entry.numbers[2], entry.numbers[2]), follow_symlinks=False)


def main(arguments):
    if len(arguments) != 6 or arguments[0] not in ('copy', 'restore'):
        print(__doc__, file=sys.stderr)
        return 64
    command, folder, target, region, name, work = arguments
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    kind = Copy if command == 'copy' else Restore
    return kind(os.fsencode(folder), Archive(target, region), 'index-%s.gz' % name, os.fsencode(work)).all()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
