"""Lambda: functions run in the Node.js of the PATH, whatever Node.js runtime the template names.

As on AWS, and unlike ministack, an error that a handler throws keeps its name (workflows retry and catch by it),
and the execution environment lives on after it; a process that dies without an answer is a ``Runtime.ExitError``.
"""

import os
import threading
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from .faults import functions

HANDLER_ERROR = 'status: "error", error: String(err.message || err), trace: err.stack || ""'
"""How ministack's Node.js worker reports what a handler threw."""

_NAMED = 'status: "ok", thrown: String((err && err.name) || "Error"), error: String((err && err.message) || err)'
_THROWN = 'errorType'
_last = threading.local()

_turns = threading.Semaphore(max(8, 2 * (os.cpu_count() or 1)))
"""How many invocations run at once. The others wait, which their time-outs do not count: a hundred events at once
would start a hundred processes, all too slow on one machine. On AWS each has its own."""


def install() -> None:
    """Let workers name errors and survive them."""
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if HANDLER_ERROR not in script:
        raise RuntimeError('the Node.js worker script of ministack is not the one this extension was made for')
    trace = ', trace: String((err && err.stack) || "")'
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(HANDLER_ERROR, _NAMED + trace)
    own_invoke = lambda_runtime.Worker.invoke
    own_execute = lambda_svc._execute_function_warm

    def _invoked(self: Any, *given: Any, **named: Any) -> dict[str, Any]:
        invocation = functions.begun(self)
        try:
            return dict(own_invoke(self, *given, **named))
        finally:
            functions.ended(invocation)

    def invoke(self: Any, *given: Any, **named: Any) -> dict[str, Any]:
        response: dict[str, Any] = functions.initialised(self) or _invoked(self, *given, **named)
        # ministack ends a worker that answers "error", so a thrown error comes as "ok" and is turned here.
        if 'thrown' in response:
            response['status'] = 'error'
            _last.error = {_THROWN: response['thrown'], 'trace': str(response.get('trace', '')).split('\n')}
        elif functions.died(response):
            response['error'] = 'Error: Runtime exited with error: signal: killed'
            _last.error = {_THROWN: 'Runtime.ExitError'}
        return response

    def execute(function: dict[str, Any], event: Any, request_id: str) -> dict[str, Any]:
        _last.error = None
        with _turns:
            result: dict[str, Any] = own_execute(function, event, request_id)
        if _last.error and result.get('error') and isinstance(result.get('body'), dict):
            result['body'].update(_last.error)
        return result

    lambda_runtime.Worker.invoke = invoke
    lambda_svc._execute_function_warm = execute


def stop() -> None:
    """End all worker processes."""
    with lambda_runtime._lock:
        workers = [worker for pool in lambda_runtime._workers.values() for worker in pool]
    lambda_runtime.kill_workers(workers)
