"""A stack that goes takes the permissions of its functions along, while some of them still run.

On AWS, too, a function that is deleted runs to its end, and by then the policies of its role may be gone:
CloudFormation waits for no execution. What it is refused then says nothing of its permissions.
"""

from typing import Any

from ministack.services import cloudformation, iam
from ministack.services.cloudformation import stacks

from .. import permissions


def install() -> None:
    """Note what a role could do, before a stack that is deleted takes it away."""
    own = stacks._delete_resource

    def delete(kind: str, physical_id: str, properties: dict[str, Any], stack: str, logical_id: str) -> None:
        leaves = (cloudformation._stacks.get(stack) or {}).get('StackStatus') == 'DELETE_IN_PROGRESS'
        if leaves and kind in ('AWS::IAM::Policy', 'AWS::IAM::Role'):
            for role in [physical_id] if kind == 'AWS::IAM::Role' else properties.get('Roles') or []:
                permissions.ending(str(role), (iam._roles.get(str(role)) or {}).get('InlinePolicies') or {})
        own(kind, physical_id, properties, stack, logical_id)

    stacks._delete_resource = delete
