"""IAM: functions, hosts and runbooks may do what the policies of their roles allow, as on AWS, and nothing else.

Everybody else is the account's root user: the command line, tests and deployments. What Step Functions, EventBridge and
CloudFormation do under roles of theirs is not looked at.
"""

from .decide import Denied, require
from .door import WHEN, install
from .in_force import changed, ending

__all__ = ['WHEN', 'Denied', 'changed', 'ending', 'install', 'require']
