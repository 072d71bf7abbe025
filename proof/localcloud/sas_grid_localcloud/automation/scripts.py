"""aws:executeScript: Python that runs in a process of its own, with nothing but its input."""

import json
import subprocess
import sys
from typing import Any

from .calls import Failed

LONGEST_SECONDS = 600
_RUN = """
import json, sys
told = json.load(sys.stdin)
module = {'__name__': 'script'}
exec(compile(told['script'], 'script', 'exec'), module)
answer = module[told['handler']](told['payload'], {})
sys.stdout.write('\\n' + json.dumps(answer))
"""


def run(script: str, handler: str, payload: Any, seconds: float) -> Any:
    """What the handler returns. Raises Failed with the end of what it wrote."""
    told = json.dumps({'script': script, 'handler': handler, 'payload': payload})
    try:
        done = subprocess.run(
            [sys.executable, '-I', '-c', _RUN],
            input=told,
            capture_output=True,
            text=True,
            timeout=min(seconds, LONGEST_SECONDS),
            check=False,
            env={},
        )
    except subprocess.TimeoutExpired:
        raise Failed(f'the script ran longer than {seconds} seconds') from None
    if done.returncode:
        raise Failed(done.stderr.strip()[-1000:])
    return json.loads(done.stdout.rsplit('\n', 1)[-1])
