import { Duration, Size, type Stack } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import {
  anyAddress,
  anyDuration,
  anyInstanceType,
  anyList,
  anyNumber,
  anySize,
  anyText,
  anyVolume,
  maybe,
  rootDevice,
  volume,
} from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, type Template, tryProperties } from '../../helpers/properties';
import { tierIn } from './tier';

type Props = Partial<VolumeReattachmentProps>;

const right: fc.Arbitrary<Props> = fc
  .record({ slotCount: fc.integer({ min: 1, max: 12 }), perSlot: fc.integer({ min: 1, max: 8 }) })
  .chain(({ slotCount, perSlot }) =>
    fc.record({
      tier: fc.stringMatching(/^[a-z][a-z0-9-]{0,15}$/),
      slotCount: fc.constant(slotCount),
      volumes: fc.array(volume, { minLength: perSlot, maxLength: perSlot }),
      existingVolumes: maybe(
        fc
          .integer({ min: 0, max: slotCount })
          .map((slots) =>
            Array.from({ length: slots * perSlot }, (_, at) => `vol-${String(at).padStart(8, '0')}`),
          ),
      ),
      addresses: maybe(fc.constant(Array.from({ length: slotCount }, (_, at) => `172.16.4.${at + 4}`))),
      instanceType: fc
        .constantFrom('m6in.8xlarge', 'r7i.large', 'c3.8xlarge')
        .map((name) => new InstanceType(name)),
      recoveryTimeout: maybe(fc.integer({ min: 5, max: 720 }).map((minutes) => Duration.minutes(minutes))),
      schedule: maybe(fc.integer({ min: 1, max: 60 }).map((minutes) => Duration.minutes(minutes))),
      rootDeviceName: maybe(rootDevice),
      rootVolumeSize: maybe(
        fc.integer({ min: 8, max: 16_384 }).map((gibibytes) => Size.gibibytes(gibibytes)),
      ),
    }),
  );

/** As many as asked for, each address once. */
function check({ Resources }: Template, { slotCount, volumes, existingVolumes }: Props): void {
  const all = Object.values(Resources);
  const ofType = (type: string) => all.filter(({ Type }) => Type === type);
  expect(ofType('AWS::EC2::NetworkInterface')).toHaveLength(slotCount!);
  expect(ofType('AWS::EC2::Volume')).toHaveLength(
    slotCount! * volumes!.length - (existingVolumes?.length ?? 0),
  );
  const addresses = ofType('AWS::EC2::NetworkInterface')
    .map(({ Properties }) => Properties!.PrivateIpAddress)
    .filter((address) => typeof address === 'string');
  expect(new Set(addresses).size).toBe(addresses.length);
}

tryProperties<Props>(
  right,
  {
    tier: anyText,
    slotCount: anyNumber,
    volumes: fc.array(fc.oneof(anyVolume, volume), { maxLength: 40 }),
    existingVolumes: anyList(fc.oneof(anyText, fc.constant('vol-00000001'))),
    addresses: anyList(anyAddress),
    instanceType: anyInstanceType,
    recoveryTimeout: anyDuration,
    schedule: anyDuration,
    rootDeviceName: anyText,
    rootVolumeSize: anySize,
  },
  { right: 3, wild: 60 },
  (props) =>
    outcome(
      (stack: Stack) => tierIn(stack, props),
      (template) => check(template, props),
    ),
);
