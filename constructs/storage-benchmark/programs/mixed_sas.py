"""The mixed workload: mixed_sas.py prepare|run DIRECTORY INPUT_MIB STREAMS JOBS SCALE [SAS]

The papers (000, 001) had 19 tests, 10 of computing, 2 of memory and 7 of I/O, in 101 jobs of which about 30 ran at a
time. Here a job is one step, in a process of its own; 'run' prints a line of JSON for each:

  {"step": "sort", "kind": "io", "job": "17", "realSeconds": 4.1, "userSeconds": 0.9, "systemSeconds": 1.2,
   "bytesRead": 2147483648, "bytesWritten": 2147483648}

kind is compute, memory or io. With SAS, steps are programs for SAS, and bytes are those of the data sets that they read
and write. It runs with Python 3.6.
"""

import json
import os
import re
import shutil
import sys
import time

import mixed_steps as steps
from mixed_steps import BLOCK, MIB, RECORD


def plan(jobs):
    """The step of each job: the tests in turn, the kinds mixed as evenly as their numbers allow."""
    groups = (('compute', steps.COMPUTE), ('memory', steps.MEMORY), ('io', steps.IO))
    tests = [((place + 0.5) / len(group), kind, step) for kind, group in groups for place, step in enumerate(group)]
    ordered = [(kind, step) for _, kind, step in sorted(tests, key=lambda test: test[0])]
    return [ordered[n % len(ordered)] for n in range(jobs)]


class Workload:
    """The jobs, in a directory."""

    def __init__(self, directory, input_mib, streams, jobs, scale, sas=''):
        self.directory, self.sas = os.path.abspath(directory), sas
        self.input_mib, self.streams, self.scale = int(input_mib), int(streams), int(scale)
        self.tests = plan(int(jobs))
        self.with_io = [n for n, (kind, _) in enumerate(self.tests) if kind == 'io']
        # Steps of memory together take a quarter of it, at most.
        with open(os.environ.get('SAS_GRID_ROOT', '') + '/proc/meminfo') as file:
            total = int(re.search(r'MemTotal:\s+(\d+)', file.read()).group(1)) // 1024
        self.memory_mib = max(1, min(64 * self.scale, total // 4 // self.streams))

    def input_of(self, number):
        return f'{self.directory}/input{number}'

    def out_of(self, number):
        return f'{self.directory}/out{number}'

    def prepare(self):
        """An input for each job with I/O, of data that cannot be compressed."""
        return self.together([(n, lambda n=n: self.write_input(n)) for n in self.with_io])

    def write_input(self, number):
        if self.sas:
            self.start_sas(self.input_of(number), number, steps.SAS_INPUT % self.input_mib)
        tile = os.urandom(4 * MIB + RECORD)
        os.mkdir(self.input_of(number))
        with open(self.input_of(number) + '/data', 'wb', buffering=0) as file:
            for n in range(self.input_mib * MIB // BLOCK):
                start = (n * 7919 * 512) % (4 * MIB + RECORD - BLOCK)
                steps.write(file, tile[start : start + BLOCK])
            os.fsync(file.fileno())

    def run(self):
        """All jobs, so many streams at once."""
        return self.together([(n, lambda n=n: self.step(n)) for n in range(len(self.tests))], tell=True)

    def step(self, number):
        kind, step = self.tests[number]
        out = self.out_of(number)
        os.mkdir(out)
        if self.sas:
            self.start_sas(out, number, self.sas_program(kind, step.__name__))
        elif kind == 'io':
            step(*(self.input_of(n) + '/data' for n in self.inputs(number)), out)
        else:
            step(12 * self.scale if kind == 'compute' else self.memory_mib)

    def sas_program(self, kind, name):
        if kind == 'io':
            return steps.SAS_IO[name][0]
        return steps.SAS_COMPUTE % self.scale if kind == 'compute' else steps.SAS_MEMORY % self.memory_mib

    def inputs(self, number):
        """One of its own, and that of the next job with I/O."""
        place = self.with_io.index(number)
        return number, self.with_io[(place + 1) % len(self.with_io)]

    def start_sas(self, out, number, program):
        """In place of this process: SAS, whose work and results are in the directory."""
        os.makedirs(out, exist_ok=True)
        pair = self.inputs(number) if number in self.with_io else ()
        names = zip(('out', 'first', 'second'), (out, *map(self.input_of, pair)))
        with open(out + '/step.sas', 'w') as file:
            file.writelines(["libname {} '{}';\n".format(*pair) for pair in names] + [program, '\n'])
        files = ['-sysin', out + '/step.sas', '-log', out + '/step.log', '-print', out + '/step.lst', '-work', out]
        os.execv(self.sas, [self.sas, '-nodms', '-noterminal', *files])

    def together(self, jobs, tell=False):
        """Each in a process of its own. The exit code of the first that failed, which ends the others."""
        waiting, running = list(reversed(jobs)), {}
        while waiting or running:
            while waiting and len(running) < self.streams:
                number, work = waiting.pop()
                said, say = os.pipe()
                started = time.time()
                child = os.fork()
                if child == 0:
                    os.close(said)
                    os._exit(in_child(work, say))
                os.close(say)
                running[child] = (number, started, said)
            child, status, used = os.wait4(-1, 0)
            if child not in running:
                continue
            number, started, said = running.pop(child)
            with os.fdopen(said) as file:
                moved = json.loads(file.read() or '{}')
            # SAS ends with 1 after warnings.
            failed = not os.WIFEXITED(status) or os.WEXITSTATUS(status) > (1 if self.sas else 0)
            if failed:
                self.explain(number)
                for other in running:
                    os.kill(other, 15)
                return 1
            if tell:
                self.tell(number, time.time() - started, used, moved)
                self.remove(number)
        return 0

    def remove(self, number):
        """What a job has made, in a process of its own: a large file may take seconds, and other jobs end meanwhile."""
        if os.fork() == 0:
            shutil.rmtree(self.out_of(number), ignore_errors=True)
            os._exit(0)

    def tell(self, number, seconds, used, moved):
        kind, step = self.tests[number]
        if self.sas and kind == 'io':
            _, read, written = steps.SAS_IO[step.__name__]
            moved = {'read': read * self.input_mib * MIB, 'written': written * self.input_mib * MIB}
        line = {
            'step': step.__name__,
            'kind': kind,
            'job': str(number),
            'realSeconds': round(seconds, 3),
            'userSeconds': round(used.ru_utime, 3),
            'systemSeconds': round(used.ru_stime, 3),
            'bytesRead': moved.get('read', 0),
            'bytesWritten': moved.get('written', 0),
        }
        print(json.dumps(line), flush=True)

    def explain(self, number):
        for place in (self.input_of(number), self.out_of(number)):
            if os.path.exists(place + '/step.log'):
                with open(place + '/step.log', errors='replace') as file:
                    sys.stderr.writelines(line for line in file if line.startswith('ERROR'))
        print(f'job {number} ({self.tests[number][1].__name__}) failed', file=sys.stderr)


def in_child(work, say):
    try:
        work()
        os.write(say, json.dumps(steps.MOVED).encode())
        return 0
    except Exception as error:
        print(f'{type(error).__name__}: {error}', file=sys.stderr, flush=True)
        return 1


if __name__ == '__main__':
    workload = Workload(*sys.argv[2:])
    sys.exit(workload.prepare() if sys.argv[1] == 'prepare' else workload.run())
