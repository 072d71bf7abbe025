"""Instances that build and test: launched, waited for, stopped and terminated through the embedded EC2."""

import threading
from collections.abc import Callable
from typing import Any

from ministack.services import ec2

from .. import permissions, settings
from ..clock import wall
from ..ec2 import call
from ..ec2.launch import launch
from ..ec2.limits import of_instance_type
from ..ec2.state import instance_record
from ..faults import capacity
from ..hosts import agents, boot
from ..permissions.check import Check
from ..query import Refused
from . import recipes, rights
from .failures import Cancelled, Failed
from .state import Record

_LOOK_SECONDS = 0.05
TYPES = ('m5.large', 'm6g.large')
"""what Image Builder takes where no type is asked for, by the architecture of the image: made up"""
CREATED_BY = {'CreatedBy': 'EC2 Image Builder'}


def tags_of(image: Record) -> dict[str, str]:
    """What Image Builder tags what it makes with."""
    return {**CREATED_BY, 'Ec2ImageBuilderArn': image['arn']}


def tag_list(tags: dict[str, str]) -> list[dict[str, str]]:
    """As EC2 has tags."""
    return [{'Key': key, 'Value': value} for key, value in tags.items()]


def start(image: Record, ami: str, purpose: str) -> str:
    """Launch an instance from this image, as the infrastructure configuration says. Its id.

    :raises Refused: when EC2 refuses it
    """
    infrastructure, recipe = image['infrastructureConfiguration'], image['imageRecipe']
    arm = recipes.architecture_of(ami) == 'arm64'
    kinds = infrastructure.get('instanceTypes') or [TYPES[arm]]
    fitting = [kind for kind in kinds if of_instance_type(kind).arm == arm]
    if not fitting:
        raise Refused(
            'InvalidParameterValue',
            f'The architecture of the instance types {", ".join(kinds)} does not match that of {ami}',
        )
    named = {'Name': f'{purpose} instance for {image["name"]}'}
    tags = {**named, **tags_of(image), **(infrastructure.get('resourceTags') or {})}
    extra = recipe.get('additionalInstanceConfiguration') or {}
    options = infrastructure.get('instanceMetadataOptions') or {}
    data: dict[str, Any] = {
        'ImageId': ami,
        'IamInstanceProfile': {'Name': infrastructure['instanceProfileName']},
        'KeyName': infrastructure.get('keyPair') or '',
        'SecurityGroupIds': infrastructure.get('securityGroupIds') or [],
        'UserData': (extra.get('userDataOverride') or '') if purpose == 'Build' else '',
        'MetadataOptions': {name[0].upper() + name[1:]: value for name, value in options.items()},
        'TagSpecifications': [{'ResourceType': kind, 'Tags': tag_list(tags)} for kind in ('instance', 'volume')],
        'BlockDeviceMappings': [_mapping(one) for one in recipe.get('blockDeviceMappings') or []],
    }
    return _first_with_room({key: value for key, value in data.items() if value}, fitting, image)


def _first_with_room(data: dict[str, Any], kinds: list[str], image: Record) -> str:
    """Image Builder takes one of the types by what there is (model, ``instanceTypes``)."""
    for place, kind in enumerate(kinds):
        try:
            capacity.require(str(image.get('_pipeline') or image['name']))
            subnet = image['infrastructureConfiguration'].get('subnetId')
            return str(launch({**data, 'InstanceType': kind}, subnet)['InstanceId'])
        except Refused as refused:
            if refused.code != 'InsufficientInstanceCapacity' or place + 1 == len(kinds):
                raise
    raise AssertionError('there is at least one type')


def _mapping(one: Record) -> Record:
    ebs = one.get('ebs') or {}
    made = {name[0].upper() + name[1:]: value for name, value in ebs.items()}
    return {'DeviceName': one.get('deviceName') or '/dev/xvda', 'Ebs': made}


class Waiting:
    """Waits that end when the build is cancelled."""

    def __init__(self, cancelled: threading.Event) -> None:
        self._cancelled = cancelled

    def until(self, done: Callable[[], bool], seconds: float | None = None) -> bool:
        """Whether it is done in that time; raises Cancelled."""
        started = wall()
        while not done():
            if seconds is not None and wall() - started > seconds:
                return False
            if self._cancelled.wait(_LOOK_SECONDS):
                raise Cancelled
        return True

    def for_state(self, instance_id: str, state: str) -> None:
        """Until the instance is in this state."""
        self.until(lambda: state_of(instance_id) in (state, 'terminated'))

    def for_agent(self, instance_id: str) -> None:
        """Until Run Command serves the instance, whose role has to let its agent sign on.

        :raises Failed: when it does not
        """

        def there() -> bool:
            if state_of(instance_id) not in ('pending', 'running'):
                raise Failed(f'The instance {instance_id} is {state_of(instance_id)}')
            return boot.online(instance_id) and agents.served(instance_id) and _may_sign_on(instance_id)

        if not self.until(there, settings.delays().build_agent):
            raise _unverified(instance_id, 'it was not heard of')


def _may_sign_on(instance_id: str) -> bool:
    """Whether its role lets the agent sign on by now. Of one that never will nothing is to be waited for here.

    :raises Failed: when it never will
    """
    try:
        permissions.require(rights.of_instance(instance_id), [Check('ssm:UpdateInstanceInformation')])
        return True
    except permissions.Denied as denied:
        if denied.when == 'early':
            return False
        raise _unverified(instance_id, str(denied)) from denied


def _unverified(instance_id: str, why: str) -> Failed:
    return Failed(f'SSM Agent verification failed for the instance {instance_id}: {why}')


def state_of(instance_id: str) -> str:
    """As EC2 has it; terminated of one that it has forgotten."""
    record = ec2._instances.get(instance_id)
    return str(record['State']['Name']) if record else 'terminated'


def stop(instance_id: str, waiting: Waiting) -> None:
    """Stop it and wait for that."""
    call('StopInstances', {'InstanceId': [instance_id]})
    waiting.for_state(instance_id, 'stopped')


def reboot(instance_id: str, waiting: Waiting) -> None:
    """Restart it and wait for its agent."""
    instance_record(instance_id)
    call('RebootInstances', {'InstanceId': [instance_id]})
    waiting.for_agent(instance_id)


def terminate(instance_id: str) -> None:
    """Terminate it; one that is gone is gone."""
    if state_of(instance_id) not in ('shutting-down', 'terminated'):
        call('TerminateInstances', {'InstanceId': [instance_id]})
