"""aws.py states REGION INSTANCE... | secret REGION NAME | tagged REGION TAG VOLUME... | tag REGION TAG VOLUME...: what a cluster node asks AWS."""

import sys
import time

import boto3

call, region, *names = sys.argv[1:]
if call == 'states':
    # A filter, unlike a list of ids, is no error when an instance is not known any more.
    client = boto3.client('ec2', region_name=region)
    for reservation in client.describe_instances(Filters=[{'Name': 'instance-id', 'Values': names}])['Reservations']:
        for instance in reservation['Instances']:
            print(instance['InstanceId'], instance['State']['Name'])
elif call == 'tagged':
    for volume in boto3.client('ec2', region_name=region).describe_volumes(VolumeIds=names[1:])['Volumes']:
        if any(tag['Key'] == names[0] for tag in volume.get('Tags', [])):
            print(volume['VolumeId'])
elif call == 'tag':
    tag = {'Key': names[0], 'Value': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}
    boto3.client('ec2', region_name=region).create_tags(Resources=names[1:], Tags=[tag])
else:
    value = boto3.client('secretsmanager', region_name=region).get_secret_value(SecretId=names[0])
    sys.stdout.buffer.write(value.get('SecretBinary') or value['SecretString'].encode())
