"""What Systems Manager computes on a game day: the moment of the failure, and how long each step of the recovery took."""

import json
from datetime import datetime, timezone

# In the order in which they are taken: the times of some are the same, or too coarse to tell.
STEPS = {
    'failed': 'the old server began to end, as EC2 has it',
    'detected': 'it was noticed that the old server ends',
    'launched': 'EC2 launched the replacement',
    'spare': 'a spare server was found to take the slot',
    'fenced': 'EC2 showed the old server as terminated',
    'detached': 'its volumes and its address were free',
    'vacated': 'the slot was taken from the old server',
    'claimed': 'the slot was given to the replacement',
    'attached': 'volumes and address were attached',
    'commandSent': 'the replacement was told to serve',
    'served': 'the replacement served',
    'completed': 'Auto Scaling had it in service',
}


def note(events, context):
    """The present time."""
    return {'at': datetime.now(timezone.utc).isoformat()}


def lock_times(events, context):
    """The present time and the end of a lock taken now, in seconds since 1970."""
    now = int(datetime.now(timezone.utc).timestamp())
    return {'now': str(now), 'until': str(now + int(events['seconds']))}


def measure(events, context):
    """The seconds from the failure until the slot was served, and a text for people.

    The timeline is that of the slot's row in the volume map, in DynamoDB's form. A step that is not in it is left out.
    """
    start = _time(events['startedAt'])
    timeline = events['timeline']
    if isinstance(timeline, str):
        timeline = json.loads(timeline)
    moments = {step: _time(value['S'] if isinstance(value, dict) else value) for step, value in timeline.items()}
    # The row keeps the timeline of the last repair: what is older than the failure is not of this one.
    order = [*STEPS, *sorted(set(moments) - set(STEPS))]
    after = sorted(
        (step for step in moments if moments[step] >= start), key=lambda step: (moments[step], order.index(step))
    )
    reached = {step: (moments[step] - start).total_seconds() for step in after}
    seconds = reached.get('served', reached.get('completed'))
    if seconds is None:
        raise ValueError('the timeline of the slot has no step "served" after the failure: ' + json.dumps(timeline))
    lines = [
        f"Slot {events['slot']}: {events['server']} was lost ({events['failure']}) at {start.isoformat()}.",
        f"{events['replacement']} serves it, epoch {events['epochAfter']} after {events['epochBefore']}.",
        f'Served again after {seconds:.0f} s:',
    ]
    lines += [f'  {reached[step]:7.1f} s  {STEPS.get(step, step)}' for step in after]
    return {'recoverySeconds': round(seconds), 'report': '\n'.join(lines)}


def _time(text):
    found = datetime.fromisoformat(text.replace('Z', '+00:00'))
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)
