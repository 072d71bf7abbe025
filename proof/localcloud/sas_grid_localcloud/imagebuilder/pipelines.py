"""Image pipelines: a recipe with its configurations, and what is built by them."""

from ministack.services import iam

from . import building, images
from .listing import listed
from .state import (
    DISTRIBUTION,
    IMAGES,
    INFRASTRUCTURE,
    PIPELINES,
    RECIPES,
    Record,
    Request,
    arn_of,
    exists_already,
    found,
    invalid,
    invalid_value,
    not_here,
    now,
    of_request,
    shown,
)
from .tokens import once

_MEMBERS = (
    'description',
    'imageRecipeArn',
    'infrastructureConfigurationArn',
    'distributionConfigurationArn',
    'executionRole',
    'imageTags',
    'loggingConfiguration',
    'schedule',
)
OWN_LOGS = '/aws/imagebuilder/'


def _checked(request: Request) -> Record:
    if request.get('containerRecipeArn'):
        raise not_here('containerRecipeArn')
    if not request.get('imageRecipeArn'):
        raise invalid('A pipeline has an imageRecipeArn or a containerRecipeArn')
    if request.get('workflows'):
        raise not_here('workflows of your own')
    if (request.get('imageScanningConfiguration') or {}).get('imageScanningEnabled'):
        raise not_here('imageScanningEnabled')
    found(RECIPES, str(request['imageRecipeArn']), 'image recipe')
    found(INFRASTRUCTURE, str(request['infrastructureConfigurationArn']), 'infrastructure configuration')
    if request.get('distributionConfigurationArn'):
        found(DISTRIBUTION, str(request['distributionConfigurationArn']), 'distribution configuration')
    role = str(request.get('executionRole') or '')
    if role and role.rsplit('/', 1)[-1] not in iam._roles:
        raise invalid_value('executionRole', f'The role {role} does not exist')
    group = str((request.get('loggingConfiguration') or {}).get('imageLogGroupName') or '')
    if group and not group.startswith(OWN_LOGS) and not role:
        raise invalid(f'The log group {group} does not begin with {OWN_LOGS}, which needs an executionRole')
    tests = request.get('imageTestsConfiguration') or {}
    return {
        **of_request(request, *_MEMBERS),
        'platform': 'Linux',
        'enhancedImageMetadataEnabled': request.get('enhancedImageMetadataEnabled') is not False,
        'imageTestsConfiguration': {
            'imageTestsEnabled': tests.get('imageTestsEnabled') is not False,
            'timeoutMinutes': tests.get('timeoutMinutes') or 720,
        },
        'status': request.get('status') or 'ENABLED',
    }


def make(request: Request) -> Record:
    """A new pipeline. Its schedule is kept; nothing runs by it here."""
    name = str(request['name'])
    arn = arn_of('image-pipeline', name)
    if arn in PIPELINES:
        raise exists_already('ImagePipeline', arn)
    made = {'arn': arn, 'name': name, **_checked(request), 'dateCreated': now()}
    PIPELINES[arn] = {**made, 'tags': dict(request.get('tags') or {}), 'consecutiveFailures': 0}
    return found(PIPELINES, arn, 'image pipeline')


def change(arn: str, request: Request) -> Record:
    """What is left out is removed, or what it is by default."""
    pipeline = found(PIPELINES, arn, 'image pipeline')
    kept = ('arn', 'name', 'dateCreated', 'tags', 'consecutiveFailures', 'dateLastRun')
    after = {**{name: pipeline[name] for name in kept if name in pipeline}, **_checked(request), 'dateUpdated': now()}
    pipeline.clear()
    pipeline.update(after)
    return pipeline


def remove(arn: str) -> None:
    """A build that it started goes on (model)."""
    found(PIPELINES, arn, 'image pipeline')
    PIPELINES.pop(arn)


def _shown(pipeline: Record) -> Record:
    last = [one for one in IMAGES.values() if one.get('sourcePipelineArn') == pipeline['arn']]
    status = max(last, key=lambda one: one['dateCreated'])['state']['status'] if last else None
    return shown({**pipeline, 'lastRunStatus': status})


@once
def create(request: Request) -> Record:
    """CreateImagePipeline."""
    return {'imagePipelineArn': make(request)['arn']}


@once
def update(request: Request) -> Record:
    """UpdateImagePipeline."""
    return {'imagePipelineArn': change(str(request['imagePipelineArn']), request)['arn']}


def get(request: Request) -> Record:
    """GetImagePipeline."""
    return {'imagePipeline': _shown(found(PIPELINES, str(request['imagePipelineArn']), 'image pipeline'))}


def list_all(request: Request) -> Record:
    """ListImagePipelines."""
    return listed('imagePipelineList', [_shown(one) for one in PIPELINES.values()], request)


def delete(request: Request) -> Record:
    """DeleteImagePipeline."""
    remove(str(request['imagePipelineArn']))
    return {'imagePipelineArn': request['imagePipelineArn']}


@once
def start(request: Request) -> Record:
    """StartImagePipelineExecution, of a disabled one, too (model)."""
    pipeline = found(PIPELINES, str(request['imagePipelineArn']), 'image pipeline')
    image = images.make(pipeline, dict(request.get('tags') or {}))
    pipeline['dateLastRun'] = image['dateCreated']
    building.begin(image['arn'])
    return {'imageBuildVersionArn': image['arn']}


@once
def create_image(request: Request) -> Record:
    """CreateImage of Image Builder: a build without a pipeline."""
    image = images.make(_checked(request), dict(request.get('tags') or {}))
    building.begin(image['arn'])
    return {'imageBuildVersionArn': image['arn']}
