"""Provisioned products: launched, updated and terminated in the background, with a record of every operation.

States: Service Catalog API reference, "ProvisionedProductDetail" and "RecordDetail".
"""

from collections.abc import Callable

from ministack.core.responses import get_account_id, get_region

from .. import history
from ..query import Refused
from . import stacks
from .launching import Path, body_of, launch_tags, offered, parameters_of, path_for
from .products import artifact_of
from .state import (
    LOCK,
    PROVISIONED,
    RECORDS,
    Record,
    Request,
    Tags,
    duplicate,
    invalid,
    new_id,
    now,
    tags_of,
    text,
)
from .views import provisioned_of, record_shown

_NAME = r'[a-zA-Z0-9][a-zA-Z0-9._-]*'
_CAPABILITIES = ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND']


def provision(request: Request) -> Record:
    """ProvisionProduct."""
    if request.get('ProvisioningPreferences'):
        raise invalid('stack sets are not implemented by the embedded AWS')
    with LOCK:
        name = text('ProvisionedProductName', request['ProvisionedProductName'], 1, 128, _NAME)
        product = offered(request, 'ProductId', 'ProductName')
        path = path_for(product, request)
        artifact = _version(product, request)
        if not artifact['Active']:
            raise invalid(f'{artifact["Id"]} is not active: it cannot be launched')
        if any(one['Name'] == name for one in PROVISIONED.values()):
            raise duplicate(f'A provisioned product with the name {name} already exists')
        tags = launch_tags(path, product, tags_of(request.get('Tags')))
        identity = new_id('pp')
        provisioned: Record = {
            'Name': name,
            'Arn': f'arn:aws:servicecatalog:{get_region()}:{get_account_id()}:stack/{name}/{identity}',
            'Type': 'CFN_STACK',
            'Id': identity,
            'Status': None,
            'CreatedTime': now(),
            'IdempotencyToken': request['ProvisionToken'],
            'ProductId': product['Id'],
            'ProvisioningArtifactId': artifact['Id'],
            'LaunchRoleArn': path.role,
            '_stack': f'SC-{get_account_id()}-{identity}',
            '_path': path.identity,
            '_tags': tags,
        }
        provisioned['_automatic'] = stacks.automatic_tags(provisioned, product, path.portfolio, artifact)
        PROVISIONED[identity] = provisioned
        record = _begin(provisioned, 'PROVISION_PRODUCT', artifact, path)
        answer = {'RecordDetail': record_shown(record)}
        asked = {
            'StackName': provisioned['_stack'],
            'Parameters': parameters_of(request.get('ProvisioningParameters')),
            'Capabilities': _CAPABILITIES,
            'NotificationARNs': [*path.topics, *(request.get('NotificationArns') or [])],
            'Tags': [*tags, *provisioned['_automatic']],
        }
        _work(provisioned, record, path, lambda: stacks.perform('CreateStack', asked, body_of(artifact, path)))
        return answer


def _version(product: Record, request: Request) -> Record:
    wanted, name = request.get('ProvisioningArtifactId'), request.get('ProvisioningArtifactName')
    if not wanted and not name:
        raise invalid('ProvisioningArtifactId or ProvisioningArtifactName is required')
    return artifact_of(product, wanted, name)


def update(request: Request) -> Record:
    """UpdateProvisionedProduct. What the request does not name stays: product, version, path, tags.

    The tags of Service Catalog itself are those of the launch: the model in botocore 1.43.106 says that tags cannot be
    updated. Whether AWS renews the one with the version is unverified.
    """
    if request.get('ProvisioningPreferences'):
        raise invalid('stack sets are not implemented by the embedded AWS')
    with LOCK:
        provisioned = provisioned_of(request, 'ProvisionedProductId', 'ProvisionedProductName')
        _require_stable(provisioned, ('AVAILABLE', 'TAINTED'))
        naming = request if request.get('ProductName') else {'ProductId': provisioned['ProductId'], **request}
        product = offered(naming, 'ProductId', 'ProductName')
        named = request.get('PathId') or request.get('PathName')
        path = path_for(product, request if named else {'PathId': provisioned['_path']})
        versioned = request.get('ProvisioningArtifactId') or request.get('ProvisioningArtifactName')
        before = provisioned['ProvisioningArtifactId']
        artifact = _version(product, request if versioned else {'ProvisioningArtifactId': before})
        tags = _updated_tags(provisioned, path, product, request)
        record = _begin(provisioned, 'UPDATE_PROVISIONED_PRODUCT', artifact, path)
        answer = {'RecordDetail': record_shown(record)}
        asked = {
            'StackName': provisioned['_stack'],
            'Parameters': parameters_of(request.get('ProvisioningParameters')),
            'Capabilities': _CAPABILITIES,
            'NotificationARNs': path.topics,
            'Tags': [*tags, *provisioned['_automatic']],
        }

        def change() -> str | None:
            try:
                return stacks.perform('UpdateStack', asked, body_of(artifact, path))
            except Refused as refused:
                if 'No updates are to be performed' not in refused.message:
                    raise
                return 'UPDATE_COMPLETE'

        def applied() -> None:
            provisioned.update(
                ProductId=product['Id'], ProvisioningArtifactId=artifact['Id'], _path=path.identity, _tags=tags
            )

        _work(provisioned, record, path, change, applied)
        return answer


