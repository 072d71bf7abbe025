import { Size } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  EphemeralScratch,
  type EphemeralScratchProps,
  ScratchFileSystem,
} from '../../../constructs/ephemeral-scratch';
import { HostBundle } from '../../../constructs/host';
import { knownInstanceTypes } from '../../../constructs/sizing';
import { anyInstanceType, anyNumber, anyPath, anySize, maybe } from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, tryProperties } from '../../helpers/properties';

const types = knownInstanceTypes()
  .filter(({ instanceStore }) => instanceStore)
  .map(({ name }) => name);

const right: fc.Arbitrary<EphemeralScratchProps> = fc.record({
  instanceType: fc.constantFrom(...types).map((name) => new InstanceType(name)),
  split: maybe(
    fc.record({ saswork: fc.integer({ min: 1, max: 100 }), utilloc: fc.integer({ min: 0, max: 100 }) }),
  ),
  chunk: maybe(fc.integer({ min: 2, max: 16 }).map((power) => Size.kibibytes(2 ** power))),
  readAhead: maybe(fc.integer({ min: 0, max: 1024 }).map((mebibytes) => Size.mebibytes(mebibytes))),
  fileSystem: maybe(fc.constantFrom(...Object.values(ScratchFileSystem))),
  sasworkPath: maybe(fc.constantFrom('/saswork', '/scratch/work')),
  utillocPath: maybe(fc.constantFrom('/utilloc', '/scratch/util')),
});

tryProperties<EphemeralScratchProps>(
  right,
  {
    instanceType: anyInstanceType,
    instanceStore: fc.record({ count: anyNumber, size: anySize, nvme: fc.boolean() }),
    split: fc.record({ saswork: anyNumber, utilloc: anyNumber }),
    chunk: anySize,
    readAhead: anySize,
    sasworkPath: anyPath,
    utillocPath: anyPath,
  },
  { right: 20, wild: 150 },
  (props) =>
    outcome((stack) => {
      const scratch = new EphemeralScratch(stack, 'Scratch', props);
      const disks = scratch.sasworkDisks + scratch.utillocDisks;
      if (disks !== scratch.diskCount || !(scratch.diskSizeGB > 0))
        throw new Error(`${disks} of the disks are used`);
      const bundle = new HostBundle();
      scratch.configure(bundle);
      bundle.userData();
    }),
);
