"""AWS::Backup::*: selections, which ministack lacks, and refusals of plans that AWS Backup refuses.

Values: AWS Backup developer guide, API reference, "BackupRuleInput", "Lifecycle", "BackupSelection".
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ministack.services import backup
from ministack.services.cloudformation import provisioners

from ..query import Refused
from .registry import Made, Properties, ResourceType, audit, register

_NAME = r'[a-zA-Z0-9\-_.]{1,50}'
_VAULT = r'[a-zA-Z0-9\-_]{2,50}'
_SCHEDULE = r'(cron\(\S+( \S+){5}\)|rate\(\d+ (hours?|days?)\))'
_COLD_DAYS = 90
"""a backup stays in cold storage for at least this long"""
_LEAST_START_MINUTES = 60


def _bad(message: str) -> Refused:
    return Refused('InvalidParameterValueException', message)


def _check_vault(properties: Properties) -> None:
    if not re.fullmatch(_VAULT, str(properties.get('BackupVaultName'))):
        raise _bad(f'BackupVaultName {properties.get("BackupVaultName")} does not match {_VAULT}')


def _check_plan(properties: Properties) -> None:
    plan = properties['BackupPlan']
    rules = plan.get('BackupPlanRule') or []
    if not plan.get('BackupPlanName') or not rules:
        raise _bad('a backup plan has a name and at least one rule')
    for rule in rules:
        _check_rule(rule)


def _check_rule(rule: Mapping[str, Any]) -> None:
    name, schedule = str(rule.get('RuleName')), rule.get('ScheduleExpression')
    if not re.fullmatch(_NAME, name):
        raise _bad(f'RuleName {name} does not match {_NAME}')
    if rule.get('TargetBackupVault') not in backup._vaults:
        raise Refused('ResourceNotFoundException', f'{name}: vault {rule.get("TargetBackupVault")} does not exist')
    if schedule is not None and not re.fullmatch(_SCHEDULE, str(schedule)):
        raise _bad(f'{name}: ScheduleExpression {schedule} is not valid')
    start, complete = rule.get('StartWindowMinutes'), rule.get('CompletionWindowMinutes')
    if start is not None and int(start) < _LEAST_START_MINUTES:
        raise _bad(f'{name}: StartWindowMinutes is {start}; at least {_LEAST_START_MINUTES}')
    if complete is not None and int(complete) < int(start or 480) + 60:
        raise _bad(f'{name}: CompletionWindowMinutes is {complete}; at least 60 more than StartWindowMinutes')
    cycle = rule.get('Lifecycle') or {}
    cold, gone = cycle.get('MoveToColdStorageAfterDays'), cycle.get('DeleteAfterDays')
    if gone is not None and int(gone) < (int(cold) + _COLD_DAYS if cold is not None else 1):
        raise _bad(f'{name}: DeleteAfterDays is {gone}; at least {_COLD_DAYS} more than MoveToColdStorageAfterDays')


def _create_selection(logical_id: str, properties: Properties, stack: str) -> Made:
    plan, asked = str(properties['BackupPlanId']), dict(properties['BackupSelection'])
    if not re.fullmatch(_NAME, str(asked.get('SelectionName'))):
        raise _bad(f'SelectionName {asked.get("SelectionName")} does not match {_NAME}')
    if not re.match(r'arn:aws[\w-]*:iam::\d{12}:role/', str(asked.get('IamRoleArn'))):
        raise _bad(f'IamRoleArn {asked.get("IamRoleArn")} is not the ARN of a role')
    if not any(asked.get(one) for one in ('Resources', 'ListOfTags', 'Conditions')):
        raise _bad('a backup selection has Resources, ListOfTags or Conditions')
    status, _, body = backup._create_selection(plan, {'BackupSelection': asked})
    answer = json.loads(body)
    if status >= 400:
        raise Refused(str(answer.get('__type') or answer.get('code')), str(answer.get('message')))
    identity = str(answer['SelectionId'])
    return identity, {'Id': identity, 'SelectionId': identity, 'BackupPlanId': plan}


def _delete_selection(physical_id: str, properties: Properties) -> None:
    backup._selections.pop(physical_id, None)


def install() -> None:
    """Register the type and guard ministack's."""
    register(
        ResourceType(
            'AWS::Backup::BackupSelection',
            _create_selection,
            _delete_selection,
            frozenset({'BackupPlanId', 'BackupSelection'}),
        )
    )
    vault = frozenset({'BackupVaultName', 'BackupVaultTags', 'EncryptionKeyArn'})
    kept = frozenset({'AccessPolicy', 'LockConfiguration', 'Notifications'})
    audit('AWS::Backup::BackupVault', vault, kept, _check_vault)
    audit('AWS::Backup::BackupPlan', frozenset({'BackupPlan', 'BackupPlanTags'}), check=_check_plan)
    _guard_vault()
    _guard_plan()


def _guard_vault() -> None:
    handler = provisioners._RESOURCE_HANDLERS['AWS::Backup::BackupVault']

    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        if properties.get('BackupVaultName') in backup._vaults:
            raise Refused('AlreadyExistsException', f'the vault {properties["BackupVaultName"]} exists already')
        made: Made = handler['create'](logical_id, properties, stack)
        return made

    def delete(physical_id: str, properties: Properties) -> None:
        record = backup._vaults.get(physical_id) or {}
        if record.get('NumberOfRecoveryPoints'):
            raise Refused('InvalidRequestException', f'Backup vault {physical_id} contains recovery points')
        handler['delete'](physical_id, properties)

    provisioners._RESOURCE_HANDLERS['AWS::Backup::BackupVault'] = dict(handler, create=create, delete=delete)


def _guard_plan() -> None:
    handler = provisioners._RESOURCE_HANDLERS['AWS::Backup::BackupPlan']

    def delete(physical_id: str, properties: Properties) -> None:
        if any(one['BackupPlanId'] == physical_id for one in backup._selections.values()):
            raise Refused(
                'InvalidRequestException',
                'Related backup plan selections must be deleted prior to backup plan deletion',
            )
        handler['delete'](physical_id, properties)

    provisioners._RESOURCE_HANDLERS['AWS::Backup::BackupPlan'] = dict(handler, delete=delete)
