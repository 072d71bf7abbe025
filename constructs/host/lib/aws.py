"""aws.py states REGION INSTANCE... | attached REGION VOLUME... | secret REGION NAME | tagged REGION TAG VOLUME... | tag REGION TAG VOLUME...: what a cluster node asks AWS."""

import sys
import time

import boto3

call, region, *names = sys.argv[1:]
if call == 'states':
    # A filter, unlike a list of ids, is no error when an instance is not known any more. But what is not in an answer to a filter may be in the
    # next one: an instance that runs must not be taken for one that is gone.
    client = boto3.client('ec2', region_name=region)
    found, more = [], {}
    while more is not None:
        page = client.describe_instances(Filters=[{'Name': 'instance-id', 'Values': names}], **more)
        found += [instance for reservation in page['Reservations'] for instance in reservation['Instances']]
        more = {'NextToken': page['NextToken']} if page.get('NextToken') else None
    for instance in found:
        print(instance['InstanceId'], instance['State']['Name'])
elif call == 'attached':
    for volume in boto3.client('ec2', region_name=region).describe_volumes(VolumeIds=names)['Volumes']:
        for attachment in volume['Attachments']:
            print(attachment['InstanceId'])
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
