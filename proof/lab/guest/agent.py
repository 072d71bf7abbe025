#!/usr/bin/python3 -IS
"""The guest's agent: JSON lines over a virtio-serial port, one thread for each command.

It says {"hello": BOOT_ID} when it starts. Requests are {"id", "command", "timeout"}, {"id", "path", "text", "mode"} and
{"id", "kill"}, which ends the command of that id with its children. Each is answered by {"id", "code", "output"}. A
command that takes too long is killed in the same way: code 124. With "apart" its errors are not in "output", but in
"errors".
"""

import json
import os
import signal
import subprocess
import threading
import time

PORT = '/dev/virtio-ports/sas-grid-lab'
OUTPUT_LIMIT = 1 << 20
ENVIRONMENT = {
    'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME': '/root',
    'LANG': 'C.UTF-8',
}


def open_port():
    for _ in range(600):
        if os.path.exists(PORT):
            return os.open(PORT, os.O_RDWR)
        time.sleep(0.1)
    raise SystemExit(f'{PORT} does not appear')


class Agent:
    def __init__(self, port):
        self.port = port
        self.lock = threading.Lock()
        self.running = {}

    def send(self, message):
        data = (json.dumps(message) + '\n').encode()
        with self.lock:
            while data:
                data = data[os.write(self.port, data) :]

    def answer(self, request):
        errors = ''
        try:
            if 'path' in request:
                code, output = write(request)
            elif 'kill' in request:
                code, output = self.kill(request['kill'])
            else:
                code, output, errors = self.execute(request)
        except Exception as problem:
            code, output = 125, f'agent: {problem!r}'
        self.send({'id': request['id'], 'code': code, 'output': output, 'errors': errors})

    def serve(self):
        with open('/proc/sys/kernel/random/boot_id') as boot_id:
            self.send({'hello': boot_id.read().strip()})
        received = b''
        while True:
            data = os.read(self.port, 65536)
            if not data:
                # Nobody on the other side.
                time.sleep(0.05)
                continue
            received += data
            *lines, received = received.split(b'\n')
            for line in lines:
                if line.strip():
                    threading.Thread(target=self.answer, args=(json.loads(line),), daemon=True).start()

    def execute(self, request):
        process = subprocess.Popen(
            ['/bin/bash', '-c', request['command']],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if request.get('apart') else subprocess.STDOUT,
            start_new_session=True,
            cwd='/',
            env=ENVIRONMENT,
        )
        self.running[request['id']] = process
        try:
            output, errors = process.communicate(timeout=request['timeout'])
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = finish(process)
            code = 124
        finally:
            del self.running[request['id']]
        return code, readable(output), readable(errors or b'')

    def kill(self, number):
        process = self.running.get(number)
        if process:
            os.killpg(process.pid, signal.SIGKILL)
        return 0, ''


def write(request):
    os.makedirs(os.path.dirname(request['path']), exist_ok=True)
    with open(request['path'], 'w') as file:
        file.write(request['text'])
    os.chmod(request['path'], request['mode'])
    return 0, ''


def finish(process):
    # A child that left the process group, or hangs in the kernel, may hold the pipe open.
    try:
        return process.communicate(timeout=2)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b'', late.stderr


def readable(data):
    return data.decode('utf8', 'replace')[-OUTPUT_LIMIT:]


if __name__ == '__main__':
    Agent(open_port()).serve()
