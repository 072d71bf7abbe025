"""Programs that run on nodes of the GFS2 scenarios: what writes, and what judges."""

POINT = '/sasdata'

# Each line has the number after the last one's: whoever sees an old end of the file, or loses a line, breaks it.
WRITER = f"""
import fcntl, hashlib, os, sys, time
name, number = sys.argv[1], 0
log = open('{POINT}/sequence', 'a+b', 0)
while not os.path.exists('/run/stop-writing'):
    fcntl.flock(log, fcntl.LOCK_EX)
    fcntl.lockf(log, fcntl.LOCK_EX)
    end = log.seek(0, os.SEEK_END)
    log.seek(max(0, end - 100))
    lines = log.read().split(b'\\n')
    last = int(lines[-2].split()[0]) if end else -1
    log.write(b'%d %s %d\\n' % (last + 1, name.encode(), number))
    os.fsync(log.fileno())
    fcntl.lockf(log, fcntl.LOCK_UN)
    fcntl.flock(log, fcntl.LOCK_UN)
    data = os.urandom(16384)
    with open('{POINT}/%s-%d' % (name, number % 40), 'wb') as own:
        own.write(hashlib.sha256(data).digest() + data)
        own.flush()
        os.fsync(own.fileno())
    number += 1
    with open('/run/acknowledged.new', 'w') as told:
        told.write(str(number))
    os.rename('/run/acknowledged.new', '/run/acknowledged')
    time.sleep(0.05)
"""

CHECKER = f"""
import glob, hashlib, json
count, broken, torn = {{}}, [], []
lines = open('{POINT}/sequence', 'rb').read().split(b'\\n')
for number, line in enumerate(lines[:-1]):
    words = line.decode(errors='replace').split()
    if len(words) != 3 or words[0] != str(number) or words[2] != str(count.get(words[1], 0)):
        broken.append([number, repr(line)])
    else:
        count[words[1]] = count.get(words[1], 0) + 1
files = glob.glob('{POINT}/n[0-9]*-*')
for file in files:
    data = open(file, 'rb').read()
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        torn.append([file, len(data)])
print(json.dumps(dict(count=count, broken=broken, torn=torn, files=len(files), rest=repr(lines[-1]))))
"""
