"""AWS::CloudFormation::Stack: a stack within a stack, by the same engine as any other.

ministack's own deletes what a nested stack should retain, and leaves what failed half done. Here a nested stack is
created, updated, rolled back and deleted as a stack is. What an update removes from it goes only when the whole tree
has been updated, as on AWS: until then the root may be rolled back (CloudFormation user guide, "Nested stacks").
"""

import asyncio
import copy
import secrets
import string
from collections.abc import Iterator
from typing import Any

from ministack.core.concurrency import run_reentrant
from ministack.core.responses import get_account_id, get_region, new_uuid, now_iso
from ministack.services import cloudformation
from ministack.services.cloudformation import changesets, engine, handlers, helpers, provisioners, stacks

from .registry import Made, Properties, ResourceType, register

KIND = 'AWS::CloudFormation::Stack'
_LONGEST_NAME = 128
_LEAVING = '_leaving'
"""In the record of a nested stack: what is to be deleted after the update, with its deletion policy, by logical id."""
_FAST = '_stops_at_failure'
"""In the record of a stack: whether its operation leaves what failed as it is (DisableRollback)."""

Record = dict[str, Any]


def install() -> None:
    """Register the type, and clean up after the roots."""
    register(ResourceType(KIND, _create, _delete, frozenset({'Parameters', 'Tags', 'TemplateURL'}), _update))
    own = stacks._deploy_stack_async

    async def deploy(
        name: str, stack_id: str, template: Any, values: Any, stops: bool, *more: Any, **named: Any
    ) -> None:
        cloudformation._stacks[name][_FAST] = stops
        await own(name, stack_id, template, values, stops, *more, **named)
        root = cloudformation._stacks.get(name)
        # Nothing else runs in between: whoever asks sees the cleanup or its end.
        if root and root['StackStatus'].endswith(('CREATE_COMPLETE', 'UPDATE_COMPLETE')) and any(_leavers(name)):
            await _clean_up(name, root)

    for module in (handlers, changesets):
        module._deploy_stack_async = deploy


def _create(logical_id: str, properties: Properties, parent: str) -> Made:
    text, template, values = _read(properties, {})
    suffix = '-' + ''.join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(12))
    name = f'{parent}-{logical_id}'[: _LONGEST_NAME - len(suffix)] + suffix
    stack_id = f'arn:aws:cloudformation:{get_region()}:{get_account_id()}:stack/{name}/{new_uuid()}'
    above = cloudformation._stacks[parent]
    child: Record = {
        'StackName': name,
        'StackId': stack_id,
        'StackStatusReason': '',
        'CreationTime': now_iso(),
        'Outputs': [],
        'ParentId': above['StackId'],
        'RootId': above.get('RootId') or above['StackId'],
        'Capabilities': list(above.get('Capabilities') or []),
        'DisableRollback': above.get(_FAST, False),
        _FAST: above.get(_FAST, False),
        '_region': get_region(),
        '_resources': {},
        '_parent_stack_name': parent,
    }
    cloudformation._stacks[name] = child
    cloudformation._stack_events[stack_id] = []
    _describe(child, text, template, values, properties)
    _deploy(child, 'CREATE')
    if child['StackStatus'] == 'CREATE_COMPLETE':
        return stack_id, _attributes(child)
    if child['StackStatus'] == 'ROLLBACK_COMPLETE':
        # The parent is rolled back, too, and has nothing to delete here any more.
        child['StackStatus'] = 'DELETE_COMPLETE'
    else:
        # It stays, and the next update of the parent goes on with it.
        above['_resources'][logical_id] = {
            'PhysicalResourceId': stack_id,
            'ResourceType': KIND,
            'ResourceStatus': 'CREATE_FAILED',
            'LogicalResourceId': logical_id,
            'Properties': {},
            'Attributes': {},
            'Timestamp': now_iso(),
        }
    raise ValueError(f'Embedded stack {stack_id} was not successfully created: {_failures(child, "create")}')


