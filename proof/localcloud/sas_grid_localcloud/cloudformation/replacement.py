"""Which change of a resource replaces it: CloudFormation's schemas decide, and the history says what was done.

``createOnlyProperties`` always replace. Those that replace under a condition are listed here with the condition; all
others are changed in place.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import new_uuid
from ministack.services.cloudformation import provisioners, stacks

from .. import history
from . import schemas

Values = Mapping[str, Any]


def _always(old: Any, new: Any) -> bool:
    return True


def _more_than_deletion(old: Any, new: Any) -> bool:
    """Template reference, AWS::EC2::Instance: only DeleteOnTermination of a mapping is changed in place."""

    def rest(listed: Any) -> list[Any]:
        return [{**one, 'Ebs': {**(one.get('Ebs') or {}), 'DeleteOnTermination': None}} for one in listed or []]

    return rest(old) != rest(new)


_UNDER_A_CONDITION: dict[tuple[str, str], Callable[[Any, Any], bool]] = {
    ('AWS::EC2::Instance', 'BlockDeviceMappings'): _more_than_deletion,
    # Template reference, AWS::EC2::VPC: from dedicated to default without interruption, everything else replaces.
    ('AWS::EC2::VPC', 'InstanceTenancy'): lambda old, new: new != 'default',
    ('AWS::DynamoDB::Table', 'KeySchema'): _always,
    ('AWS::DynamoDB::GlobalTable', 'KeySchema'): _always,
    ('AWS::DynamoDB::GlobalTable', 'LocalSecondaryIndexes'): _always,
    ('AWS::Events::Rule', 'EventBusName'): _always,
}
"""Of ``conditionalCreateOnlyProperties``, those that can replace here. Machines are EBS-backed and groups have no
policy that replaces, so that what CloudFormation changes in place for such is changed in place."""

DECLARED: dict[str, frozenset[str]] = {}
"""What replaces besides, by type: where the schema says less than EC2 or FSx can change."""


def causes(kind: str, old: Values, new: Values) -> list[str]:
    """The changed properties that need a new resource, as paths; empty when the resource is changed in place."""
    schema = schemas.of_type(kind) or {}
    always = [path for path in schema.get('createOnly', []) if _at(old, path) != _at(new, path)]
    changed = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    conditions = [(name, _UNDER_A_CONDITION.get((kind, name))) for name in changed]
    sometimes = [name for name, holds in conditions if holds and holds(old.get(name), new.get(name))]
    return [*always, *sometimes, *(name for name in changed if name in DECLARED.get(kind, frozenset()))]


def _at(properties: Any, path: str) -> Any:
    for step in path.split('/'):
        properties = properties.get(step) if isinstance(properties, Mapping) else None
    return properties


def install() -> None:
    """Let the schemas decide, name what is generated anew at each creation, and note what happens to resources."""
    own_recreation, own_replacing = provisioners._property_recreation, provisioners._replacing_change

    def recreation(kind: str, name: str) -> str:
        schema = schemas.of_type(kind)
        if schema is None:
            return str(own_recreation(kind, name))
        create_only = schema.get('createOnly', [])
        if name in create_only or name in DECLARED.get(kind, frozenset()):
            return 'Always'
        nested = {path.split('/')[0] for path in create_only}
        return 'Conditionally' if name in {*nested, *schema.get('conditionalCreateOnly', [])} else 'Never'

    def replacing(kind: str, old: Values, new: Values) -> bool:
        return bool(causes(kind, old, new)) if schemas.of_type(kind) else bool(own_replacing(kind, old, new))

    for module in (provisioners, stacks):
        module._property_recreation = recreation
        module._replacing_change = replacing
    _name_anew()
    _note()


def _name_anew() -> None:
    """CloudFormation's generated names end at random: what a stack kept does not stand in the way of another one."""

    def provision(*args: Any) -> Any:
        token = provisioners._NAME_SEED.set(new_uuid()[:8])
        try:
            return stacks._provision_resource(*args), provisioners._NAME_SEED.get()
        finally:
            provisioners._NAME_SEED.reset(token)

    stacks._provision_keeping_seed = provision


def _note() -> None:
    """In the history: ``from`` and ``to`` are physical ids, ``how`` is created, updated, replaced or deleted."""
    own_update, own_delete, own_provision = stacks._update_resource, stacks._delete_resource, stacks._provision_resource

    def note(
        stack: str, logical_id: str, before: str | None, after: str | None, kind: str, how: str, **more: Any
    ) -> None:
        history.record('stack-resource', f'{stack}/{logical_id}', before, after, type=kind, how=how, **more)

    def update(kind: str, physical_id: str, old: Values, new: Values, stack: str, logical_id: str, *more: Any) -> Any:
        made = own_update(kind, physical_id, old, new, stack, logical_id, *more)
        if old != new:
            changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
            how = 'updated' if made[0] == physical_id else 'replaced'
            note(stack, logical_id, physical_id, str(made[0]), kind, how, properties=changed)
        return made

    def delete(kind: str, physical_id: str, properties: Values, stack: str = '', logical_id: str = '') -> Any:
        own_delete(kind, physical_id, properties, stack, logical_id)
        note(stack, logical_id, physical_id, None, kind, 'deleted')

    def provision(kind: str, logical_id: str, properties: Values, stack: str) -> Any:
        made = own_provision(kind, logical_id, properties, stack)
        note(stack, logical_id, None, str(made[0]), kind, 'created')
        return made

    stacks._update_resource, stacks._delete_resource, stacks._provision_resource = update, delete, provision
