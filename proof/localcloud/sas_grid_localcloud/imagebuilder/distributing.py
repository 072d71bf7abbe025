"""Distribution: description, tags and launch permissions of the AMI, and parameters of Systems Manager that name it.

A key of a distribution is for copies in other Regions and accounts; in the Region of the build the disks are encrypted
as the recipe says (User Guide, "Create and update AMI distribution configurations"). Copies are not emulated.
"""

import json
import time

from ministack.core.responses import get_region
from ministack.services import ec2, ssm

from .. import permissions
from ..ec2.state import LOCK, set_tags, tags_of
from ..permissions.check import Check
from ..query import Refused
from ..rules import existing
from ..scope import arn
from . import instances, rights
from .configurations import BUILD_DATE
from .failures import Failed
from .state import Record


def here(image: Record) -> Record:
    """The distribution to this Region; empty without one."""
    distributions = (image.get('distributionConfiguration') or {}).get('distributions') or []
    return next((one for one in distributions if one['region'] == get_region()), {})


def ami_name(image: Record, at: float) -> str:
    """The name of the output AMI, with the time of the build."""
    date = time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime(at)) + f'.{int(at % 1 * 1_000_000):06d}Z'
    pattern = (here(image).get('amiDistributionConfiguration') or {}).get('name')
    return BUILD_DATE.sub(date, pattern) if pattern else f'{image["name"]} {date}'


def distribute(image: Record, ami: str) -> Record:
    """Give the AMI what the distribution settings say."""
    settings = here(image).get('amiDistributionConfiguration') or {}
    key = settings.get('kmsKeyId')
    existing.key_exists(key, Refused('InvalidKMSKey.InvalidState', f'The KMS key {key} does not exist'))
    permission = settings.get('launchPermission') or {}
    with LOCK:
        own = ec2._images[ami]
        if settings.get('description'):
            own['Description'] = settings['description']
        tags = {tag['Key']: tag['Value'] for tag in tags_of(ami)}
        set_tags(ami, instances.tag_list({**tags, **(settings.get('amiTags') or {})}))
        own['LaunchPermissions'] = [
            *({'UserId': one} for one in permission.get('userIds') or []),
            *({'Group': one} for one in permission.get('userGroups') or []),
        ]
    return {'imageId': ami, 'region': get_region()}


def put_parameters(image: Record, ami: str) -> Record:
    """Name the AMI in parameters, with the execution role (User Guide, "Prerequisites for SSM output parameters")."""
    done = []
    for one in here(image).get('ssmParameterConfigurations') or []:
        name = str(one['parameterName'])
        kind = str(one.get('dataType') or 'text')
        try:
            _put(image, ami, name, kind)
        except (Failed, permissions.Denied) as problem:
            raise _failed(str(problem)) from problem
        done.append(name)
    return {'parameters': done}


def _put(image: Record, ami: str, name: str, kind: str) -> None:
    role = rights.execution_role(image, 'store the AMI in parameters')
    checks = [Check('ssm:PutParameter', arn('ssm', f'parameter/{name.lstrip("/")}'))]
    if kind == 'aws:ec2:image':
        checks.append(Check('ec2:DescribeImages'))
    rights.require(role, checks)
    request = {'Name': name, 'Value': ami, 'Type': 'String', 'DataType': kind, 'Overwrite': name in ssm._parameters}
    status, _, answer = ssm._put_parameter(request)
    if status >= 400:
        raise Failed(str(json.loads(answer).get('message') or answer))


def _failed(message: str) -> Failed:
    region = {'region': get_region(), 'status': 'FAILED', 'imageConfigurationStep': 'PUT_SSM_PARAMETERS'}
    failure = {'errorMessage': message, 'regionFailures': [{**region, 'errorMessage': message}]}
    return Failed(message, {'distributionFailure': failure})
