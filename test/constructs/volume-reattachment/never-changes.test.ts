import { Template } from 'aws-cdk-lib/assertions';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

test('what must never change is kept by CloudFormation, before anything of a server is touched', () => {
  const stack = testStack();
  tierIn(stack, { neverChanges: { fileSystemName: 'sasdata' } });
  const template = Template.fromStack(stack);
  const [[id, fixed]] = Object.entries(template.findResources('Custom::SasGridFixedValues')) as [
    [string, { Properties: { Values: object; ServiceToken: object } }],
  ];
  expect(fixed.Properties.Values).toEqual({ fileSystemName: 'sasdata' });
  // The function of the map, which is there already.
  const [map] = Object.values(template.findResources('Custom::SasGridVolumeMap'));
  expect(fixed.Properties.ServiceToken).toEqual(map!.Properties.ServiceToken);
  for (const type of ['AWS::EC2::LaunchTemplate', 'AWS::AutoScaling::AutoScalingGroup'])
    for (const { DependsOn } of Object.values(template.findResources(type))) expect(DependsOn).toContain(id);
});

test('a tier that fixes nothing has no such resource', () => {
  const stack = testStack();
  tierIn(stack);
  Template.fromStack(stack).resourceCountIs('Custom::SasGridFixedValues', 0);
});

test('names are those that the function takes', () => {
  const tier = () => tierIn(testStack(), { neverChanges: { 'file-system': 'sasdata' } });
  expect(tier).toThrow("A name in neverChanges is 'file-system'; allowed: letters and digits");
});
