"""What a group does on its own: launch what is missing, replace what failed, let go of what is too much."""

import logging

from ministack.services import alb, ec2

from .. import clock, settings
from ..ec2 import impairment
from ..ec2.instances import start_terminating
from ..ec2.launch import launch
from ..ec2.launch_templates import merge
from ..ec2.state import LOCK, Record, Tags, dict_of
from ..faults import capacity as shortage
from ..query import Refused
from ..scope import own_scope
from . import hooks, mixed, refreshes
from .state import GONE, groups, move, note_activity, policy_order

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 5.0


def start() -> None:
    """Look at all groups again and again."""
    clock.every(settings.delays().group_tick, tick)


def tick() -> None:
    """One look at all groups."""
    with own_scope(), LOCK:
        for group in groups():
            try:
                step(group)
            except Exception:
                _log.exception('group %s could not be brought forward', group['AutoScalingGroupName'])


def step(group: Record) -> None:
    """Bring one group forward. The lock is held."""
    for member in list(group['Instances']):
        _step_member(group, member)
    for member in refreshes.due(group):
        begin_terminating(group, member)
    live = [member for member in group['Instances'] if member['LifecycleState'] not in GONE]
    wanted = group['DesiredCapacity'] + refreshes.extra(group)
    if clock.wall() >= group.get('_no_launch_before', 0):
        for _ in range(wanted - len(live)):
            if not _launch(group):
                break
    surplus = len(live) - wanted
    if surplus > 0:
        free = [member for member in live if not member['ProtectedFromScaleIn']] if not group.get('_deleting') else live
        for member in policy_order(group, free)[:surplus]:
            begin_terminating(group, member)


def begin_terminating(group: Record, member: Record) -> None:
    """The member leaves: through its terminating hooks when there are any."""
    hooks.forget(member['InstanceId'])
    _deregister(group, member)
    move(group, member, 'Terminating')
    if hooks.begin(group, member, hooks.TERMINATING):
        move(group, member, 'Terminating:Wait')


def _step_member(group: Record, member: Record) -> None:
    instance = ec2._instances.get(member['InstanceId'])
    state = instance['State']['Name'] if instance else 'terminated'
    now = member['LifecycleState']
    # Health is checked of members in service, and that a launch gets to run at all. Whatever becomes of one that waits,
    # its lifecycle action has to end first.
    if now in ('Pending', 'InService'):
        # A group never restarts a stopped member: it is unhealthy and replaced.
        if state in ('shutting-down', 'terminated', 'stopping', 'stopped'):
            member['HealthStatus'] = 'Unhealthy'
        # One whose status check fails is given some minutes in which AWS may mend it, and is in service meanwhile.
        impaired = impairment.seconds_impaired(member['InstanceId']) if now == 'InService' else None
        if impaired is not None and impaired >= settings.delays().group_patience:
            member['HealthStatus'] = 'Unhealthy'
        if member['HealthStatus'] == 'Unhealthy':
            begin_terminating(group, member)
            return
    if now == 'Pending' and state == 'running':
        waits = hooks.begin(group, member, hooks.LAUNCHING)
        move(group, member, 'Pending:Wait' if waits else 'Pending:Proceed')
    elif now == 'Pending:Wait':
        result = hooks.outcome(member, hooks.LAUNCHING)
        if result == 'CONTINUE':
            move(group, member, 'Pending:Proceed')
        elif result == 'ABANDON':
            failed = f'Launching a new EC2 instance: {member["InstanceId"]}'
            cause = 'Lifecycle action was abandoned.'
            note_activity(group, 'EC2 Instance Launch Unsuccessful', failed, 'Cancelled', member, cause)
            begin_terminating(group, member)
    elif now == 'Pending:Proceed':
        _register(group, member)
        move(group, member, 'InService')
        done = f'Launching a new EC2 instance: {member["InstanceId"]}'
        note_activity(group, 'EC2 Instance Launch Successful', done, 'Successful', member)
    elif now == 'Terminating:Wait':
        # Whatever the result of a terminating hook, the instance is terminated.
        if hooks.outcome(member, hooks.TERMINATING):
            move(group, member, 'Terminating:Proceed')
    elif now in ('Terminating', 'Terminating:Proceed'):
        if state == 'terminated':
            move(group, member, 'Terminated')
            group['Instances'].remove(member)
            hooks.forget(member['InstanceId'])
            done = f'Terminating EC2 instance: {member["InstanceId"]}'
            note_activity(group, 'EC2 Instance Terminate Successful', done, 'Successful', member)
        elif instance is not None:
            start_terminating(dict_of(instance))


def _launch(group: Record) -> bool:
    subnets = [one for one in str(group['VPCZoneIdentifier']).split(',') if one]
    held = dict.fromkeys(subnets, 0)
    for member in group['Instances']:
        if member.get('_subnet') in held:
            held[member['_subnet']] += 1
    subnet = min(subnets, key=lambda one: held[one]) if subnets else None
    tags = [{'Key': 'aws:autoscaling:groupName', 'Value': group['AutoScalingGroupName']}]
    tags += [{'Key': tag['Key'], 'Value': tag['Value']} for tag in group.get('Tags', []) if tag['PropagateAtLaunch']]
    try:
        shortage.require(group['AutoScalingGroupName'])
        instance, template = _first_there_is(group, subnet, tags)
    except Refused as refused:
        group['_no_launch_before'] = clock.wall() + _RETRY_SECONDS
        group['_last_failure'] = str(refused)
        why = f'{refused} Launching EC2 instance failed.'
        described = f'Launching a new EC2 instance.  Status Reason: {why}'
        note_activity(group, 'EC2 Instance Launch Unsuccessful', described, 'Failed', message=why)
        return False
    member = {
        'InstanceId': instance['InstanceId'],
        'InstanceType': instance['InstanceType'],
        'HealthStatus': 'Healthy',
        'AvailabilityZone': instance['Placement']['AvailabilityZone'],
        'ProtectedFromScaleIn': bool(group.get('NewInstancesProtectedFromScaleIn')),
        'LaunchTemplate': dict(template),
        'LaunchConfigurationName': '',
        '_subnet': subnet,
    }
    group['Instances'].append(member)
    move(group, member, 'Pending')
    return True


def _first_there_is(group: Record, subnet: str | None, tags: Tags) -> tuple[Record, Record]:
    choices = mixed.choices(group, refreshes.launch_template(group))
    for left, (template, more) in enumerate(choices, 1 - len(choices)):
        reference = {key: value for key, value in template.items() if value}
        try:
            return launch({**merge({'LaunchTemplate': reference}), **more}, subnet, tags), template
        except Refused as refused:
            if left == 0 or refused.code != 'InsufficientInstanceCapacity':
                raise
    raise Refused('ValidationError', 'The group has nothing to launch')


def _register(group: Record, member: Record) -> None:
    for target_group in group.get('TargetGroupARNs') or []:
        port = alb._tgs[target_group].get('Port') if target_group in alb._tgs else None
        targets = alb._targets.setdefault(target_group, [])
        if all(one['Id'] != member['InstanceId'] for one in targets):
            targets.append({'Id': member['InstanceId'], 'Port': port})


def _deregister(group: Record, member: Record) -> None:
    for target_group in group.get('TargetGroupARNs') or []:
        kept = [one for one in alb._targets.get(target_group, []) if one['Id'] != member['InstanceId']]
        alb._targets[target_group] = kept
