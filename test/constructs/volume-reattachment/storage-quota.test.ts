import { Size, Token } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { SlotVolume, VolumeReattachmentProps } from '../../../constructs';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

const volumes = (count: number, size: Size, volumeType = ec2.EbsDeviceVolumeType.GP3): SlotVolume[] =>
  Array.from({ length: count }, () => ({ volumeType, size }));

function warnings(props: Partial<VolumeReattachmentProps>): string[] {
  const stack = testStack();
  tierIn(stack, { addresses: undefined, ...props });
  return Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp('gp3StorageQuota'))
    .map(({ entry }) => String(entry.data));
}

test('a tier beyond the quota that an account has from the start is told of it, with its name and what to do', () => {
  const [warning, ...more] = warnings({ slotCount: 13, volumes: volumes(4, Size.tebibytes(1)) });
  expect(more).toEqual([]);
  expect(warning).toMatch(/The new gp3 volumes of tier oss are 52 TiB\./);
  expect(warning).toMatch(
    /"Storage for General Purpose SSD \(gp3\) volumes, in TiB" \(L-7A658B76\) is 50 TiB/,
  );
  expect(warning).toMatch(/--service-code ebs --quota-code L-7A658B76 --desired-value 52/);
});

test('what is just within it, of another type, there already or not known yet is no reason to warn', () => {
  expect(warnings({ slotCount: 10, volumes: volumes(5, Size.tebibytes(1)) })).toEqual([]);
  const io2 = volumes(4, Size.tebibytes(1), ec2.EbsDeviceVolumeType.IO2).map((volume) => ({
    ...volume,
    iops: 3000,
  }));
  expect(warnings({ slotCount: 20, volumes: io2 })).toEqual([]);
  const existingVolumes = Array.from({ length: 40 }, (_, index) => `vol-${String(index).padStart(8, '0')}`);
  expect(warnings({ slotCount: 20, volumes: volumes(4, Size.tebibytes(1)), existingVolumes })).toEqual([]);
  const unknown = Size.gibibytes(Token.asNumber({ Ref: 'Size' }));
  expect(warnings({ slotCount: 100, volumes: volumes(4, unknown) })).toEqual([]);
});
