"""Exports that other stacks import: neither dropped, renamed nor changed, and their stack is not deleted.

CloudFormation user guide, "Get exported outputs from a deployed CloudFormation stack". Its words, as told in
aws-samples/generative-ai-use-cases#1232 (2025-08-27).
"""

from collections.abc import Iterator
from typing import Any

from ministack.services import cloudformation
from ministack.services.cloudformation import changesets, handlers, helpers, stacks

_WITHOUT_RESOURCES = ('DELETE_COMPLETE', 'ROLLBACK_COMPLETE', 'REVIEW_IN_PROGRESS')


class InUse(ValueError):
    """A stack imports what would go or change."""


def install() -> None:
    """Look before outputs are taken over and before a stack goes; afterwards forget what is exported no more."""
    own_outputs, own_delete, own_deploy = (
        stacks._resolve_stack_outputs,
        handlers._ACTION_HANDLERS['DeleteStack'],
        stacks._deploy_stack_async,
    )

    def outputs(
        definitions: Any, conditions: Any, resources: Any, values: Any, mappings: Any, name: str, id: str
    ) -> Any:
        listed, exported = own_outputs(definitions, conditions, resources, values, mappings, name, id)
        _check(name, id, exported)
        return listed, exported

    def delete(parameters: Any) -> Any:
        stack = handlers._resolve_stack(helpers._p(parameters, 'StackName'))
        if stack and stack['StackStatus'] != 'DELETE_COMPLETE':
            for export in _exported_by(stack['StackId']):
                users = importers(export, stack['StackName'])
                if users:
                    message = f'Delete canceled. Cannot delete export {export} as it is in use by {", ".join(users)}.'
                    return helpers._error('ValidationError', message)
        return own_delete(parameters)

    async def deploy(name: str, stack_id: str, *more: Any, **named: Any) -> None:
        await own_deploy(name, stack_id, *more, **named)
        stack = cloudformation._stacks.get(name)
        if stack and stack['StackStatus'] in ('CREATE_COMPLETE', 'UPDATE_COMPLETE'):
            told = {one.get('ExportName') for one in stack['Outputs']}
            for export in [one for one in _exported_by(stack_id) if one not in told]:
                cloudformation._exports.pop(export)

    stacks._resolve_stack_outputs = outputs
    handlers._ACTION_HANDLERS['DeleteStack'] = delete
    for module in (stacks, handlers, changesets):
        module._deploy_stack_async = deploy


def importers(export: str, exporting: str) -> list[str]:
    """The stacks that import it."""
    return [
        name
        for name, stack in list(cloudformation._stacks.items())
        if name != exporting
        and stack['StackStatus'] not in _WITHOUT_RESOURCES
        and export in handlers._imported_export_names(stack, name)
    ]


def _exported_by(stack_id: str) -> Iterator[str]:
    for name, export in list(cloudformation._exports.items()):
        if export['StackId'] == stack_id:
            yield str(name)


def _check(stack: str, stack_id: str, exported: dict[str, Any]) -> None:
    before = cloudformation._exports
    for name, export in exported.items():
        there = before.get(name)
        if there and there['StackId'] != stack_id:
            other = there['StackId'].split('/')[1]
            raise InUse(f'Export with name {name} is already exported by stack {other}')
        if there and there['Value'] != export['Value']:
            _refuse('update', name, stack)
    for name in _exported_by(stack_id):
        if name not in exported:
            _refuse('delete', name, stack)


def _refuse(what: str, export: str, stack: str) -> None:
    users = importers(export, stack)
    if users:
        raise InUse(f'Update canceled. Cannot {what} export {export} as it is in use by {", ".join(users)}.')
