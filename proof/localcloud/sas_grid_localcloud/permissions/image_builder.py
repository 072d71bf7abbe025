"""What calls of EC2 Image Builder have to be allowed, with the actions that others need besides.

https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2imagebuilder.html, by way of the
generated tables of iam-floyd, read 2026-11-27; tags count as elsewhere.
"""

from collections.abc import Iterable
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import iam

from ..scope import arn
from .check import Check, tag_keys

NEEDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    'CancelImageCreation': ('imageBuildVersionArn', 'image/*/*/*', ()),
    'CreateComponent': ('', 'component', ()),
    'CreateDistributionConfiguration': ('', 'distribution-configuration', ()),
    'CreateImagePipeline': ('', 'image-pipeline', ('GetImageRecipe',)),
    'CreateImageRecipe': ('', 'image-recipe', ('GetComponent',)),
    'CreateInfrastructureConfiguration': ('', 'infrastructure-configuration', ()),
    'DeleteComponent': ('componentBuildVersionArn', 'component', ()),
    'DeleteDistributionConfiguration': ('distributionConfigurationArn', 'distribution-configuration', ()),
    'DeleteImage': ('imageBuildVersionArn', 'image', ()),
    'DeleteImagePipeline': ('imagePipelineArn', 'image-pipeline', ()),
    'DeleteImageRecipe': ('imageRecipeArn', 'image-recipe', ()),
    'DeleteInfrastructureConfiguration': ('infrastructureConfigurationArn', 'infrastructure-configuration', ()),
    'GetComponent': ('componentBuildVersionArn', 'component', ()),
    'GetDistributionConfiguration': ('distributionConfigurationArn', 'distribution-configuration', ()),
    'GetImage': ('imageBuildVersionArn', 'image', ()),
    'GetImagePipeline': ('imagePipelineArn', 'image-pipeline', ()),
    'GetImageRecipe': ('imageRecipeArn', 'image-recipe', ()),
    'GetInfrastructureConfiguration': ('infrastructureConfigurationArn', 'infrastructure-configuration', ()),
    'ListImageBuildVersions': ('imageVersionArn', 'image', ()),
    'ListImagePipelineImages': ('imagePipelineArn', 'image-pipeline', ()),
    'ListImagePipelines': ('', '', ()),
    'ListImages': ('', '', ()),
    'ListWorkflowExecutions': ('imageBuildVersionArn', 'image', ()),
    'ListWorkflowStepExecutions': ('', 'workflow-execution', ()),
    'StartImagePipelineExecution': ('imagePipelineArn', 'image-pipeline', ('GetImagePipeline',)),
    'UpdateDistributionConfiguration': ('distributionConfigurationArn', 'distribution-configuration', ()),
    'UpdateImagePipeline': ('imagePipelineArn', 'image-pipeline', ('GetImageRecipe',)),
    'UpdateInfrastructureConfiguration': ('infrastructureConfigurationArn', 'infrastructure-configuration', ()),
}
"""the member that names the resource, its kind where none does, and what else is looked at"""

_MEMBERS = {'GetImageRecipe': 'imageRecipeArn', 'GetImagePipeline': 'imagePipelineArn'}


def checks(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The action on its resource, what depends on it, and the roles that are passed."""
    from ..imagebuilder import state

    member, kind, more = NEEDS[api]
    resource = str(request.get(member) or '') if member else ''
    if not resource and kind:
        name = str(request.get('name') or request.get('workflowExecutionId') or '*')
        resource = (
            state.arn_of(kind.split('/')[0], name) if request.get('name') else arn('imagebuilder', f'{kind}/{name}')
        )
    keys: dict[str, Any] = dict(_tags(resource))
    given = request.get('tags') or {}
    if given:
        keys = {**keys, **{f'aws:RequestTag/{key}': value for key, value in given.items()}, 'aws:TagKeys': list(given)}
    yield Check(f'imagebuilder:{api}', resource or '*', keys)
    for one in more:
        if one == 'GetComponent':
            for component in request.get('components') or []:
                yield Check('imagebuilder:GetComponent', str(component['componentArn']))
        else:
            yield Check(f'imagebuilder:{one}', str(request.get(_MEMBERS[one]) or '*'))
    yield from _passed(request)


def _tags(resource: str) -> dict[str, str]:
    from ..imagebuilder import state
    from ..query import Refused

    try:
        tags = state.tagged(resource)['tags']
    except Refused:
        return {}
    return tag_keys([{'Key': key, 'Value': value} for key, value in tags.items()])


def _passed(request: dict[str, Any]) -> Iterable[Check]:
    """The role of the instance profile goes to EC2, the execution role to Image Builder."""
    profile = iam._instance_profiles.get(str(request.get('instanceProfileName') or '')) or {}
    roles = [(str(role), 'ec2.amazonaws.com') for role in profile.get('Roles') or []]
    if request.get('executionRole'):
        roles.append((str(request['executionRole']).rsplit('/', 1)[-1], 'imagebuilder.amazonaws.com'))
    for role, service in roles:
        known = iam._roles.get(role) or {}
        resource = str(known.get('Arn') or f'arn:aws:iam::{get_account_id()}:role/{role}')
        yield Check('iam:PassRole', resource, {'iam:PassedToService': service})
