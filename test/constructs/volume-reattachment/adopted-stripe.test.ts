import { Template } from 'aws-cdk-lib/assertions';
import { HostBundle, HostRole } from '../../../constructs/host';
import type { VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

const KEPT = ['vol-0123456789abcdef0', 'vol-0123456789abcdef1'];

function templateOf(role: HostRole, props: Partial<VolumeReattachmentProps>) {
  const stack = testStack();
  const hostBundle = new HostBundle();
  hostBundle.addRole(role, { VOLUMES_PER_SLOT: '2' });
  tierIn(stack, { hostBundle, ...props });
  const template = Template.fromStack(stack);
  const [map] = Object.values(template.findResources('Custom::SasGridVolumeMap'));
  return {
    slots: map!.Properties.Slots.map(({ adopted, striped }: { adopted: boolean; striped?: boolean }) => ({
      adopted,
      striped,
    })),
    looksAtSnapshots: Object.entries(template.findResources('AWS::IAM::Policy')).some(
      ([id, policy]) => id.includes('Seed') && JSON.stringify(policy).includes('ec2:DescribeSnapshots'),
    ),
  };
}

const fresh = { adopted: false, striped: undefined };

test.each([
  ['in the stack of the tier', {}],
  ['in a nested stack', { resourcesInStack: 0 }],
])('kept volumes that make up one file system have to be of one moment: %s', (_name, more) => {
  expect(templateOf(HostRole.NFS_SERVER, { existingVolumes: KEPT, ...more })).toEqual({
    slots: [{ adopted: true, striped: true }, fresh],
    looksAtSnapshots: true,
  });
});

test.each([
  ['the targets of a Lustre server', HostRole.LUSTRE_OSS, KEPT, true],
  ['new volumes', HostRole.LOCAL_VOLUMES, undefined, false],
])('of %s nothing is said', (_name, role, existingVolumes, adopted) => {
  expect(templateOf(role, { existingVolumes })).toEqual({
    slots: [{ adopted, striped: undefined }, fresh],
    looksAtSnapshots: false,
  });
});
