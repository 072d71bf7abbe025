import {
  instanceTypeFacts,
  interchangeableTypes,
  knownInstanceTypes,
  maxDataVolumes,
} from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

test('a grid node keeps its disks and its cores', () => {
  expect(interchangeableTypes('i4i.4xlarge')).toEqual(['i4i.4xlarge', 'i7i.4xlarge', 'r6idn.4xlarge']);
});

test('a server with volumes may get more of everything, and no disks', () => {
  const types = interchangeableTypes('m6in.4xlarge', { dataVolumes: 2, networkInterfaces: 2 });
  expect(types[0]).toBe('m6in.4xlarge');
  expect(types).toContain('m6in.8xlarge');
  expect(types).not.toContain('m6in.24xlarge');
  expect(types.filter((name) => instanceTypeFacts(name)?.instanceStore)).toEqual([]);
});

test('a type that is not in the table is only itself', () => {
  expect(interchangeableTypes('z99.large')).toEqual(['z99.large']);
});

test('no type loses anything by being replaced', () => {
  const type = fc.constantFrom(...knownInstanceTypes());
  fc.assert(
    fc.property(type, fc.integer({ min: 0, max: 26 }), (facts, dataVolumes) => {
      for (const name of interchangeableTypes(facts.name, { dataVolumes }).slice(1)) {
        const other = instanceTypeFacts(name)!;
        expect(other.architecture).toBe(facts.architecture);
        expect(other.instanceStore?.disks).toBe(facts.instanceStore?.disks);
        expect(other.memoryGiB).toBeGreaterThanOrEqual(facts.memoryGiB);
        expect(other.ebs?.baselineMbps ?? 0).toBeGreaterThanOrEqual(facts.ebs?.baselineMbps ?? 0);
        expect(other.networkBaselineMbps ?? 0).toBeGreaterThanOrEqual(facts.networkBaselineMbps ?? 0);
        expect(maxDataVolumes(name) ?? 0).toBeGreaterThanOrEqual(dataVolumes);
      }
    }),
  );
});
