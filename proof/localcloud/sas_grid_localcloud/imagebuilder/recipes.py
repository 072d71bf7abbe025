"""Image recipes: a base image and components. They never change; a name with a version exists once."""

import re
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2, ssm

from ..ec2 import images, own_images
from ..query import Refused
from . import components
from .listing import listed
from .state import (
    IMAGES,
    PIPELINES,
    RECIPES,
    Record,
    Request,
    arn_of,
    exists_already,
    found,
    in_use,
    invalid_value,
    not_here,
    now,
    of_request,
    shown,
)
from .tokens import once

MOST_COMPONENTS = 20
"""the quota of a new account"""


def make(request: Request) -> Record:
    """A new recipe."""
    name, version = str(request['name']), str(request['semanticVersion'])
    if 'x' in version:
        raise not_here(f'semanticVersion {version}: versions that Image Builder counts up')
    if request.get('amiWatermarks'):
        raise not_here('amiWatermarks')
    arn = arn_of('image-recipe', name, version)
    if arn in RECIPES:
        raise exists_already('ImageRecipe', arn)
    base_image(str(request['parentImage']))
    chosen = request.get('components') or []
    if len(chosen) > MOST_COMPONENTS:
        raise Refused('ServiceQuotaExceededException', f'{len(chosen)} components; allowed: {MOST_COMPONENTS}', 402)
    for one in chosen:
        _check_parameters(one)
    if len(request.get('blockDeviceMappings') or []) > 1:
        raise not_here('more than one of blockDeviceMappings')
    RECIPES[arn] = {
        'arn': arn,
        'type': 'AMI',
        'name': name,
        'version': version,
        **of_request(
            request,
            'description',
            'components',
            'parentImage',
            'blockDeviceMappings',
            'workingDirectory',
            'additionalInstanceConfiguration',
            'amiTags',
        ),
        'platform': 'Linux',
        'owner': get_account_id(),
        'dateCreated': now(),
        'tags': dict(request.get('tags') or {}),
    }
    return found(RECIPES, arn, 'image recipe')


def _check_parameters(one: Request) -> None:
    component = components.resolve(str(one['componentArn']))
    known = {parameter['name']: parameter for parameter in component['parameters']}
    given = {str(parameter['name']): parameter['value'] for parameter in one.get('parameters') or []}
    unknown = sorted(set(given) - set(known))
    lacking = sorted(name for name, about in known.items() if 'defaultValue' not in about and name not in given)
    if unknown or lacking:
        told = f'unknown: {", ".join(unknown)}' if unknown else f'without a value: {", ".join(lacking)}'
        raise invalid_value('components', f'Parameters of {one["componentArn"]}: {told}')


def base_image(reference: str) -> str:
    """The AMI that a parent image means now: an id, a parameter of Systems Manager, or an image of Image Builder."""
    identity = reference
    if reference.startswith('ssm:'):
        name = reference.removeprefix('ssm:').split(':parameter')[-1]
        parameter = ssm._public_parameter(name) or ssm._parameters.get(name)
        if not parameter:
            raise invalid_value('parentImage', f'The parameter {name} does not exist')
        identity = str(parameter['Value'])
    elif ':image/' in reference:
        identity = _output_of(reference)
    if not re.fullmatch(r'ami-[0-9a-f]{8,17}', identity):
        raise invalid_value('parentImage', f'{reference} is no image')
    try:
        images.describe({'ImageId': [identity]})
        own_images.require_launchable(identity)
    except Refused as refused:
        raise invalid_value('parentImage', refused.message) from refused
    return identity


def _output_of(reference: str) -> str:
    pattern = re.escape(reference).replace('/x', r'/\d+').replace(r'\.x', r'\.\d+') + r'(/\d+)?'
    fitting = [
        one
        for one in IMAGES.values()
        if re.fullmatch(pattern, one['arn'])
        and one['state']['status'] == 'AVAILABLE'
        and one['outputResources']['amis']
    ]
    if not fitting:
        raise invalid_value('parentImage', f'There is no available image {reference}')
    return str(max(fitting, key=lambda one: one['dateCreated'])['outputResources']['amis'][0]['image'])


def architecture_of(image: str) -> str:
    """As EC2 tells it."""
    own = ec2._images.get(image)
    described: Any = [own and {'architecture': own['Architecture']}] if own else None
    return str((described or images.describe({'ImageId': [image]})['imagesSet'])[0]['architecture'])


@once
def create(request: Request) -> Record:
    """CreateImageRecipe."""
    return {'imageRecipeArn': make(request)['arn']}


def get(request: Request) -> Record:
    """GetImageRecipe."""
    return {'imageRecipe': shown(found(RECIPES, str(request['imageRecipeArn']), 'image recipe'))}


def list_all(request: Request) -> Record:
    """ListImageRecipes."""
    names = ('arn', 'name', 'platform', 'owner', 'parentImage', 'dateCreated', 'tags')
    return listed('imageRecipeSummaryList', [{name: one[name] for name in names} for one in RECIPES.values()], request)


def remove(arn: str) -> None:
    """Refuse while a pipeline has it."""
    found(RECIPES, arn, 'image recipe')
    users = [one['arn'] for one in PIPELINES.values() if one.get('imageRecipeArn') == arn]
    if users:
        raise in_use('image recipe', arn, users)
    RECIPES.pop(arn)


def delete(request: Request) -> Record:
    """DeleteImageRecipe."""
    remove(str(request['imageRecipeArn']))
    return {'imageRecipeArn': request['imageRecipeArn']}
