"""Launch templates: the data of a version, and launch data that names one."""

from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from ..query import Refused


def resolve_template(reference: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a launch template's version; unknown templates and versions are refused."""
    identity, name = reference.get('LaunchTemplateId'), reference.get('LaunchTemplateName')
    found = [
        one
        for one in ec2._launch_templates.values()
        if (identity and one['LaunchTemplateId'] == identity) or (not identity and one['LaunchTemplateName'] == name)
    ]
    if not found:
        raise Refused(
            'InvalidLaunchTemplateId.NotFound',
            f'The specified launch template, {identity or name}, does not exist.',
        )
    template = found[0]
    version = str(reference.get('Version') or '$Default')
    if version == '$Default':
        version = str(template['DefaultVersionNumber'])
    if version == '$Latest':
        version = str(template['LatestVersionNumber'])
    for one in template['Versions']:
        if str(one['VersionNumber']) == version:
            return dict(one['LaunchTemplateData'])
    raise Refused('InvalidLaunchTemplateId.VersionNotFound', f'Could not find version {version} of the launch template')


def merge(data: Mapping[str, Any]) -> dict[str, Any]:
    """Launch data with the launch template it names resolved beneath it."""
    own = {key: value for key, value in data.items() if key != 'LaunchTemplate'}
    if not data.get('LaunchTemplate'):
        return own
    return {**resolve_template(data['LaunchTemplate']), **own}
