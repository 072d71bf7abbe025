"""The mirror of packages: a bucket in which nothing is ever written over but its record.

Usage: mirror.py FOLDER pull                    the bucket's packages, as its record says, to FOLDER/mirror
       mirror.py FOLDER judge ADDRESSES         compares what is in FOLDER/fetched; prints what is new
       mirror.py FOLDER add FILE SHA256 ADDRESS notes a new package that is in FOLDER/mirror
       mirror.py FOLDER push INDEX              stores new packages, the index, then the record; prints a table

In the bucket: packages/<SHA-256 of what is stored>/<file>, index/<SHA-256 of the record>.tar, and recorded.tsv. A
build that dies leaves packages that no record names. Of two builds at once one writes the record, the other one ends
with 5, pulls, and pushes again.

A line of a record: file, SHA-256 as it was fetched, address, SHA-256 as it is stored. They differ where this mirror
signed the package. FOLDER/recorded.tsv is the record that was committed; it counts before the bucket's.

Exit codes: 0 done; 4 refused: a package is not what was recorded; 5 another build was first; 1 anything else.
"""

import os
import re
import sys
import tarfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import store

RECORD = 'recorded.tsv'
NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9.+_~^:%-]*')
SUM = re.compile(r'[0-9a-f]{64}')


class Differs(Exception):
    """A package is not what was recorded."""


def read(path):
    """The lines of a record by file. What somebody else may have written is not believed to be well-formed."""
    lines = {}
    if not os.path.exists(path):
        return lines
    with open(path) as file:
        for number, text in enumerate(file, 1):
            fields = text.rstrip('\n').split('\t')
            if not text.strip() or text.startswith('#'):
                continue
            if len(fields) == 3:
                fields.append('')
            if len(fields) != 4 or not NAME.fullmatch(fields[0]) or not SUM.fullmatch(fields[1]):
                raise store.Refused(f'{path}, line {number}, is not a record: {text.strip()}')
            if fields[3] and not SUM.fullmatch(fields[3]):
                raise store.Refused(f'{path}, line {number}: {fields[3]} is not a SHA-256')
            lines[fields[0]] = fields
    return lines


def write(path, lines):
    with open(path + '.part', 'w') as file:
        file.writelines('\t'.join(lines[name]) + '\n' for name in sorted(lines))
    os.replace(path + '.part', path)


def stored_sum(line):
    return line[3] or line[1]


def object_of(line):
    return f'packages/{stored_sum(line)}/{line[0]}'


def differences(name, where, expected, found):
    return f'{name}: {where} recorded {expected}, but found is {found}'


def refuse(problems, what):
    if problems:
        raise Differs('\n'.join(problems) + '\n' + what)


