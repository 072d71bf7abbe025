"""What a machine's metadata says of it besides its own name and addresses."""

from dataclasses import dataclass

REGION = 'us-east-1'
ACCESS_KEY = 'ASIALAB'


@dataclass(frozen=True)
class InstanceFacts:
    """The facts of one instance, or of all that are alike."""

    region: str = REGION
    zone: str = 'us-east-1a'
    zone_id: str = 'use1-az1'
    account: str = '000000000000'
    subnet_id: str = 'subnet-0aaaaaaaaaaaaaaaa'
    vpc_id: str = 'vpc-0aaaaaaaaaaaaaaaa'
    vpc_cidr: str = '10.77.0.0/16'
    image_id: str = 'ami-0aaaaaaaaaaaaaaaa'
    instance_type: str = 'lab.large'
    primary_interface: str = 'eni-primary'
    role: str = 'sas-grid-lab'
    access_key: str = ACCESS_KEY
    host_name: str = ''
    """of the system at its first boot; the machine's name when empty"""
    user_data: str = ''
    """none when empty"""


LAB_FACTS = InstanceFacts()
"""of the scenarios' machines"""
