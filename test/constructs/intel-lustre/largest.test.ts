import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { SERVICE_LIMITS } from '../../../constructs/sizing';
import { lustreStack } from './stack';

// 30 servers with eight volumes and an interface each: exactly the 270 that are put into the stack itself.
const OSS = { serverCount: 30, volumesPerServer: 8 };

// What a user may still add to the stack. Which servers are in it cannot change once it is deployed: what the library
// adds is taken from here.
const HEAD_ROOM = 14;

test('the largest file system without nested stacks fits into one stack with its network, with room for more', () => {
  const { stack } = lustreStack((own) => {
    const alarmTopic = new sns.Topic(own, 'Alarms', { enforceSSL: true });
    alarmTopic.addSubscription(new EmailSubscription('somebody@example.com'));
    const certificate = new Certificate(own, 'Certificate', { domainName: 'example.com' });
    return { oss: OSS, alarmTopic, monitoring: { certificate, allowedRanges: ['10.0.0.0/8'] } };
  });
  const template = Template.fromStack(stack).toJSON();
  const resources = Object.values(template.Resources as Record<string, { Type: string }>);
  const countOf = (type: string) => resources.filter(({ Type }) => Type === type).length;
  expect(countOf('AWS::EC2::Volume')).toBe(30 * 8 + 2);
  expect(resources.length).toBeLessThanOrEqual(SERVICE_LIMITS.stackResources.value - HEAD_ROOM);
  // CloudFormation takes templates of up to 1 MB.
  expect(JSON.stringify(template).length).toBeLessThanOrEqual(1_000_000);
});