class Mirror:
    def __init__(self, folder):
        self.folder = folder
        self.packages = os.path.join(folder, 'mirror')
        self.state = os.path.join(folder, 'state')
        self.record = os.path.join(self.state, RECORD)
        self.new = os.path.join(self.state, 'new.tsv')
        self.etag = os.path.join(self.state, 'etag')
        for path in (self.packages, self.state):
            os.makedirs(path, exist_ok=True)
        self.committed = read(os.path.join(folder, RECORD))

    def compare(self, lines, whose):
        """Whether lines are what was committed."""
        problems = []
        for name in sorted(lines):
            known = self.committed.get(name)
            if known and known[1] != lines[name][1]:
                problems.append(differences(name, 'your record, which was committed,', known[1], lines[name][1]))
            elif known and known[3] and stored_sum(lines[name]) != known[3]:
                problems.append(differences(name, 'your record (as stored)', known[3], stored_sum(lines[name])))
        refuse(
            problems,
            f'{whose} is not what you committed; nothing was stored. If the change is meant, take the lines out of the '
            'committed record; if not, find out who changed it',
        )

    def take_record(self):
        try:
            etag = store.get(RECORD, self.record)[0]
        except store.Missing:
            write(self.record, {})
            etag = ''
        with open(self.etag, 'w') as file:
            file.write(etag)
        lines = read(self.record)
        self.compare(lines, "The mirror's record")
        return lines

    def pull(self):
        lines = self.take_record()
        mine = read(self.new)
        both = [name for name in sorted(mine) if name in lines]
        refuse(
            [
                differences(name, 'another build', lines[name][1], mine[name][1])
                for name in both
                if lines[name][1] != mine[name][1]
            ],
            'The source gave two builds different files under one name; nothing was stored. Ask who runs the source',
        )
        # What an earlier attempt left here has to be what it was.
        for name in sorted(mine):
            path = os.path.join(self.packages, name)
            if not os.path.exists(path) or store.sha256_of(path) != stored_sum(mine[name]):
                del mine[name]
        # The other build's is the one that counts: it has another signature.
        for name in set(both) & set(mine):
            if stored_sum(mine.pop(name)) != stored_sum(lines[name]):
                os.remove(os.path.join(self.packages, name))
        write(self.new, mine)
        self.remove_strays(set(lines) | set(mine))
        problems = [found for found in (self.bring(lines[name]) for name in sorted(lines)) if found]
        refuse(
            problems,
            'The mirror is not what was recorded. Restore the earlier version of the object (the bucket is '
            'versioned), or remove the file, and run the build again',
        )
        self.bring_index()
        print(f'{len(lines)} packages are from the mirror')

    def remove_strays(self, named):
        for name in sorted(os.listdir(self.packages)):
            path = os.path.join(self.packages, name)
            if os.path.isfile(path) and name not in named:
                os.remove(path)

    def bring(self, line):
        """A package that is not what it should be is told; one that is here already is not fetched again."""
        path = os.path.join(self.packages, line[0])
        if os.path.exists(path):
            found, where = store.sha256_of(path), path
        else:
            where = 's3://{}/{}'.format(os.environ['SAS_IMAGE_BUCKET'], store.full_key(object_of(line)))
            try:
                found = store.get(object_of(line), path)[1]
            except store.Missing:
                return f'{where}: the mirror has it not, although its record names it'
        if found == stored_sum(line):
            return None
        if where != path:
            os.remove(path)
        return differences(where, "the mirror's record has", stored_sum(line), found)

    def index_name(self):
        return f'index/{store.sha256_of(self.record)}.tar'

    def bring_index(self):
        """What was there before may be of another record. No index is no error: one is made."""
        path = os.path.join(self.state, 'index.tar')
        target = os.path.join(self.packages, 'repodata')
        if os.path.isdir(target):
            for name in os.listdir(target):
                os.remove(os.path.join(target, name))
        try:
            store.get(self.index_name(), path)
        except store.Missing:
            return
        os.makedirs(target, exist_ok=True)
        with tarfile.open(path) as archive:
            for member in archive:
                if not member.isfile() or not NAME.fullmatch(member.name):
                    raise Differs(f'the index of the mirror has a strange entry: {member.name}')
                with open(os.path.join(target, member.name), 'wb') as file:
                    file.write(archive.extractfile(member).read())

    def judge(self, addresses):
        """What was fetched: refused if it is known otherwise. Prints the new files with sum and address."""
        with open(addresses) as file:
            # Plugins of dnf say more than was asked.
            urls = {url.rsplit('/', 1)[1]: url for url in file.read().split() if '://' in url}
        fetched = os.path.join(self.folder, 'fetched')
        lines = {
            name: [name, store.sha256_of(os.path.join(fetched, name)), urls.get(name, '-'), '']
            for name in sorted(os.listdir(fetched))
            if NAME.fullmatch(name)
        }
        known = dict(read(self.record), **read(self.new))
        # As stored they differ by the time of a signature.
        stored = {name: line[3] for name, line in self.committed.items()}
        for line in self.committed.values():
            line[3] = ''
        self.compare(lines, 'What the source gives')
        # Signed again it would be another file than the one that was committed.
        lost = [name for name in lines if name not in known and stored.get(name, '') not in ('', lines[name][1])]
        refuse(
            [f'{name}: your record names it as this mirror signed it, but the mirror lost it' for name in sorted(lost)],
            'Restore the object in the bucket, which is versioned, or take the lines out of the committed record',
        )
        refuse(
            [
                differences(name, "the mirror's record", known[name][1], lines[name][1])
                for name in lines
                if name in known and known[name][1] != lines[name][1]
            ],
            'The source gives another file than before under the same name; nothing was stored. Find out who changed '
            'it; if the change is meant, wait for a new version',
        )
        for name in sorted(lines):
            if name not in known:
                print('\t'.join(lines[name][:3]))

    def add(self, name, fetched_sum, address):
        lines = read(self.new)
        lines[name] = [name, fetched_sum, address, store.sha256_of(os.path.join(self.packages, name))]
        write(self.new, lines)

    def push(self, index):
        mine, lines = read(self.new), read(self.record)
        there = store.list_keys('packages/')
        for name in sorted(mine):
            if object_of(mine[name]) not in there:
                store.put(object_of(mine[name]), os.path.join(self.packages, name))
        lines.update(mine)
        merged = os.path.join(self.state, 'merged.tsv')
        write(merged, lines)
        store.put(f'index/{store.sha256_of(merged)}.tar', index)
        with open(self.etag) as file:
            etag = file.read()
        store.put(RECORD, merged, {'if-match': etag} if etag else {'if-none-match': '*'})
        os.replace(merged, self.record)
        write(self.new, {})
        table(mine)


def table(lines):
    """For whoever reviews the record."""
    if not lines:
        return
    print('\nNew in the record; look at each before you commit it:\n')
    rows = [['FILE', 'SIGNED BY', 'SHA-256 AS FETCHED', 'FROM']]
    for name in sorted(lines):
        _, fetched, address, stored = lines[name]
        rows.append([name, 'its maker' if stored == fetched else 'this mirror', fetched, address])
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print('  '.join(field.ljust(width) for field, width in zip(row, [*widths, 0], strict=False)).rstrip())
    print()


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 0 if arguments == ['--help'] else 64
    mirror = Mirror(arguments[0])
    getattr(mirror, {'pull': 'pull', 'judge': 'judge', 'add': 'add', 'push': 'push'}[arguments[1]])(*arguments[2:])
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except Differs as error:
        print(f'refused: {error}', file=sys.stderr)
        sys.exit(4)
    except store.Changed as error:
        print(f'another build was first: {error}', file=sys.stderr)
        sys.exit(5)
    except (store.Missing, store.Refused, OSError) as error:
        print(f'{error}', file=sys.stderr)
        sys.exit(1)