def _updated_tags(provisioned: Record, path: Path, product: Record, request: Request) -> Tags:
    asked = tags_of(request.get('Tags'))
    if asked and path.tags_fixed:
        raise invalid('tags of this provisioned product cannot be updated: its RESOURCE_UPDATE constraint forbids it')
    before = {tag['Key']: tag['Value'] for tag in provisioned['_tags']}
    before.update({tag['Key']: tag['Value'] for tag in asked})
    return launch_tags(path, product, [{'Key': key, 'Value': value} for key, value in before.items()])


def terminate(request: Request) -> Record:
    """TerminateProvisionedProduct.

    With RetainPhysicalResources the provisioned product goes and its stack stays with all that is in it; with
    IgnoreErrors the product goes even when its stack cannot be deleted (API reference).
    """
    with LOCK:
        provisioned = provisioned_of(request, 'ProvisionedProductId', 'ProvisionedProductName')
        _require_stable(provisioned, ('AVAILABLE', 'TAINTED', 'ERROR'))
        record = _begin(provisioned, 'TERMINATE_PROVISIONED_PRODUCT', None, None)
        answer = {'RecordDetail': record_shown(record)}
        if request.get('RetainPhysicalResources'):
            _gone(provisioned, record)
            return answer
        ignore = bool(request.get('IgnoreErrors'))
        stacks.in_background(lambda: _delete(provisioned, record, ignore))
        return answer


def _delete(provisioned: Record, record: Record, ignore: bool) -> None:
    name = provisioned['_stack']
    try:
        _move(record, 'IN_PROGRESS')
        there = stacks.state_of(name) is not None
        if there and stacks.perform('DeleteStack', {'StackName': name}) is not None and not ignore:
            raise Refused('InternalFailure', stacks.reason_of(name))
    except Exception as problem:
        with LOCK:
            _failed(record, problem)
            _change(provisioned, 'ERROR', str(problem))
        return
    with LOCK:
        _gone(provisioned, record)


def _gone(provisioned: Record, record: Record) -> None:
    PROVISIONED.pop(provisioned['Id'], None)
    history.record('provisioned-product', provisioned['Id'], provisioned['Status'], 'TERMINATED')
    _move(record, 'SUCCEEDED')


def _require_stable(provisioned: Record, allowed: tuple[str, ...]) -> None:
    if provisioned['Status'] not in allowed:
        raise invalid(
            f'Provisioned product {provisioned["Id"]} is {provisioned["Status"]}; this needs {" or ".join(allowed)}'
        )


def _begin(provisioned: Record, kind: str, artifact: Record | None, path: Path | None) -> Record:
    identity = new_id('rec')
    record = {
        'RecordId': identity,
        'ProvisionedProductName': provisioned['Name'],
        'Status': 'CREATED',
        'CreatedTime': now(),
        'UpdatedTime': now(),
        'ProvisionedProductType': 'CFN_STACK',
        'RecordType': kind,
        'ProvisionedProductId': provisioned['Id'],
        'ProductId': provisioned['ProductId'],
        'ProvisioningArtifactId': artifact['Id'] if artifact else provisioned['ProvisioningArtifactId'],
        'PathId': path.identity if path else provisioned['_path'],
        'RecordErrors': [],
        'RecordTags': provisioned['_tags'],
        'LaunchRoleArn': path.role if path else provisioned.get('LaunchRoleArn'),
        '_stack': provisioned['_stack'],
        '_outputs': [],
    }
    RECORDS[identity] = record
    provisioned['LastRecordId'] = identity
    if kind != 'TERMINATE_PROVISIONED_PRODUCT':
        provisioned['LastProvisioningRecordId'] = identity
    _change(provisioned, 'UNDER_CHANGE')
    return record


def _work(
    provisioned: Record,
    record: Record,
    path: Path,
    perform: Callable[[], str | None],
    applied: Callable[[], None] = lambda: None,
) -> None:
    """Do it in the background, and say how it ended. ``perform`` gives the status of the stack."""

    def run() -> None:
        name = provisioned['_stack']
        try:
            _move(record, 'IN_PROGRESS')
            stacks.require_role(path.role)
            if perform() not in ('CREATE_COMPLETE', 'UPDATE_COMPLETE'):
                raise Refused('InternalFailure', stacks.reason_of(name))
        except Exception as problem:
            with LOCK:
                _failed(record, problem)
                # The stack as it was before a failed update: usable, but not what was asked for.
                as_before = ('CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE')
                tainted = stacks.state_of(name) in as_before
                _change(provisioned, 'TAINTED' if tainted else 'ERROR', str(problem))
            return
        with LOCK:
            applied()
            record['_outputs'] = stacks.outputs_of(name)
            provisioned['LastSuccessfulProvisioningRecordId'] = record['RecordId']
            _move(record, 'SUCCEEDED')
            _change(provisioned, 'AVAILABLE')

    stacks.in_background(run)


def _failed(record: Record, problem: Exception) -> None:
    code = problem.code if isinstance(problem, Refused) else 'InternalFailure'
    message = problem.message if isinstance(problem, Refused) else str(problem)
    record['RecordErrors'] = [{'Code': code, 'Description': message}]
    _move(record, 'FAILED')


def _move(record: Record, state: str) -> None:
    history.record('service-catalog-record', record['RecordId'], record['Status'], state, type=record['RecordType'])
    record.update(Status=state, UpdatedTime=now())


def _change(provisioned: Record, state: str, message: str | None = None) -> None:
    history.record('provisioned-product', provisioned['Id'], provisioned['Status'], state)
    provisioned.update(Status=state, StatusMessage=message)
