"""CloudFormation: the resource types of the reference deployments, and no property dropped silently."""

from . import (
    alarm_types,
    audited_types,
    auto_scaling_types,
    backup_types,
    bucket_deployment,
    departing_roles,
    dlm_types,
    ec2_types,
    efs_types,
    exports,
    fsx_types,
    image_builder_types,
    instance_signals,
    instance_type,
    interface_users,
    looks,
    nested_stacks,
    network_types,
    notifications,
    record_sets,
    registry,
    reservation_types,
    secret_types,
    service_catalog_types,
    signed_addresses,
    wait_conditions,
)


def install() -> None:
    """Register our types and guard ministack's."""
    registry.install()
    for part in (
        ec2_types,
        instance_type,
        network_types,
        reservation_types,
        interface_users,
        auto_scaling_types,
        alarm_types,
        audited_types,
        record_sets,
        fsx_types,
        efs_types,
        service_catalog_types,
        notifications,
        bucket_deployment,
        backup_types,
        dlm_types,
        image_builder_types,
        secret_types,
        instance_signals,
        wait_conditions,
        signed_addresses,
        exports,
        departing_roles,
        nested_stacks,
        looks,
    ):
        part.install()
