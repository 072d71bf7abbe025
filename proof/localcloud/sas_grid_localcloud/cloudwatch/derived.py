"""Metrics that AWS derives: of functions and workflows as they end, of the rest each minute.

There are those that alarms of the reference deployments look at, and their siblings. Names, units and dimensions:
the services' user guides, "CloudWatch metrics". What EBS, EFS and FSx measure of throughput is not there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ministack.services import autoscaling, ec2, lambda_svc, sqs, stepfunctions

from .. import clock
from ..ec2 import impairment
from . import points

GROUP_METRICS = (
    'GroupMinSize',
    'GroupMaxSize',
    'GroupDesiredCapacity',
    'GroupInServiceInstances',
    'GroupPendingInstances',
    'GroupTerminatingInstances',
    'GroupTotalInstances',
)
"""Those of Auto Scaling groups that are measured here when their collection is enabled."""

_OF_STATUS = {
    'RUNNING': 'ExecutionsStarted',
    'SUCCEEDED': 'ExecutionsSucceeded',
    'FAILED': 'ExecutionsFailed',
    'TIMED_OUT': 'ExecutionsTimedOut',
    'ABORTED': 'ExecutionsAborted',
}

Measured = tuple[str, str, float, dict[str, str]]
"""Namespace, name, value and dimensions."""


def install() -> None:
    """Count what functions and executions come to."""
    _count_invocations()
    _count_executions()


def measure(at: float) -> None:
    """What is measured each minute, with this time."""
    for namespace, name, value, dimensions in (*_groups(), *_instances(), *_queues()):
        points.put(namespace, name, [value], dimensions, 'Count', at)


def _count_invocations() -> None:
    own_dispatch = lambda_svc._execute_function_dispatch
    own_emit = lambda_svc._emit_lambda_metrics

    def dispatch(function: Any, configuration: Mapping[str, Any], event: Any, request: str, started: float) -> Any:
        result = own_dispatch(function, configuration, event, request, started)
        failed = bool(result.get('error')) if isinstance(result, dict) else False
        own_emit(str(configuration.get('FunctionName')), _milliseconds_since(started), failed, False)
        return result

    def only_throttles(name: str, duration_ms: float, error: bool, throttle: bool) -> None:
        # ministack counts what is invoked by API; above, every invocation is, whoever asked for it.
        if throttle:
            points.put('AWS/Lambda', 'Throttles', [1], {'FunctionName': name}, 'Count')

    lambda_svc._execute_function_dispatch = dispatch
    lambda_svc._emit_lambda_metrics = only_throttles


def _milliseconds_since(started: float) -> float:
    return max(1.0, (clock.wall() - started) * 1000)


def _count_executions() -> None:
    own = stepfunctions._emit_execution_status_event

    def status_changed(execution: dict[str, Any]) -> Any:
        name = _OF_STATUS.get(str(execution['status']))
        if name:
            machine = {'StateMachineArn': str(execution['stateMachineArn'])}
            for one in _OF_STATUS.values():
                # Step Functions also says that none failed: zeros make statistics, and no alarm.
                points.put('AWS/States', one, [1.0 if one == name else 0.0], machine, 'Count')
        return own(execution)

    stepfunctions._emit_execution_status_event = status_changed


def _groups() -> Iterator[Measured]:
    for group in autoscaling._asgs.values():
        states = [str(one['LifecycleState']) for one in group['Instances']]
        values = {
            'GroupMinSize': group['MinSize'],
            'GroupMaxSize': group['MaxSize'],
            'GroupDesiredCapacity': group['DesiredCapacity'],
            'GroupInServiceInstances': states.count('InService'),
            'GroupPendingInstances': sum(one.startswith('Pending') for one in states),
            'GroupTerminatingInstances': sum(one.startswith('Terminating') for one in states),
            'GroupTotalInstances': len(states),
        }
        for name in group.get('_collected_metrics', ()):
            dimensions = {'AutoScalingGroupName': str(group['AutoScalingGroupName'])}
            yield 'AWS/AutoScaling', name, float(values[name]), dimensions


def _instances() -> Iterator[Measured]:
    for identity, instance in ec2._instances.items():
        if instance['State']['Name'] != 'running':
            continue
        failed = 0.0 if impairment.seconds_impaired(identity) is None else 1.0
        about = {'InstanceId': str(identity)}
        # A machine of which the hardware is lost is told from one whose system hangs by nothing here.
        yield 'AWS/EC2', 'StatusCheckFailed', failed, about
        yield 'AWS/EC2', 'StatusCheckFailed_Instance', failed, about
        yield 'AWS/EC2', 'StatusCheckFailed_System', 0.0, about


def _queues() -> Iterator[Measured]:
    for queue in sqs._queues.values():
        sqs._refresh_counts(queue)
        told = queue['attributes']
        about = {'QueueName': str(queue.get('name') or told['QueueArn'].rsplit(':', 1)[-1])}
        names = {
            'ApproximateNumberOfMessagesVisible': 'ApproximateNumberOfMessages',
            'ApproximateNumberOfMessagesNotVisible': 'ApproximateNumberOfMessagesNotVisible',
            'ApproximateNumberOfMessagesDelayed': 'ApproximateNumberOfMessagesDelayed',
        }
        for name, attribute in names.items():
            yield 'AWS/SQS', name, float(told.get(attribute) or 0), about
