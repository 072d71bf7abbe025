"""tell_mounted.py REGION STACK RESOURCE NODE: tells CloudFormation that the node is ready. A stack that does not wait (any more) is no error."""

import sys

import boto3
from botocore.exceptions import ClientError

region, stack, resource, node = sys.argv[1:]
try:
    boto3.client('cloudformation', region_name=region).signal_resource(
        StackName=stack, LogicalResourceId=resource, UniqueId=node, Status='SUCCESS'
    )
except ClientError as error:
    if error.response['Error'].get('Code') != 'ValidationError':
        sys.exit(str(error))
    print(error)
