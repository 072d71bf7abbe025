"""attach.py REGION INSTANCE INTERFACE VOLUME...: attaches what is not attached to the instance yet, and never detaches.

Exit codes: 0 all is attached, or on its way; 75 not yet, what is missing is printed; 1 anything else.
"""

import sys

import boto3
from botocore.exceptions import ClientError

region, instance, interface, *volumes = sys.argv[1:]
ec2 = boto3.client('ec2', region_name=region)
missing = []


def attach(what, holders, call, **arguments):
    if instance in holders:
        return
    try:
        call(InstanceId=instance, **arguments)
    except ClientError as error:
        missing.append('{}: {}'.format(what, error.response['Error'].get('Message', error)))


def holders(attachments):
    return [each.get('InstanceId') for each in attachments if each and each['Status' if 'Status' in each else 'State'] in ('attaching', 'attached')]


found = ec2.describe_network_interfaces(NetworkInterfaceIds=[interface])['NetworkInterfaces'][0]
holder = holders([found.get('Attachment')])
if holder and instance not in holder:
    missing.append('{} is with {}'.format(interface, holder[0]))
else:
    attach(interface, holder, ec2.attach_network_interface, NetworkInterfaceId=interface, DeviceIndex=1)
found = {each['VolumeId']: each for each in ec2.describe_volumes(VolumeIds=volumes)['Volumes']}
for volume, letter in zip(volumes, 'fghijklmnop'):
    attach(volume, holders(found[volume]['Attachments']), ec2.attach_volume, VolumeId=volume, Device='/dev/sd' + letter)
if missing:
    print('; '.join(missing))
    sys.exit(75)