def _update(stack_id: str, old: Properties, new: Properties, parent: str) -> Made:
    child = _record(stack_id)
    text, template, values = _read(new, child['_resolved_params'])
    same = text == child['_template_body'] and values == child['_resolved_params']
    if same and dict(old) and child['StackStatus'].endswith('_COMPLETE') and old.get('Tags') == new.get('Tags'):
        return stack_id, _attributes(child)
    child[_FAST] = cloudformation._stacks[parent].get(_FAST, False)
    before = {key: copy.deepcopy(value) for key, value in child.items() if key in _REMEMBERED}
    staying = set(engine._topological_sort(template['Resources'], engine._evaluate_conditions(template, values)))
    leaving = {
        one: child.get(_LEAVING, {}).get(one) or _deletion_policy(child, one)
        for one in child['_resources']
        if one not in staying
    }
    kept = {one: child['_resources'][one] for one in leaving}
    # The engine would delete these now.
    before['_resources'] = {key: value for key, value in before['_resources'].items() if key not in leaving}
    child[_LEAVING] = leaving
    _describe(child, text, template, values, new)
    _deploy(child, 'UPDATE', before)
    child['_resources'].update(kept)
    if child['StackStatus'] != 'UPDATE_COMPLETE':
        raise ValueError(f'Embedded stack {stack_id} was not successfully updated: {_failures(child, "update")}')
    return stack_id, _attributes(child)


def _delete(stack_id: str, properties: Properties) -> None:
    child = _record(stack_id)
    if child['StackStatus'] == 'DELETE_COMPLETE':
        return
    for one, policy in child.pop(_LEAVING, {}).items():
        if policy == 'Retain':
            child['_resources'].pop(one, None)
    asyncio.run(stacks._delete_stack_async(child['StackName'], stack_id))
    if child['StackStatus'] != 'DELETE_COMPLETE':
        raise ValueError(f'Embedded stack {stack_id} was not successfully deleted: {child["StackStatusReason"]}')


_REMEMBERED = {
    '_resources',
    '_template',
    '_template_body',
    '_resolved_params',
    '_conditions',
    'Parameters',
    'Tags',
    'Outputs',
}


def _read(properties: Properties, before: Any) -> tuple[str, Any, Any]:
    """The template's text, the template, and the values of its parameters; all limits of CloudFormation hold."""
    url = str(properties.get('TemplateURL') or '')
    text, refusal = helpers._resolve_template({'TemplateURL': [url]})
    if refusal or not text:
        raise ValueError(f'the template of the nested stack at {url!r} cannot be used: {_message(refusal)}')
    template = engine._parse_template(text)
    engine._validate_template_limits(template)
    given = properties.get('Parameters') or {}
    if any(isinstance(value, list | dict) for value in given.values()):
        raise ValueError('Value of property Parameters must be an object with String (or simple type) properties')
    listed = [{'Key': key, 'Value': '' if value is None else str(value)} for key, value in given.items()]
    unknown = sorted(set(given) - set(template.get('Parameters') or {}))
    if unknown:
        raise ValueError(f'Parameters: [{", ".join(unknown)}] do not exist in the template')
    engine._check_provided_parameter_values(listed)
    values = engine._resolve_parameters(template, listed, before)
    engine.validate_template_support(template, engine._evaluate_conditions(template, values), params=values)
    return text, template, values


def _message(refusal: Any) -> str:
    return refusal[2].decode() if refusal and isinstance(refusal[2], bytes) else str(refusal)


def _describe(child: Record, text: str, template: Any, values: Any, properties: Properties) -> None:
    child['LastUpdatedTime'] = now_iso()
    child['Description'] = template.get('Description', '')
    child['Parameters'] = [
        {'ParameterKey': key, 'ParameterValue': one['Value'], 'NoEcho': one['NoEcho']} for key, one in values.items()
    ]
    child['Tags'] = [dict(tag) for tag in properties.get('Tags') or [] if not tag['Key'].startswith('aws:')]
    child['_template'], child['_template_body'], child['_resolved_params'] = template, text, values
    child['_conditions'] = engine._evaluate_conditions(template, values)


