import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { dashboardUrl } from '../../../constructs/storage-benchmark/functions';
import { testApp } from '../../helpers/app';

test.each([
  ['eu-central-1', 'eu-central-1.console.aws.amazon.com'],
  ['cn-north-1', 'console.amazonaws.cn'],
  ['us-gov-west-1', 'us-gov-west-1.console.amazonaws-us-gov.com'],
])('the dashboard of %s is in the console of its partition', (region, host) => {
  const stack = new Stack(testApp(), 'Test', { env: { account: '111122223333', region } });
  expect(dashboardUrl(stack, 'Mine')).toBe(
    `https://${host}/cloudwatch/home?region=${region}#dashboards/dashboard/Mine`,
  );
});

test('where the region is not known, CloudFormation finds the console by the partition', () => {
  const stack = new Stack(testApp(), 'Test');
  expect(JSON.stringify(stack.resolve(dashboardUrl(stack, 'Mine')))).toContain(
    '"Fn::FindInMap":["Console",{"Ref":"AWS::Partition"},"Domain"]',
  );
  Template.fromStack(stack).hasMapping('Console', { 'aws-cn': { Domain: 'console.amazonaws.cn' } });
});
