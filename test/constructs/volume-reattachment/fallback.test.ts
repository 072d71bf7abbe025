import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { InstanceType, PlacementGroup } from 'aws-cdk-lib/aws-ec2';
import type { VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

function templateOf(props: Partial<VolumeReattachmentProps>): Template {
  const stack = testStack();
  tierIn(stack, { placementGroup: new PlacementGroup(stack, 'Cluster'), ...props });
  return Template.fromStack(stack);
}

const types = (...names: string[]) => names.map((name) => new InstanceType(name));
const groupOf = (template: Template) =>
  Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'))[0]!.Properties;

describe('with a type to fall back on', () => {
  const template = templateOf({ fallbackInstanceTypes: types('m6idn.8xlarge') });
  const { MixedInstancesPolicy: policy, LaunchTemplate: alone } = groupOf(template);
  const [own, other] = policy.LaunchTemplate.Overrides;
  const dataOf = ({ LaunchTemplateId }: { LaunchTemplateId: { Ref: string } }) =>
    template.toJSON().Resources[LaunchTemplateId.Ref].Properties.LaunchTemplateData;

  test('each launch tries its own type in the placement group first, then the other one outside', () => {
    expect(alone).toBeUndefined();
    expect(policy.InstancesDistribution).toEqual({
      OnDemandAllocationStrategy: 'prioritized',
      OnDemandPercentageAboveBaseCapacity: 100,
    });
    expect(own).toEqual({ InstanceType: 'm6in.8xlarge' });
    expect(other).toMatchObject({ InstanceType: 'm6idn.8xlarge' });
    expect(dataOf(policy.LaunchTemplate.LaunchTemplateSpecification)).toHaveProperty('Placement.GroupName');
    expect(dataOf(other.LaunchTemplateSpecification)).not.toHaveProperty('Placement');
  });

  test('what is launched outside is the same but for that', () => {
    const inside = dataOf(policy.LaunchTemplate.LaunchTemplateSpecification);
    const outside = dataOf(other.LaunchTemplateSpecification);
    const { Placement, InstanceType: _, ...same } = inside;
    expect(outside).toEqual({ ...same, InstanceType: 'm6idn.8xlarge' });
  });

  test('an alarm tells that such a server is there', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'FallbackServers',
      AlarmDescription: Match.stringLikeRegexp('no capacity .*m6in.8xlarge.*m6idn.8xlarge'),
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ SERVER_TYPE: 'm6in.8xlarge', FALLBACK_TYPES: 'm6idn.8xlarge' }),
      },
    });
  });
});

test('without one the group, the function and the alarms are as they were', () => {
  const template = templateOf({});
  expect(groupOf(template)).not.toHaveProperty('MixedInstancesPolicy');
  expect(JSON.stringify(template.toJSON())).not.toMatch(/FALLBACK_TYPES|FallbackServers/);
});

test.each([
  ['none', [], /number of fallbackInstanceTypes is 0; allowed: .*1 to 10/],
  [
    'its own',
    types('m6in.8xlarge'),
    /fallbackInstanceTypes is 'm6in.8xlarge'; allowed: types that are not named/,
  ],
  ['one twice', types('m6idn.8xlarge', 'm6idn.8xlarge'), /fallbackInstanceTypes is 'm6idn.8xlarge'/],
  ['a type without NVMe', types('c3.8xlarge'), /'c3.8xlarge'; allowed: Nitro types\. On types before Nitro/],
  ['another architecture', types('m7g.8xlarge'), /'m7g.8xlarge'; allowed: types of x86_64/],
])('%s is refused', (_name, fallbackInstanceTypes, message) => {
  expect(() => templateOf({ fallbackInstanceTypes })).toThrow(message);
});

test('a type that carries less than the tier was sized for is warned of, with the numbers', () => {
  const warned = (name: string) => {
    const stack = testStack();
    tierIn(stack, { fallbackInstanceTypes: types(name) });
    return Annotations.fromStack(stack)
      .findWarning('*', Match.stringLikeRegexp('fallbackBelowTier'))
      .map(({ entry }) => String(entry.data));
  };
  const [ebs, network] = warned('m6in.4xlarge');
  expect(ebs).toMatch(
    /tier oss may be m6in.4xlarge, which passes on 1563 MB\/s \(EBS .*sized for \d+ MB\/s with m6in.8xlarge/,
  );
  expect(network).toMatch(/m6in.4xlarge, which passes on \d+ MB\/s \(network /);
  expect(warned('m6idn.8xlarge')).toEqual([]);
});
