"""The private parts of ministack that the extension rests on. When one is missing, this says which."""

import importlib

import pytest

SEAMS = {
    'ministack.app': ['SERVICE_HANDLERS', '_ct_event_name', 'app'],
    'ministack.core.lambda_runtime': ['Worker', '_NODEJS_WORKER_SCRIPT', '_lock', '_workers', 'kill_workers'],
    'ministack.core.router': ['SERVICE_PATTERNS'],
    'ministack.core.iam_actions': ['access_denied_response'],
    'ministack.core.responses': [
        'AccountRegionScopedDict',
        '_service_model',
        'get_account_id',
        'get_region',
        'request_scope',
    ],
    'ministack.services.alb': ['_targets', '_tgs'],
    'ministack.services.autoscaling': [
        '_ACTION_MAP',
        '_asgs',
        '_create_asg',
        '_delete_group_hooks',
        '_delete_group_policies',
        '_hook_record',
        '_hooks',
        '_reconcile_instances',
        '_tags',
    ],
    'ministack.services.backup': ['_create_selection', '_selections', '_vaults'],
    'ministack.services.cloudformation': ['_exports', '_stack_events', '_stacks'],
    'ministack.core.concurrency': ['run_reentrant'],
    'ministack.services.cloudformation.changesets': ['_deploy_stack_async'],
    'ministack.services.cloudformation.engine': [
        '_check_provided_parameter_values',
        '_evaluate_conditions',
        '_extract_deps',
        '_parse_template',
        '_resolve_parameters',
        '_topological_sort',
        '_validate_template_limits',
        'validate_template_support',
    ],
    'ministack.services.cloudformation.handlers': [
        '_ACTION_HANDLERS',
        '_add_event',
        '_deploy_stack_async',
        '_imported_export_names',
        '_resolve_stack',
    ],
    'ministack.services.cloudformation.helpers': [
        '_error',
        '_p',
        '_resolve_document',
        '_resolve_template',
        '_validate_stack_tags',
    ],
    'ministack.services.cloudformation.provisioners': [
        '_NAME_SEED',
        '_RESOURCE_HANDLERS',
        '_RETAINING_POLICIES',
        '_STACK_TAG_PROPERTY',
        '_asg_create',
        '_asg_update',
        '_cw_metric_alarm_record',
        '_cfn_wait_condition_definition',
        '_delete_resource',
        '_ec2_sg_permissions',
        '_ec2_vpc_endpoint_delete',
        '_physical_name',
        '_property_recreation',
        '_replacing_change',
        '_sm_secret_string',
    ],
    'ministack.services.cloudformation.stacks': [
        '_add_event',
        '_delete_stack_async',
        '_delete_resource',
        '_deploy_stack_async',
        '_property_recreation',
        '_provision_keeping_seed',
        '_provision_resource',
        '_replacing_change',
        '_resolve_stack_outputs',
        '_resource_policy',
        '_runs_on_worker_thread',
        '_topological_sort',
        '_update_resource',
    ],
    'ministack.services.cloudformation.wait_conditions': ['deliver_signal', 'signal_resource', 'wait_for'],
    'ministack.services.cloudwatch': [
        '_alarms',
        '_calc_stats',
        '_cbor_ok',
        '_cbor_timestamp',
        '_composite_alarms',
        '_dims_key',
        '_dispatch_alarm_actions',
        '_error',
        '_evaluate_alarm',
        '_evaluate_all_alarms',
        '_evaluate_parent_alarms',
        '_evict_old_metrics',
        '_get_metric_data',
        '_get_metric_statistics',
        '_json_ok',
        '_metric_bucket',
        '_metrics',
        '_parse_ts',
        '_put_composite_alarm',
        '_put_metric_alarm',
        '_record_history',
        '_stat_value',
        '_store_datum',
        '_ts_iso',
        '_xml',
    ],
    'ministack.services.cloudwatch_logs': [
        '_compile_filter_pattern',
        '_create_log_group',
        '_create_log_stream',
        '_metric_filters',
        '_put_log_events',
        '_put_metric_filter',
    ],
    'ministack.services.dynamodb': ['_tables', '_update_continuous_backups', '_update_ttl'],
    'ministack.services.ec2': [
        '_ACTION_MAP',
        '_DEFAULT_SUBNET_ID',
        '_addresses',
        '_find_active_iam_instance_profile_association',
        '_flow_logs',
        '_images',
        '_instances',
        '_internet_gateways',
        '_launch_templates',
        '_mark_iam_instance_profile_association_disassociated',
        '_nat_gateways',
        '_network_interfaces',
        '_placement_groups',
        '_random_ip',
        '_resolve_iam_instance_profile',
        '_rules_match',
        '_STUB_AMIS',
        '_security_groups',
        '_snapshots',
        '_stub_image_view',
        '_subnets',
        '_tags',
        '_upsert_iam_instance_profile_association',
        '_volumes',
        '_vpc_endpoints',
        '_vpcs',
    ],
    'ministack.services.efs': [
        '_access_points',
        '_create_access_point',
        '_create_file_system',
        '_create_mount_target',
        '_delete_file_system',
        '_delete_mount_target',
        '_error',
        '_file_systems',
        '_fs_id_from',
        '_mount_targets',
    ],
    'ministack.services.eventbridge': [
        '_SCHEDULER_TICK_INTERVAL',
        '_cron_next_fire',
        '_parse_cron_fields',
        '_parse_rate_seconds',
        '_put_events',
    ],
    'ministack.services.iam': ['_aws_managed_policies', '_instance_profiles', '_roles'],
    'ministack.services.lambda_svc': [
        '_emit_lambda_logs',
        '_emit_lambda_metrics',
        '_execute_function_dispatch',
        '_execute_function_warm',
    ],
    'ministack.services.route53': ['_zones'],
    'ministack.services.s3': [
        '_bucket_tags',
        '_buckets',
        '_delete_object',
        '_get_object_data',
        '_put_bucket_encryption',
        '_put_object',
    ],
    'ministack.services.secretsmanager': [
        '_create_secret',
        '_get_random_password',
        '_put_secret_value',
        '_resolve',
        '_secrets',
    ],
    'ministack.services.sns': ['_fanout', '_topic_by_arn_any_scope', '_topics', 'publish_internal'],
    'ministack.services.sqs': ['_queues', '_refresh_counts'],
    'ministack.services.ssm': ['_PUBLIC_AMI_PARAMETERS', '_parameters', '_public_parameter', '_put_parameter'],
    'ministack.services.stepfunctions': [
        '_add_event',
        '_call_lambda',
        '_emit_execution_status_event',
        '_state_machines',
        'now_iso',
    ],
}


@pytest.mark.parametrize(('module', 'name'), [(module, name) for module, names in SEAMS.items() for name in names])
def test_the_seam_exists(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(module), name), f'{module}.{name} is gone: the extension needs it'


def test_every_type_of_ours_has_its_list() -> None:
    from ministack.services.cloudformation import provisioners

    from sas_grid_localcloud.cloudformation.audited_types import TYPES

    missing = sorted(set(TYPES) - set(provisioners._RESOURCE_HANDLERS))
    assert missing == [], f'ministack no longer has {missing}'


def test_the_node_worker_reports_errors_as_expected() -> None:
    from ministack.core import lambda_runtime

    from sas_grid_localcloud.lambda_runtime import HANDLER_ERROR

    assert HANDLER_ERROR in lambda_runtime._NODEJS_WORKER_SCRIPT or 'thrown:' in lambda_runtime._NODEJS_WORKER_SCRIPT
