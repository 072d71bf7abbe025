"""Commands and invocations as answers carry them."""

from datetime import datetime
from typing import Any

from .hosts import commands, invocations


def command(command: commands.Command) -> dict[str, Any]:
    return {
        'CommandId': command.id,
        'DocumentName': command.document,
        'DocumentVersion': command.version,
        'Comment': command.comment,
        'Parameters': command.parameters,
        'InstanceIds': list(command.invocations),
        'RequestedDateTime': command.requested,
        'Status': command.status,
        'StatusDetails': command.details,
        'TimeoutSeconds': int(command.delivery_seconds),
        'TargetCount': len(command.invocations),
        'CompletedCount': sum(i.ended_somehow for i in command.invocations.values()),
        'ErrorCount': sum(i.status == 'Failed' for i in command.invocations.values()),
    }


def invocation(command: commands.Command, invocation: commands.Invocation) -> dict[str, Any]:
    return {
        'CommandId': command.id,
        'InstanceId': invocation.instance_id,
        'Comment': command.comment,
        'DocumentName': command.document,
        'DocumentVersion': command.version,
        'Status': invocation.status,
        'StatusDetails': invocation.details,
    }


def plugin(invocation: commands.Invocation) -> dict[str, Any]:
    return {
        'Name': invocation.plugin,
        'Status': invocation.status,
        'ResponseCode': invocation.code,
        'Output': invocations.output(invocation),
        **({'ResponseFinishDateTime': _seconds(invocation.ended)} if invocation.ended else {}),
    }


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()
