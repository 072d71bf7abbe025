"""Data Lifecycle Manager: policies for EBS snapshots. They are checked, kept and shown; no snapshot is made.

Values: Data Lifecycle Manager API reference, "PolicyDetails", "Schedule", "CreateRule", "RetainRule".
"""

import json
import re
import time
import uuid
from collections.abc import Mapping
from typing import Any

from ministack import app
from ministack.core import router
from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

from .query import Answer, Refused

POLICIES: Any = AccountRegionScopedDict()
MOST_SCHEDULES = 4
_INTERVALS = (1, 2, 3, 4, 6, 8, 12, 24)
_CRON = r'cron\(\S+( \S+){5}\)'
_MOST_KEPT = 1000
_YEARS = {'DAYS': 36500, 'WEEKS': 5200, 'MONTHS': 1200, 'YEARS': 100}

Record = dict[str, Any]


def bad(message: str) -> Refused:
    """InvalidRequestException."""
    return Refused('InvalidRequestException', message)


def policy_of(identity: str) -> Record:
    """The policy, or the refusal."""
    found = POLICIES.get(identity)
    if found is None:
        raise Refused('ResourceNotFoundException', f'The policy {identity} does not exist', 404)
    assert isinstance(found, dict)
    return found


def create(request: Mapping[str, Any]) -> Record:
    """CreateLifecyclePolicy."""
    _check(request)
    identity = f'policy-{uuid.uuid4().hex[:17]}'
    now = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    POLICIES[identity] = {
        'PolicyId': identity,
        'PolicyArn': f'arn:aws:dlm:{get_region()}:{get_account_id()}:policy/{identity}',
        'Description': request['Description'],
        'State': request['State'],
        'ExecutionRoleArn': request['ExecutionRoleArn'],
        'PolicyDetails': dict(request['PolicyDetails']),
        'Tags': dict(request.get('Tags') or {}),
        'DateCreated': now,
        'DateModified': now,
    }
    return policy_of(identity)


def update(identity: str, request: Mapping[str, Any]) -> Record:
    """UpdateLifecyclePolicy."""
    policy = policy_of(identity)
    names = ('Description', 'State', 'ExecutionRoleArn', 'PolicyDetails')
    wanted = {**policy, **{name: request[name] for name in names if name in request}}
    _check(wanted)
    policy.update(wanted)
    return policy


def _check(request: Mapping[str, Any]) -> None:
    if not re.fullmatch(r'[0-9A-Za-z _-]{1,500}', str(request.get('Description'))):
        raise bad(f'Description {request.get("Description")} is not valid')
    if request.get('State') not in ('ENABLED', 'DISABLED'):
        raise bad(f'State {request.get("State")} is not ENABLED or DISABLED')
    if not re.match(r'arn:aws[\w-]*:iam::\d{12}:role/', str(request.get('ExecutionRoleArn'))):
        raise bad(f'ExecutionRoleArn {request.get("ExecutionRoleArn")} is not the ARN of a role')
    details = request.get('PolicyDetails') or {}
    if details.get('PolicyType', 'EBS_SNAPSHOT_MANAGEMENT') != 'EBS_SNAPSHOT_MANAGEMENT':
        raise bad(f'PolicyType {details["PolicyType"]} is not implemented by the embedded AWS')
    if details.get('ResourceTypes') not in (['VOLUME'], ['INSTANCE']):
        raise bad(f'ResourceTypes is {details.get("ResourceTypes")}; it is VOLUME or INSTANCE')
    if not details.get('TargetTags'):
        raise bad('TargetTags is required')
    schedules = details.get('Schedules') or []
    if not 1 <= len(schedules) <= MOST_SCHEDULES:
        raise bad(f'a policy has 1 to {MOST_SCHEDULES} schedules, not {len(schedules)}')
    for one in schedules:
        _check_schedule(one)


def _check_schedule(schedule: Mapping[str, Any]) -> None:
    name, when, keep = schedule.get('Name'), schedule.get('CreateRule') or {}, schedule.get('RetainRule') or {}
    if not re.fullmatch(r'[0-9A-Za-z _-]{1,120}', str(name)):
        raise bad(f'the schedule name {name} is not valid')
    cron, interval = when.get('CronExpression'), when.get('Interval')
    if (cron is None) == (interval is None) or (cron is not None and not re.fullmatch(_CRON, str(cron))):
        raise bad(f'{name}: CreateRule has one of CronExpression and Interval')
    if interval is not None and (int(interval) not in _INTERVALS or when.get('IntervalUnit') != 'HOURS'):
        raise bad(f'{name}: Interval is {interval} {when.get("IntervalUnit")}; it is one of {_INTERVALS} HOURS')
    times = when.get('Times') or []
    if len(times) > 1 or any(not re.fullmatch(r'([01]\d|2[0-3]):[0-5]\d', str(one)) for one in times):
        raise bad(f'{name}: Times has one time, hh:mm')
    count, age = keep.get('Count'), keep.get('Interval')
    if (count is None) == (age is None):
        raise bad(f'{name}: RetainRule has one of Count and Interval')
    if count is not None and not 1 <= int(count) <= _MOST_KEPT:
        raise bad(f'{name}: RetainRule.Count is {count}; 1 to {_MOST_KEPT}')
    if age is not None and not 1 <= int(age) <= _YEARS.get(str(keep.get('IntervalUnit')), 0):
        raise bad(f'{name}: RetainRule.Interval is {age} {keep.get("IntervalUnit")}; up to 100 years')


def install() -> None:
    """Put the service into ministack."""
    router.SERVICE_PATTERNS['dlm'] = {'host_patterns': [r'dlm\.']}
    app.SERVICE_HANDLERS['dlm'] = _handle_request


async def _handle_request(
    method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, Any]
) -> Answer:
    try:
        return _answer(200, _dispatch(method, path.strip('/').split('/'), json.loads(body) if body else {}))
    except Refused as refused:
        return _answer(refused.status, {'__type': refused.code, 'code': refused.code, 'message': refused.message})


def _dispatch(method: str, parts: list[str], request: Mapping[str, Any]) -> Mapping[str, Any]:
    if parts[0] == 'policies' and len(parts) == 1:
        if method == 'POST':
            return {'PolicyId': create(request)['PolicyId']}
        names = ('PolicyId', 'Description', 'State', 'Tags')
        shown = [{name: one[name] for name in names} for one in POLICIES.values()]
        return {'Policies': [{**one, 'PolicyType': 'EBS_SNAPSHOT_MANAGEMENT'} for one in shown]}
    if parts[0] == 'policies' and len(parts) == 2:
        if method == 'GET':
            return {'Policy': policy_of(parts[1])}
        if method == 'PATCH':
            update(parts[1], request)
            return {}
        if method == 'DELETE':
            POLICIES.pop(policy_of(parts[1])['PolicyId'])
            return {}
    raise bad(f'{method} {"/".join(parts)} is not implemented by the embedded AWS')


def _answer(status: int, data: Mapping[str, Any]) -> Answer:
    headers = {'Content-Type': 'application/json'}
    if status >= 400:
        headers['x-amzn-ErrorType'] = str(data['code'])
    return status, headers, json.dumps(data).encode()
