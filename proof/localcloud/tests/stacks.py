"""A CloudFormation stack under test."""

import json
from typing import Any

from conftest import Cloud, unique, until

Resources = dict[str, Any]


class Stack:
    """Create, update and delete one stack, and look at it."""

    def __init__(self, cloud: Cloud) -> None:
        self.name = unique('stack')
        self._client = cloud.client('cloudformation')

    def create(self, resources: Resources, outputs: Resources | None = None) -> str:
        """The final status."""
        self._client.create_stack(StackName=self.name, TemplateBody=body(resources, outputs))
        return self.settled()

    def update(self, resources: Resources, outputs: Resources | None = None) -> str:
        """The final status."""
        self._client.update_stack(StackName=self.name, TemplateBody=body(resources, outputs))
        return self.settled()

    def delete(self) -> None:
        """Deleted, or not to be deleted."""
        self._client.delete_stack(StackName=self.name)
        until(lambda: self._status() in (None, 'DELETE_COMPLETE', 'DELETE_FAILED'), 'deleted')

    def settled(self) -> str:
        """The status once nothing is in progress."""
        return str(until(lambda: self._status() if not str(self._status()).endswith('PROGRESS') else None, 'end'))

    def ids(self) -> dict[str, str]:
        """Physical ids by logical id."""
        found = self._client.describe_stack_resources(StackName=self.name)['StackResources']
        return {one['LogicalResourceId']: one['PhysicalResourceId'] for one in found}

    def outputs(self) -> dict[str, str]:
        """Outputs by key."""
        found = self._client.describe_stacks(StackName=self.name)['Stacks'][0].get('Outputs', [])
        return {one['OutputKey']: one['OutputValue'] for one in found}

    def reasons(self) -> str:
        """What the events say."""
        events = self._client.describe_stack_events(StackName=self.name)['StackEvents']
        return '\n'.join(one.get('ResourceStatusReason', '') for one in events)

    def _status(self) -> str | None:
        try:
            return str(self._client.describe_stacks(StackName=self.name)['Stacks'][0]['StackStatus'])
        except Exception:
            return None


def body(resources: Resources, outputs: Resources | None = None) -> str:
    """A template as text. An output may be a value, or with ``Value`` all that there is."""
    template = {'AWSTemplateFormatVersion': '2010-09-09', 'Resources': resources}
    if outputs:
        template['Outputs'] = {
            key: value if isinstance(value, dict) and 'Value' in value else {'Value': value}
            for key, value in outputs.items()
        }
    return json.dumps(template)
