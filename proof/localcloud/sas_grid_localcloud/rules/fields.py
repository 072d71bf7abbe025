"""What models say of single fields in words only: the documentation in botocore 1.43.106, where no rule says else."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..query import Refused

Members = Mapping[str, Any]

_GROUP_TEXT = re.compile(r'[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{0,255}')
_BALANCER_NAME = re.compile(r'(?!internal-)[a-zA-Z0-9]([a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?')
_RATE = re.compile(r'rate\((\d+) (minute|hour|day)(s?)\)')
_CRON = re.compile(r'cron\(\S+( \S+){5}\)')

DAY = 86_400


def group_texts(members: Members) -> None:
    """CreateSecurityGroup and the rules of groups: no other characters in descriptions."""
    for parameter, text in _texts(members):
        if not _GROUP_TEXT.fullmatch(str(text)):
            raise Refused(
                'InvalidParameterValue',
                f'Value ({text}) for parameter {parameter} is invalid. Valid descriptions are strings less than 256 '
                'characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*',
            )


def _texts(members: Members) -> Iterator[tuple[str, Any]]:
    for name in ('GroupName', 'Description'):
        if members.get(name) is not None:
            yield name, members[name]
    for permission in members.get('IpPermissions') or []:
        for ranges in ('IpRanges', 'Ipv6Ranges', 'PrefixListIds', 'UserIdGroupPairs'):
            for one in permission.get(ranges) or []:
                if one.get('Description') is not None:
                    yield 'Description', one['Description']


def subject(members: Members) -> None:
    """Publish: less than 100 characters is what the model says; its reference, up to 100. None may break the line."""
    text = members.get('Subject')
    if text is not None and (not text or len(text) > 100 or any(ord(one) < 32 or ord(one) == 127 for one in text)):
        raise Refused('InvalidParameter', 'Invalid parameter: Subject')


def alarm(members: Members) -> None:
    """PutMetricAlarm: the period, and how long a time an alarm looks at (model of Period, and its API reference)."""
    periods = [int(members[name]) for name in ('Period',) if members.get(name)]
    for one in members.get('Metrics') or []:
        stat = one.get('MetricStat') or {}
        periods += [int(each) for each in (stat.get('Period'), one.get('Period')) if each]
    for period in periods:
        if period not in (10, 20, 30) and period % 60:
            raise Refused('ValidationError', 'Period must be 10, 20, 30 or a multiple of 60')
    evaluated = int(members.get('EvaluationPeriods') or 1)
    longest = max(periods, default=0)
    allowed = 7 * DAY if longest >= 3600 else DAY
    if longest * evaluated > allowed:
        told = f'Metrics cannot be checked across more than {allowed} seconds (EvaluationPeriods * Period is too long)'
        raise Refused('ValidationError', told)
    if int(members.get('DatapointsToAlarm') or 1) > evaluated:
        raise Refused('ValidationError', 'DatapointsToAlarm must be less than or equal to EvaluationPeriods')


def balancer_name(members: Members) -> None:
    """CreateLoadBalancer and CreateTargetGroup."""
    name = members.get('Name')
    if name is None:
        return
    if len(name) > 32:
        raise Refused('ValidationError', f"The name '{name}' cannot be longer than '32' characters")
    if not _BALANCER_NAME.fullmatch(name):
        raise Refused(
            'ValidationError', f"The name '{name}' has characters that are not allowed, or in the wrong place"
        )


def heartbeat(members: Members) -> None:
    """PutLifecycleHook."""
    seconds = members.get('HeartbeatTimeout')
    if seconds is not None and not 30 <= int(seconds) <= 7200:
        raise Refused('ValidationError', f'HeartbeatTimeout is {seconds}; allowed: 30 to 7200 seconds')


def heartbeats(members: Members) -> None:
    """CreateAutoScalingGroup with hooks of its own."""
    for one in members.get('LifecycleHookSpecificationList') or []:
        heartbeat(one)


def schedule(members: Members) -> None:
    """PutRule: a rate of one has its unit in the singular (EventBridge User Guide, "Rate expressions reference")."""
    text = members.get('ScheduleExpression')
    if not text:
        return
    rate = _RATE.fullmatch(text)
    right = (
        bool(rate) and int(rate[1]) > 0 and (int(rate[1]) == 1) == (rate[3] == '') if rate else _CRON.fullmatch(text)
    )
    if not right:
        raise Refused('ValidationException', 'Parameter ScheduleExpression is not valid.')


def document(members: Members) -> None:
    """CreateDocument and UpdateDocument: 64 KB."""
    content = members.get('Content') or ''
    size = len((content if isinstance(content, str) else json.dumps(content)).encode())
    if size > 65_536:
        raise Refused('MaxDocumentSizeExceeded', f'The document is {size} bytes; allowed: 65536')
