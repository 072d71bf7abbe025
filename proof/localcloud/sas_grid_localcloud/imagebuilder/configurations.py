"""Infrastructure and distribution configurations: where images are built, and what becomes of them.

An update replaces the whole configuration. One that a pipeline has is not deleted (model).
"""

import re

from ministack.core.responses import get_account_id, get_region
from ministack.services import iam

from .listing import listed
from .state import (
    DISTRIBUTION,
    INFRASTRUCTURE,
    PIPELINES,
    Record,
    Request,
    arn_of,
    exists_already,
    found,
    in_use,
    invalid,
    invalid_value,
    not_here,
    now,
    of_request,
    shown,
)
from .tokens import once

_INFRASTRUCTURE = (
    'description',
    'instanceTypes',
    'instanceProfileName',
    'securityGroupIds',
    'subnetId',
    'logging',
    'keyPair',
    'resourceTags',
    'instanceMetadataOptions',
    'snsTopicArn',
)
_DISTRIBUTION = ('description', 'distributions')
_NOT_HERE = (
    'containerDistributionConfiguration',
    'fastLaunchConfigurations',
    'launchTemplateConfigurations',
    'licenseConfigurationArns',
    's3ExportConfiguration',
)
BUILD_DATE = re.compile(r'\{\{\s*imagebuilder:buildDate\s*\}\}')


def _infrastructure(request: Request) -> Record:
    """The members, once they are right."""
    profile = str(request['instanceProfileName'])
    if profile not in iam._instance_profiles:
        raise invalid_value(
            'instanceProfileName',
            'The provided instance profile does not exist. Please specify a different instance profile and try again.',
        )
    if request.get('subnetId') and not request.get('securityGroupIds'):
        raise invalid('subnetId needs securityGroupIds')
    if request.get('placement'):
        raise not_here('placement')
    keeps = request.get('terminateInstanceOnFailure') is False
    return {**of_request(request, *_INFRASTRUCTURE), 'terminateInstanceOnFailure': not keeps}


def _distribution(request: Request) -> Record:
    for one in request['distributions']:
        if one['region'] != get_region():
            raise not_here(f'distribution to {one["region"]}')
        for name in _NOT_HERE:
            if one.get(name):
                raise not_here(f'{name} of distributions')
        ami = one.get('amiDistributionConfiguration') or {}
        if ami.get('name') and not BUILD_DATE.search(ami['name']):
            raise invalid_value('name', f'{ami["name"]} lacks {{{{ imagebuilder:buildDate }}}}')
        if set(ami.get('targetAccountIds') or []) - {get_account_id()}:
            raise not_here('targetAccountIds of other accounts')
        permission = ami.get('launchPermission') or {}
        for name in ('organizationArns', 'organizationalUnitArns'):
            if permission.get(name):
                raise not_here(f'launchPermission.{name}')
        for parameter in one.get('ssmParameterConfigurations') or []:
            if parameter.get('amiAccountId') not in (None, get_account_id()):
                raise not_here('ssmParameterConfigurations in other accounts')
    return of_request(request, *_DISTRIBUTION)


class Configurations:
    """Those of one kind."""

    def __init__(self, kind: str, word: str) -> None:
        self._kind, self.word = kind, word
        self.member = f'{word}Arn'
        self.store = INFRASTRUCTURE if word.startswith('infra') else DISTRIBUTION
        self._checked = _infrastructure if word.startswith('infra') else _distribution

    def make(self, request: Request) -> Record:
        """A new one."""
        name = str(request['name'])
        arn = arn_of(self._kind, name)
        if arn in self.store:
            raise exists_already(self.word[0].upper() + self.word[1:], arn)
        made = {'arn': arn, 'name': name, **self._checked(request), 'dateCreated': now()}
        self.store[arn] = {**made, 'tags': dict(request.get('tags') or {})}
        if self.store is DISTRIBUTION:
            self.store[arn]['timeoutMinutes'] = 720
        return found(self.store, arn, self.word)

    def change(self, arn: str, request: Request) -> Record:
        """What is left out is cleared."""
        before = found(self.store, arn, self.word)
        names = ('arn', 'name', 'dateCreated', 'tags', 'timeoutMinutes')
        kept: Record = {name: before[name] for name in names if name in before}
        after: Record = {**kept, **self._checked(request), 'dateUpdated': now()}
        before.clear()
        before.update(after)
        return before

    def remove(self, arn: str) -> None:
        """Refuse while a pipeline has it."""
        found(self.store, arn, self.word)
        users = [one['arn'] for one in PIPELINES.values() if one.get(self.member) == arn]
        if users:
            raise in_use(self._kind.replace('-', ' '), arn, users)
        self.store.pop(arn)

    def delete(self, request: Request) -> Record:
        """Delete..."""
        self.remove(str(request[self.member]))
        return {self.member: request[self.member]}

    def get(self, request: Request) -> Record:
        """Get..."""
        return {self.word: shown(found(self.store, str(request[self.member]), self.word))}

    def list_all(self, request: Request) -> Record:
        """List...s"""
        names = ('arn', 'name', 'description', 'dateCreated', 'dateUpdated', 'tags')
        more = ('resourceTags', 'instanceTypes', 'instanceProfileName') if self.store is INFRASTRUCTURE else ()
        summaries = [{name: one.get(name) for name in (*names, *more)} for one in self.store.values()]
        if self.store is DISTRIBUTION:
            for summary in summaries:
                places = self.store[summary['arn']]['distributions']
                summary['regions'] = sorted({one['region'] for one in places})
        return listed(f'{self.word}SummaryList', summaries, request)


INFRASTRUCTURES = Configurations('infrastructure-configuration', 'infrastructureConfiguration')
DISTRIBUTIONS = Configurations('distribution-configuration', 'distributionConfiguration')


@once
def create_infrastructure(request: Request) -> Record:
    """CreateInfrastructureConfiguration."""
    return {'infrastructureConfigurationArn': INFRASTRUCTURES.make(request)['arn']}


@once
def update_infrastructure(request: Request) -> Record:
    """UpdateInfrastructureConfiguration."""
    arn = str(request['infrastructureConfigurationArn'])
    return {'infrastructureConfigurationArn': INFRASTRUCTURES.change(arn, request)['arn']}


@once
def create_distribution(request: Request) -> Record:
    """CreateDistributionConfiguration."""
    return {'distributionConfigurationArn': DISTRIBUTIONS.make(request)['arn']}


@once
def update_distribution(request: Request) -> Record:
    """UpdateDistributionConfiguration."""
    arn = str(request['distributionConfigurationArn'])
    return {'distributionConfigurationArn': DISTRIBUTIONS.change(arn, request)['arn']}
