import {
  CreateStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import type { DeploymentConfig } from '../../../lib/config-types';
import type { Clients } from '../../../proof/kit/clients';
import { AMI, KEY, OTHER_KEY, OTHER_ZONE, TWIN_ZONE, ZONE } from '../values';

const STACK = 'of-somebody-else';

const keyOf = (name: string) => ({
  Type: 'AWS::KMS::Key',
  Properties: {
    Description: name,
    KeyPolicy: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:root` } },
          Action: 'kms:*',
          Resource: '*',
        },
      ],
    },
  },
});

const TEMPLATE = {
  Resources: {
    Key: keyOf('a key'),
    OtherKey: keyOf('another key'),
    Zone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: ZONE.name } },
    TwinZone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: TWIN_ZONE.name } },
    OtherZone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: OTHER_ZONE.name } },
    Image: { Type: 'AWS::SSM::Parameter', Properties: { Name: '/mine/image', Type: 'String', Value: AMI } },
  },
  Outputs: {
    Account: { Value: { Ref: 'AWS::AccountId' } },
    Key: { Value: { 'Fn::GetAtt': ['Key', 'Arn'] } },
    OtherKey: { Value: { 'Fn::GetAtt': ['OtherKey', 'Arn'] } },
    Zone: { Value: { Ref: 'Zone' } },
    TwinZone: { Value: { Ref: 'TwinZone' } },
    OtherZone: { Value: { Ref: 'OtherZone' } },
  },
};

/** What configurations name and somebody else owns: keys, zones, a parameter with an image. Here they are made. */
export class Foreign {
  /** What configurations say, and what there is instead. */
  private constructor(private readonly names: readonly (readonly [string, string])[]) {}

  static async make({ cloudformation: client }: Clients): Promise<Foreign> {
    await client.send(new CreateStackCommand({ StackName: STACK, TemplateBody: JSON.stringify(TEMPLATE) }));
    await waitUntilStackCreateComplete(
      { client, maxWaitTime: 600, minDelay: 1, maxDelay: 1 },
      { StackName: STACK },
    );
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: STACK }));
    const outputs = new Map(Stacks?.[0]?.Outputs?.map((one) => [one.OutputKey, one.OutputValue]));
    const made = (name: string) => {
      const value = outputs.get(name);
      if (!value) throw new Error(`the stack ${STACK} has no output ${name}`);
      return value;
    };
    return new Foreign([
      [KEY, made('Key')],
      [OTHER_KEY, made('OtherKey')],
      [ZONE.id, made('Zone')],
      [TWIN_ZONE.id, made('TwinZone')],
      [OTHER_ZONE.id, made('OtherZone')],
      // Last: it is in the others, too.
      ['111122223333', made('Account')],
    ]);
  }

  /** The configuration with what there is. */
  in(config: DeploymentConfig): DeploymentConfig {
    const text = this.names.reduce((all, [said, is]) => all.replaceAll(said, is), JSON.stringify(config));
    return JSON.parse(text) as DeploymentConfig;
  }
}
