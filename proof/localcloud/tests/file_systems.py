"""File systems of FSx, as its tests want and see them."""

from typing import Any

from conftest import Cloud

LUSTRE = {'DeploymentType': 'PERSISTENT_2', 'PerUnitStorageThroughput': 250}
ONTAP = {'DeploymentType': 'SINGLE_AZ_2', 'ThroughputCapacityPerHAPair': 384}


def file_system(cloud: Cloud, identity: str) -> dict[str, Any] | None:
    found = cloud.client('fsx').describe_file_systems()['FileSystems']
    return next((one for one in found if one['FileSystemId'] == identity), None)
