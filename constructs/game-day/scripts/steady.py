"""What Systems Manager looks at before a game day takes a server down: that no other one is away, or about to be."""

import json

LEAVING = ('Terminating', 'Terminated', 'Detaching', 'Quarantined')


def steady(events, context):
    """Raises ValueError, which names each server that is not well, unless every tier has all its servers."""
    found = _list(events['impairedInstances']) + _list(events['impairedSystems'])
    impaired = {one['InstanceId'] for one in found}
    problems = [problem for tier in events['tiers'] for problem in _problems(tier, impaired)]
    if problems:
        raise ValueError('; '.join(problems))
    return {'steady': True}


def _problems(tier, impaired):
    running = set(_list(tier['running']))
    members = list(zip(_list(tier['members']), _list(tier['lifecycles']), _list(tier['health'])))
    for volume in _list(tier['doomed']):
        yield f"{tier['tier']}: {volume['VolumeId']} would be deleted with its server (DeleteOnTermination)"
    well = 0
    for member, lifecycle, health in members:
        name = f"{tier['tier']}: {member}"
        if health.lower() != 'healthy':
            yield f'{name} is {health}'
        elif lifecycle.startswith(LEAVING):
            yield f'{name} is {lifecycle}'
        elif member in impaired:
            yield f'{name} fails a status check of EC2'
        elif lifecycle == 'InService' and member not in running:
            yield f'{name} does not run'
        elif lifecycle == 'InService':
            well += 1
    if well < int(tier['slots']):
        yield f"{tier['tier']}: {well} servers are in service and well, for {tier['slots']} slots"


def _list(value):
    return json.loads(value) if isinstance(value, str) else value