def _deploy(child: Record, verb: str, before: Record | None = None) -> None:
    """Run ministack's engine to its end. This is a thread of its own, which may wait."""
    name, stack_id = child['StackName'], child['StackId']
    child['StackStatus'] = f'{verb}_IN_PROGRESS'
    stacks._add_event(stack_id, name, name, KIND, child['StackStatus'], physical_id=stack_id)
    asyncio.run(
        stacks._deploy_stack_async(
            name,
            stack_id,
            child['_template'],
            child['_resolved_params'],
            child[_FAST],
            child['Tags'],
            is_update=before is not None,
            previous_stack=before,
        )
    )


def _attributes(child: Record) -> dict[str, Any]:
    return {f'Outputs.{one["OutputKey"]}': one['OutputValue'] for one in child['Outputs']}


def _record(stack_id: str) -> Record:
    for stack in list(cloudformation._stacks.values()):
        if stack.get('StackId') == stack_id:
            return stack
    raise ValueError(f'Stack [{stack_id}] does not exist')


def _failures(child: Record, verb: str) -> str:
    """Which of its resources failed, and why, which AWS says in the nested stack's own events only."""
    events = cloudformation._stack_events[child['StackId']]
    failed = [one for one in events if one['ResourceStatus'] in ('CREATE_FAILED', 'UPDATE_FAILED')]
    own = [one for one in failed if one['LogicalResourceId'] != child['StackName']]
    names = ', '.join(one['LogicalResourceId'] for one in own[-1:])
    why = (own or failed or [{}])[-1].get('ResourceStatusReason', '')
    return f'The following resource(s) failed to {verb}: [{names}]. ({why})'


def _deletion_policy(child: Record, logical_id: str) -> str:
    definition = child['_template'].get('Resources', {}).get(logical_id)
    return str(
        stacks._resource_policy(
            definition,
            'DeletionPolicy',
            child['_resources'],
            child['_resolved_params'],
            child['_conditions'],
            child['_template'].get('Mappings', {}),
            child['StackName'],
            child['StackId'],
        )
    )


def _leavers(root: str) -> Iterator[Record]:
    """The nested stacks below a stack that still have something an update removed."""
    for stack in list(cloudformation._stacks.values()):
        if stack.get('_parent_stack_name') != root or stack['StackStatus'] == 'DELETE_COMPLETE':
            continue
        if stack.get(_LEAVING):
            yield stack
        yield from _leavers(stack['StackName'])


async def _clean_up(name: str, root: Record) -> None:
    final = root['StackStatus']
    root['StackStatus'] = 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'
    stacks._add_event(root['StackId'], name, name, KIND, root['StackStatus'], physical_id=root['StackId'])
    for child in _leavers(name):
        await run_reentrant(_let_go, child)
    root['StackStatus'] = final
    stacks._add_event(root['StackId'], name, name, KIND, final, physical_id=root['StackId'])


def _let_go(child: Record) -> None:
    policies = child.pop(_LEAVING)
    for one, record in reversed(list(child['_resources'].items())):
        if one not in policies:
            continue
        kind, physical_id = record['ResourceType'], record['PhysicalResourceId']
        event = (child['StackId'], child['StackName'], one, kind)
        if policies[one] in provisioners._RETAINING_POLICIES:
            stacks._add_event(*event, 'DELETE_SKIPPED', physical_id=physical_id)
            child['_resources'].pop(one)
            continue
        try:
            provisioners._delete_resource(kind, physical_id, record['Properties'], child['StackName'], one)
        except Exception as error:
            # As for any stack: it stays in the stack, and goes with the next update or with the stack.
            stacks._add_event(*event, 'DELETE_FAILED', str(error), physical_id)
            child.setdefault(_LEAVING, {})[one] = policies[one]
            continue
        stacks._add_event(*event, 'DELETE_COMPLETE', physical_id=physical_id)
        child['_resources'].pop(one)
