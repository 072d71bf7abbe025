"""Types of EC2 Image Builder. Components and recipes never change: another one replaces them, under another version.

Attributes: CloudFormation's schemas. What a template says is held against the model of the API, as requests are.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services.cloudformation import provisioners

from ..imagebuilder import components, pipelines, policies, recipes
from ..imagebuilder.configurations import DISTRIBUTIONS, INFRASTRUCTURES
from ..imagebuilder.state import COMPONENTS, POLICIES, RECIPES, Record
from ..imagebuilder.state import PIPELINES as ALL_PIPELINES
from ..query import Refused
from ..validation import models
from ..validation.checks import check_of
from ..validation.door import message_of
from ..validation.violations import Found
from .fsx_types import typed
from .registry import Made, Properties, ResourceType, register

_PREFIX = 'AWS::ImageBuilder::'
_MAPS = frozenset({'Tags', 'AmiTags', 'ImageTags', 'ResourceTags', 'TagMap'})
_RENAMED = {'LaunchPermissionConfiguration': 'launchPermission', 'S3Logs': 's3Logs', 'Version': 'semanticVersion'}
_AS_TEXT = frozenset({'Name', 'Version', 'SemanticVersion', 'UserIds', 'AmiAccountId', 'TargetAccountIds'})


def _members(value: Any, top: bool = True) -> Any:
    """Properties as members of the API: other names, and numbers in place of texts."""
    if isinstance(value, list):
        return [_members(one, top=False) for one in value]
    if not isinstance(value, Mapping):
        return typed(value)
    made = {}
    for key, inner in value.items():
        name = _RENAMED.get(key, key[0].lower() + key[1:]) if key != 'Version' or top else 'version'
        if key in _MAPS:
            made[name] = {str(one): str(text) for one, text in inner.items()}
        else:
            if key == 'InstanceProfileName':
                # Ref of an instance profile is its name on AWS, its ARN in ministack.
                inner = str(inner).rsplit('/', 1)[-1]
            # A parameter of a component has a list of texts, a rule of a policy a number.
            text = key in _AS_TEXT or (key == 'Value' and isinstance(inner, list))
            made[name] = inner if text else _members(inner, top=False)
    return made


def _request(operation: str, properties: Properties, **more: Any) -> Record:
    """The request that CloudFormation makes of it.

    :raises Refused: when the model of the API does not allow it
    """
    members = _members(properties)
    own = {key: value for key, value in (members.get('tags') or {}).items() if not key.startswith('aws:')}
    checked: Found = []
    model = models.model_of('imagebuilder')
    assert model is not None
    shape: Any = model.operation_model(operation).input_shape
    asked = {**members, **more, 'clientToken': 'cloudformation', 'tags': own or None}
    # An update has neither.
    for name in {'name', 'tags'} - set(shape.members):
        asked.pop(name, None)
    check_of('imagebuilder', shape)(asked, '', checked)
    if checked:
        raise Refused('InvalidRequestException', message_of(checked))
    return {**members, **more}


def _attributes(record: Record) -> dict[str, Any]:
    made = {'Arn': record['arn'], 'Name': record['name']}
    if record['arn'].split(':')[-1].startswith('component/'):
        made.update(Type=record['type'], Encrypted=record['encrypted'])
    version = record.get('version')
    if version:
        stem = record['arn'].split(f'/{version}')[0]
        major, minor, _ = version.split('.')
        made['LatestVersion.Arn'] = f'{stem}/x.x.x'
        made['LatestVersion.Major'] = f'{stem}/{major}.x.x'
        made['LatestVersion.Minor'] = f'{stem}/{major}.{minor}.x'
        made['LatestVersion.Patch'] = f'{stem}/{version}' + ('/x' if 'encrypted' in record else '')
    return made


Make = Callable[[Record], Record]
Change = Callable[[str, Record], Record]
Remove = Callable[[str], None]


def _type(
    name: str, member: str, store: Any, make: Make, remove: Remove, change: Change | None, properties: str, more: str
) -> None:
    """Register one."""

    def create(logical_id: str, given: Properties, stack: str) -> Made:
        record = make(_request(f'Create{name}', given))
        return record['arn'], _attributes(record)

    def update(arn: str, old: Properties, new: Properties, stack: str) -> Made:
        record = store[arn]
        untagged = {key: value for key, value in new.items() if key != 'Tags'}
        if change is not None and untagged != {key: value for key, value in old.items() if key != 'Tags'}:
            record = change(arn, _request(f'Update{name}', untagged, **{member: arn}))
        record['tags'] = dict(new.get('Tags') or {})
        return arn, _attributes(record)

    def delete(arn: str, given: Properties) -> None:
        if arn in store:
            remove(arn)

    known, accepted = frozenset({'Name', 'Description', 'Tags', *properties.split()}), frozenset(more.split())
    register(ResourceType(_PREFIX + name, create, delete, known, update, accepted))
    provisioners._STACK_TAG_PROPERTY[_PREFIX + name] = ('Tags', 'map')


def install() -> None:
    """Register the types."""
    _install_what_is_built()
    _install_pipelines()


def _install_what_is_built() -> None:
    _type(
        'Component',
        'componentBuildVersionArn',
        COMPONENTS,
        components.make,
        components.remove,
        None,
        'ChangeDescription Data KmsKeyId Platform SupportedOsVersions Uri Version',
        '',
    )
    _type(
        'ImageRecipe',
        'imageRecipeArn',
        RECIPES,
        recipes.make,
        recipes.remove,
        None,
        'AdditionalInstanceConfiguration AmiTags BlockDeviceMappings Components ParentImage Version WorkingDirectory',
        '',
    )
    _type(
        'InfrastructureConfiguration',
        'infrastructureConfigurationArn',
        INFRASTRUCTURES.store,
        INFRASTRUCTURES.make,
        INFRASTRUCTURES.remove,
        INFRASTRUCTURES.change,
        'InstanceMetadataOptions InstanceProfileName InstanceTypes KeyPair Logging ResourceTags SecurityGroupIds '
        'SnsTopicArn SubnetId TerminateInstanceOnFailure',
        '',
    )


def _install_pipelines() -> None:
    _type(
        'DistributionConfiguration',
        'distributionConfigurationArn',
        DISTRIBUTIONS.store,
        DISTRIBUTIONS.make,
        DISTRIBUTIONS.remove,
        DISTRIBUTIONS.change,
        'Distributions',
        '',
    )
    _type(
        'ImagePipeline',
        'imagePipelineArn',
        ALL_PIPELINES,
        pipelines.make,
        pipelines.remove,
        pipelines.change,
        'DistributionConfigurationArn EnhancedImageMetadataEnabled ExecutionRole ImageRecipeArn '
        'ImageTestsConfiguration ImageTags InfrastructureConfigurationArn LoggingConfiguration Status',
        'ImageScanningConfiguration Schedule',
    )
    _type(
        'LifecyclePolicy',
        'lifecyclePolicyArn',
        POLICIES,
        policies.make,
        policies.remove,
        policies.change,
        'ExecutionRole PolicyDetails ResourceSelection ResourceType Status',
        '',
    )
