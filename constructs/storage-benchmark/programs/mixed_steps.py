"""Steps of the mixed workload: what is computed, what fills memory, what reads and writes files; and that for SAS."""

import hashlib
import heapq
import math
import os
import random
import re
import zlib

MIB = 1 << 20
BLOCK = 64 << 10
RECORD = 4096


# What is computed. One unit takes a sixth of a second or so.


def trigonometry(units):
    return sum(math.sin(n) * math.log(n + 2) for n in range(units * 500_000))


def simulation(units):
    source = random.Random(1)
    return sum(source.random() ** 2 + source.random() ** 2 < 1 for _ in range(units * 500_000))


def matrices(units):
    rows = [[(i * j) % 7 + 0.5 for j in range(60)] for i in range(60)]
    for _ in range(units * 7):
        columns = list(zip(*rows))
        rows = [[math.fsum(a * b for a, b in zip(row, column)) % 97 for column in columns] for row in rows]
    return rows[0][0]


def regression(units):
    source, xx, xy, x_sum, y_sum, count = random.Random(2), 0.0, 0.0, 0.0, 0.0, units * 375_000
    for _ in range(count):
        x = source.random()
        y = 3 * x + source.random()
        xx, xy, x_sum, y_sum = xx + x * x, xy + x * y, x_sum + x, y_sum + y
    return (count * xy - x_sum * y_sum) / (count * xx - x_sum * x_sum)


def primes(units):
    return [sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(2, 45_000)) for _ in range(units)]


def digests(units):
    found = b''
    for _ in range(units * 80):
        found = hashlib.sha256(found + bytes(MIB)).digest()
    return found


def compression(units):
    text = b''.join(b'%d,%d,observation\n' % (n, n * n) for n in range(40_000))
    return sum(len(zlib.compress(text, 6)) for _ in range(units * 3))


def matching(units):
    lines = [f'id={n} value={n * 7}.{n % 10} name=n{n % 97}' for n in range(20_000)]
    pattern = re.compile(r'id=(\d+) value=([\d.]+) name=n(\d+)$')
    return sum(float(pattern.match(line).group(2)) for _ in range(units * 8) for line in lines)


def ranking(units):
    source = random.Random(3)
    return [sorted(source.random() for _ in range(250_000))[0] for _ in range(units)]


def recursion(units):
    def paths(depth):
        return 1 if depth < 2 else paths(depth - 1) + paths(depth - 2)

    return [paths(25) for _ in range(units * 7)]


# What fills memory: so many MiB.


def lookup(mib):
    table = {n: n * 2 for n in range(mib * 8_000)}
    return sum(table[(n * 7919) % len(table)] for n in range(len(table)))


def walk(mib):
    memory = bytearray(mib * MIB)
    for _ in range(16):
        for n in range(0, len(memory), 4096):
            memory[n] = (memory[n] + n) & 255
    return len(memory)


# What reads and writes files: each gets the paths of two inputs, and a directory for what it makes. Bytes are counted.
MOVED = {'read': 0, 'written': 0}


def blocks(path):
    with open(path, 'rb', buffering=0) as file:
        while True:
            block = file.read(BLOCK)
            if not block:
                return
            MOVED['read'] += len(block)
            yield block


def write(file, data):
    done = file.write(data)
    if done != len(data):
        raise OSError(28, 'No space left on device')
    MOVED['written'] += done


def copy(first, _, out):
    with open(out + '/copy', 'wb', buffering=0) as file:
        for block in blocks(first):
            write(file, block)


def sort(first, _, out):
    """Sorted runs of 16 MiB, which are merged: two copies of the input, as a utility file and a result."""
    runs, part = [], []

    def flush():
        if not part:
            return
        data = b''.join(part)
        part.clear()
        runs.append(f'{out}/run{len(runs)}')
        with open(runs[-1], 'wb', buffering=0) as file:
            ordered = b''.join(sorted(data[n : n + RECORD] for n in range(0, len(data), RECORD)))
            for n in range(0, len(ordered), BLOCK):
                write(file, ordered[n : n + BLOCK])

    def records(path):
        for block in blocks(path):
            for n in range(0, len(block), RECORD):
                yield block[n : n + RECORD]

    for block in blocks(first):
        part.append(block)
        if len(part) * BLOCK >= 16 * MIB:
            flush()
    flush()
    with open(out + '/sorted', 'wb', buffering=0) as file:
        collected = []
        for record in heapq.merge(*map(records, runs)):
            collected.append(record)
            if len(collected) * RECORD >= BLOCK:
                write(file, b''.join(collected))
                collected = []
        write(file, b''.join(collected))


def summary(first, _, __):
    return sum(sum(block[::64]) for block in blocks(first))


def merge(first, second, out):
    with open(out + '/merged', 'wb', buffering=0) as file:
        for one, other in zip(blocks(first), blocks(second)):
            write(file, one)
            write(file, other)


def append(first, second, out):
    for path in (first, second):
        for block in blocks(path):
            with open(out + '/appended', 'ab', buffering=0) as file:
                write(file, block)


def index(first, _, out):
    """A copy, from which a quarter of the blocks is read where an index would point."""
    copy(first, _, out)
    count, source = os.path.getsize(out + '/copy') // BLOCK, random.Random(4)
    with open(out + '/copy', 'rb', buffering=0) as file:
        for _ in range(count // 4):
            file.seek(source.randrange(count) * BLOCK)
            MOVED['read'] += len(file.read(BLOCK))


def split(first, _, out):
    files = [open(f'{out}/part{n}', 'wb', buffering=0) for n in range(8)]
    for n, block in enumerate(blocks(first)):
        write(files[n % 8], block)


COMPUTE = [trigonometry, simulation, matrices, regression, primes, digests, compression, matching, ranking, recursion]
MEMORY = [lookup, walk]
IO = [copy, sort, summary, merge, append, index, split]

# The same for SAS, from its base. With the bytes that are read and written, in inputs.
SAS_COMPUTE = (
    "data _null_; call streaminit(1); do i = 1 to %d * 2000000; x + sin(i) * log(i + 2) + rand('uniform'); end; run;"
)
SAS_MEMORY = (
    'data _null_; length k v 8; declare hash h(); h.definekey("k"); h.definedata("v"); h.definedone();'
    ' do k = 1 to %d * 16000; v = k; h.add(); end;'
    ' do i = 1 to h.num_items; k = mod(i * 7919, h.num_items) + 1; rc = h.find(); end; run;'
)
SAS_IO = {
    'copy': ('data out.c; set first.d; run;', 1, 1),
    'sort': ('proc sort data=first.d out=out.s; by x1; run;', 2, 2),
    'summary': ('proc summary data=first.d; var x1-x16; output out=out.m; run;', 1, 0),
    'merge': ('data out.m; merge first.d second.d(rename=(x1-x16=y1-y16)); run;', 2, 2),
    'append': ('proc append base=out.a data=first.d; run; proc append base=out.a data=second.d; run;', 2, 2),
    'index': ('data out.x(index=(x1)); set first.d; run;', 1, 1),
    'split': ('data out.p out.q; set first.d; if x1 < 0.5 then output out.p; else output out.q; run;', 1, 1),
}
# Sixteen numbers are 128 bytes an observation.
SAS_INPUT = (
    'data first.d; array x{16} x1-x16; do i = 1 to %d * 8192;'
    " do j = 1 to 16; x{j} = rand('uniform'); end; output; end; drop i j; run;"
)
