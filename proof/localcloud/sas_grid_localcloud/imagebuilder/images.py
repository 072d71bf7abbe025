"""Images: what an execution builds, and how far it is."""

import copy
import json

from ministack.core.responses import get_account_id
from ministack.services import ec2, sns

from .. import history
from . import components
from .listing import listed
from .state import (
    DISTRIBUTION,
    IMAGES,
    INFRASTRUCTURE,
    RECIPES,
    Record,
    Request,
    arn_of,
    found,
    in_use,
    invalid,
    now,
    shown,
)

FINAL = ('AVAILABLE', 'CANCELLED', 'FAILED')
_SUMMARY = ('arn', 'name', 'type', 'version', 'platform', 'osVersion', 'state', 'dateCreated', 'outputResources')
LONGEST_REASON = 1024


def make(pipeline: Record, tags: Record) -> Record:
    """The image of a new execution. What is changed later does not change it."""
    recipe = copy.deepcopy(found(RECIPES, pipeline['imageRecipeArn'], 'image recipe'))
    infrastructure = copy.deepcopy(
        found(INFRASTRUCTURE, pipeline['infrastructureConfigurationArn'], 'infrastructure configuration')
    )
    distribution = None
    if pipeline.get('distributionConfigurationArn'):
        named = pipeline['distributionConfigurationArn']
        distribution = copy.deepcopy(found(DISTRIBUTION, named, 'distribution configuration'))
    stem = arn_of('image', recipe['name'], recipe['version'])
    number = 1 + max((int(one['arn'].rsplit('/', 1)[1]) for one in IMAGES.values() if one['_stem'] == stem), default=0)
    arn = f'{stem}/{number}'
    logging = (pipeline.get('loggingConfiguration') or {}).get('imageLogGroupName')
    IMAGES[arn] = {
        'arn': arn,
        'type': 'AMI',
        'name': recipe['name'],
        'version': f'{recipe["version"]}/{number}',
        'platform': 'Linux',
        'enhancedImageMetadataEnabled': pipeline['enhancedImageMetadataEnabled'],
        'state': {'status': 'PENDING'},
        'imageRecipe': recipe,
        'sourcePipelineArn': pipeline.get('arn'),
        'infrastructureConfiguration': infrastructure,
        'distributionConfiguration': distribution,
        'imageTestsConfiguration': dict(pipeline['imageTestsConfiguration']),
        'dateCreated': now(),
        'outputResources': {'amis': []},
        'tags': tags,
        'buildType': 'USER_INITIATED',
        'imageSource': 'CUSTOM',
        'executionRole': pipeline.get('executionRole'),
        'loggingConfiguration': {'logGroupName': logging or f'/aws/imagebuilder/{recipe["name"]}'},
        '_stem': stem,
        '_pipeline': pipeline.get('name'),
        '_components': [
            {**one, 'componentArn': components.resolve(one['componentArn'])['arn']}
            for one in recipe.get('components') or []
        ],
        '_workflows': [],
    }
    history.record('image-build', arn, None, 'PENDING', pipeline=pipeline.get('name'))
    return found(IMAGES, arn, 'image')


def move(image: Record, status: str, reason: str = '', failure: Record | None = None) -> None:
    """The image is in this state from now on."""
    before = image['state']['status']
    image['state'] = {
        'status': status,
        **({'reason': reason[:LONGEST_REASON]} if reason else {}),
        **({'failureContext': failure} if failure else {}),
    }
    history.record('image-build', image['arn'], before, status, **({'reason': reason} if reason else {}))
    topic = image['infrastructureConfiguration'].get('snsTopicArn')
    if topic and status in FINAL:
        sns.publish_internal(topic, json.dumps(shown(image)), 'EC2 Image Builder')


def output(ami: str, region: str) -> Record:
    """An AMI as it is told among the output resources."""
    own = ec2._images[ami]
    return {
        'region': region,
        'image': ami,
        'name': own['Name'],
        **({'description': own['Description']} if own['Description'] else {}),
        'state': {'status': 'AVAILABLE'},
        'accountId': get_account_id(),
    }


def _summary(image: Record) -> Record:
    more = {'owner': get_account_id(), 'buildType': image['buildType'], 'imageSource': image['imageSource']}
    told = {**{name: image.get(name) for name in _SUMMARY}, **more, 'tags': image['tags']}
    return {**told, 'loggingConfiguration': image['loggingConfiguration']}


def get(request: Request) -> Record:
    """GetImage."""
    return {'image': shown(found(IMAGES, str(request['imageBuildVersionArn']), 'image'))}


def list_builds(request: Request) -> Record:
    """ListImageBuildVersions."""
    stem = request.get('imageVersionArn')
    builds = [one for one in IMAGES.values() if stem in (None, one['_stem'])]
    return listed('imageSummaryList', [_summary(one) for one in reversed(builds)], request)


def list_of_pipeline(request: Request) -> Record:
    """ListImagePipelineImages, the newest first."""
    arn = str(request['imagePipelineArn'])
    builds = [one for one in IMAGES.values() if one.get('sourcePipelineArn') == arn]
    return listed('imageSummaryList', [_summary(one) for one in reversed(builds)], request)


def list_all(request: Request) -> Record:
    """ListImages: versions, without their builds."""
    versions: dict[str, Record] = {}
    for one in IMAGES.values():
        names = ('name', 'type', 'platform', 'dateCreated', 'buildType', 'imageSource')
        version = one['version'].split('/')[0]
        told = {**{name: one[name] for name in names}, 'version': version, 'owner': get_account_id()}
        versions[one['_stem']] = {**told, 'arn': one['_stem']}
    return listed('imageVersionList', list(versions.values()), request)


def delete(request: Request) -> Record:
    """DeleteImage: its AMI stays. Not while it is built (model)."""
    arn = str(request['imageBuildVersionArn'])
    image = found(IMAGES, arn, 'image')
    if image['state']['status'] not in FINAL:
        raise in_use('image', arn, ['its build, which is running: cancel it first'])
    IMAGES.pop(arn)
    return {'imageBuildVersionArn': arn}


def require_running(arn: str) -> Record:
    """Only what is built can be cancelled."""
    image = found(IMAGES, arn, 'image')
    if image['state']['status'] in FINAL:
        raise invalid(f'The image {arn} is {image["state"]["status"]}: its creation has ended')
    return image
