"""python3: the hosts' own programs that ask AWS run as they are, with an SDK that knows the embedded AWS only."""

from __future__ import annotations

import os
import sys

import host
import sdk
from host import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BRING_BOTO3 = ('fence-agents-aws', 'fence-agents')
ROLE = 'host-role'
OF_IMAGES = ('/var/lib/sas-grid-image/', '/usr/share/cdk-sas-grid/')
"""where programs lie that build images, and host software that an image has: they run as they are"""
CREDENTIALS = '{"AccessKeyId": "test", "SecretAccessKey": "test", "Token": "test"}'


def python3(arguments: Sequence[str]) -> int:
    if any(folder in one for folder in OF_IMAGES for one in arguments[:2]) and sdk.ENDPOINT in os.environ:
        return _of_image(arguments)
    if arguments[0] in ('-c', '--version') or any('/run/sas-grid/benchmark-' in one for one in arguments):
        # What a benchmark measures is this machine: its programs run as they are.
        os.execv(sys.executable, [sys.executable, '-s', *arguments])
    script, *rest = arguments
    if script == '-':
        return _carrier(rest)
    if script.endswith('/tell_stack.py'):
        return _tell_stack(script, rest)
    if not any(host.installed(package) for package in BRING_BOTO3):
        raise Failed(1, "ModuleNotFoundError: No module named 'boto3'")
    if sdk.ENDPOINT in os.environ:
        with open(script, encoding='utf-8') as file:
            return sdk.run(file.read(), script, rest)
    return _without_aws(rest)


def _of_image(arguments: Sequence[str]) -> int:
    """What asks AWS does so as the SDKs of AWS: with the metadata service of its instance, and this endpoint."""
    endpoint = os.environ[sdk.ENDPOINT]
    metadata = f'{endpoint}/_sas_grid/metadata/{host.INSTANCE}'
    asking = {'AWS_ENDPOINT_URL': endpoint, 'AWS_EC2_METADATA_SERVICE_ENDPOINT': metadata}
    os.execve(sys.executable, [sys.executable, '-s', *arguments], {**os.environ, **asking})


def _carrier(arguments: list[str]) -> int:
    """What user data runs to get the rest of the host's software from S3."""
    os.environ['AWS_ENDPOINT_URL_S3'] = os.environ[sdk.ENDPOINT]
    sdk.answer_metadata(_metadata)
    return sdk.run(sys.stdin.read(), '<stdin>', arguments)


def _tell_stack(script: str, arguments: list[str]) -> int:
    """What a grid node tells CloudFormation, with the credentials of its own instance."""
    if sdk.ENDPOINT not in os.environ:
        return 0
    os.environ['AWS_ENDPOINT_URL_CLOUDFORMATION'] = os.environ[sdk.ENDPOINT]
    sys.path.insert(0, os.path.dirname(script))
    sdk.answer_metadata(_metadata_of_instance)
    with open(script, encoding='utf-8') as file:
        return sdk.run(file.read(), script, arguments)


def _metadata_of_instance(path: str) -> str:
    known = {'/latest/meta-data/services/domain': 'amazonaws.com', '/latest/meta-data/instance-id': host.INSTANCE}
    return known.get(path) or _metadata(path).replace('"AccessKeyId": "test"', f'"AccessKeyId": "{host.INSTANCE}"')


def _metadata(path: str) -> str:
    folder = '/latest/meta-data/iam/security-credentials/'
    known = {'/latest/api/token': 'token', folder: ROLE, folder + ROLE: CREDENTIALS}
    return known[path]


def _without_aws(arguments: list[str]) -> int:
    """aws.py where there are hosts and no AWS: the state folder knows other hosts, a secret is made up."""
    call, _, *names = arguments
    if call == 'secret':
        print(''.join(f'{names[0]}-{number};' for number in range(64)))
    if call == 'attached':
        print(host.INSTANCE)
    for name in names if call == 'states' else ():
        state = host.STATE / 'hosts' / name / 'instance-state'
        if state.exists():
            print(name, state.read_text())
    return 0


TOOLS = {'python3': python3}
