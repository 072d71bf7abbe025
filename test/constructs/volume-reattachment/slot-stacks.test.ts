import { Fn, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnNetworkInterface, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import { ProductStack } from 'aws-cdk-lib/aws-servicecatalog';
import { VolumeReattachment, type VolumeReattachmentProps } from '../../../constructs';
import {
  checkSlotStacks,
  type SlotCounts,
  stacksOfSlots,
} from '../../../constructs/volume-reattachment/slot-stacks';
import { testApp, testStack } from '../../helpers/app';
import fc from '../../helpers/fast-check';
import { tierIn, tierProps } from './tier';

const KEPT = (count: number) => Array.from({ length: count }, (_, n) => `vol-${String(n).padStart(8, '0')}`);

describe('where slots are', () => {
  const counts = fc
    .record({
      slotCount: fc.integer({ min: 1, max: 128 }),
      volumesPerSlot: fc.integer({ min: 1, max: 37 }),
      adoptedSlots: fc.nat({ max: 128 }),
      ownStack: fc.integer({ min: 0, max: 500 }),
    })
    .map((one) => ({ ...one, adoptedSlots: Math.min(one.adoptedSlots, one.slotCount) }));

  test('a tier that grows moves none of its slots', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 128 }), fc.nat({ max: 128 }), (before, more, adopted) => {
        const slotCount = before.slotCount + more;
        // Slots are adopted in a row: more of them only if all that there were had been.
        const all = before.adoptedSlots === before.slotCount;
        const adoptedSlots = before.adoptedSlots + (all ? Math.min(adopted, more) : 0);
        const after = stacksOfSlots({ ...before, slotCount, adoptedSlots });
        expect(after.slice(0, before.slotCount)).toEqual(stacksOfSlots(before));
      }),
    );
  });

  test('no stack gets more than it takes', () => {
    fc.assert(
      fc.property(counts, (tier) => {
        const taken = new Map<number, number>();
        stacksOfSlots(tier).forEach((stack, index) => {
          taken.set(stack, (taken.get(stack) ?? 0) + resourcesOf(tier, index));
        });
        for (const [stack, resources] of taken)
          expect(resources).toBeLessThanOrEqual(stack === 0 ? tier.ownStack : 300);
      }),
    );
  });

  const resourcesOf = ({ adoptedSlots, volumesPerSlot }: SlotCounts, index: number): number =>
    1 + (index < adoptedSlots ? 0 : volumesPerSlot);

  // Written down for good: with other numbers deployed tiers would get new, empty volumes.
  test.each([
    [{ slotCount: 46, volumesPerSlot: 8, adoptedSlots: 0, ownStack: 420 }, [46]],
    [{ slotCount: 128, volumesPerSlot: 8, adoptedSlots: 0, ownStack: 420 }, [46, 33, 33, 16]],
    [{ slotCount: 128, volumesPerSlot: 8, adoptedSlots: 0, ownStack: 320 }, [35, 33, 33, 27]],
    [{ slotCount: 128, volumesPerSlot: 8, adoptedSlots: 100, ownStack: 320 }, [124, 4]],
    [{ slotCount: 60, volumesPerSlot: 4, adoptedSlots: 0, ownStack: 0 }, [0, 60]],
  ])('%j: %j slots in each', (tier, sizes) => {
    const stacks = stacksOfSlots(tier);
    expect(sizes.map((_, stack) => stacks.filter((each) => each === stack).length)).toEqual(sizes);
  });
});

describe('the resources of a tier that grows', () => {
  /** Every volume and interface by '<path of its stack>/<logical id>'. */
  const identities = (props: Partial<VolumeReattachmentProps>): Set<string> => {
    const stack = testStack();
    tierIn(stack, { addresses: undefined, ...props });
    const found = stack.node
      .findAll()
      .filter((node) => node instanceof CfnVolume || node instanceof CfnNetworkInterface);
    return new Set(
      found.map((node) => `${Stack.of(node).node.path}/${Stack.of(node).resolve(node.logicalId)}`),
    );
  };

  test('are those that it had, in the same stacks under the same ids', () => {
    const tier = fc.record({
      few: fc.integer({ min: 1, max: 60 }),
      more: fc.integer({ min: 1, max: 60 }),
      volumes: fc.integer({ min: 1, max: 12 }),
      resourcesInStack: fc.option(fc.integer({ min: 0, max: 420 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(tier, ({ few, more, volumes, resourcesInStack }) => {
        const volume = tierProps(testStack()).volumes[0]!;
        const common = { resourcesInStack, volumes: Array.from({ length: volumes }, () => volume) };
        const before = identities({ ...common, slotCount: few });
        const after = identities({ ...common, slotCount: few + more });
        expect(before.size).toBe(few * (volumes + 1));
        expect(after.size).toBe((few + more) * (volumes + 1));
        expect([...before].filter((identity) => !after.has(identity))).toEqual([]);
      }),
      { numRuns: 6, seed: 20150401 },
    );
  });

  test('are where they were before there were nested stacks', () => {
    const found = identities({ slotCount: 60 });
    expect(found).toContain('Test/OssSlotsoss00Volume09DE2CEAA');
    expect(found).toContain('Test/OssSlotsoss01InterfaceFF66301A');
    expect([...found].filter((identity) => !/^Test\/OssSlotsoss/.test(identity))).toEqual([]);
  });
});

describe('a tier with a nested stack', () => {
  const stack = testStack();
  const tier = tierIn(stack, { slotCount: 3, resourcesInStack: 3, addresses: undefined });
  const nested = tier.node.findAll().filter((node) => Stack.isStack(node)) as Stack[];
  const parent = Template.fromStack(stack);
  const template = Template.fromStack(nested[0]!);

  test('keeps its volumes whatever happens to the stack, encrypted with the key of the tier', () => {
    expect(nested).toHaveLength(1);
    template.resourceCountIs('AWS::EC2::Volume', 4);
    template.resourceCountIs('AWS::EC2::NetworkInterface', 2);
    template.allResources('AWS::EC2::Volume', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { Encrypted: true, KmsKeyId: { Ref: Match.stringLikeRegexp('Key') } },
    });
  });

  test('gives all the tag on which the permissions rest, with the name of the stack of the tier', () => {
    const [parameter] = Object.keys(template.toJSON().Parameters).filter((name) => /StackName/.test(name));
    const value = { 'Fn::Join': ['', [{ Ref: parameter }, '/Oss']] };
    for (const type of ['AWS::EC2::Volume', 'AWS::EC2::NetworkInterface'])
      template.allResourcesProperties(type, {
        Tags: Match.arrayWith([{ Key: 'cdk-sas-grid:tier', Value: value }]),
      });
    parent.hasResourceProperties('AWS::CloudFormation::Stack', {
      Parameters: { [parameter!]: { Ref: 'AWS::StackName' } },
    });
    template.hasResourceProperties('AWS::EC2::Volume', {
      Tags: Match.arrayWith([{ Key: 'cdk-sas-grid:slot', Value: 'oss-02' }]),
    });
  });

  test('tells the map of all its slots, and of a nested one in a single text', () => {
    const [map] = Object.values(parent.findResources('Custom::SasGridVolumeMap'));
    const slots = map!.Properties.Slots as { [key: string]: unknown }[];
    expect(slots.map(({ slot }) => slot)).toEqual(['oss-00', 'oss-01', 'oss-02']);
    expect(slots[0]).toHaveProperty('volumes');
    expect(slots[2]).toMatchObject({ adopted: false, devices: '/dev/sdf,/dev/sdg' });
    const text = slots[2]!.interfaceAddressVolumes as { 'Fn::GetAtt': string[] };
    const [, output] = text['Fn::GetAtt'][1]!.split('.');
    const [separator, ids] = template.toJSON().Outputs[output!].Value['Fn::Join'];
    expect(separator).toBe(',');
    const types = ids.map((each: { Ref?: string; 'Fn::GetAtt'?: string[] }) => {
      const id = each.Ref ?? each['Fn::GetAtt']![0]!;
      return template.toJSON().Resources[id].Type;
    });
    expect(types).toEqual([
      'AWS::EC2::NetworkInterface',
      'AWS::EC2::NetworkInterface',
      'AWS::EC2::Volume',
      'AWS::EC2::Volume',
    ]);
  });

  test('shows each slot to others', () => {
    const part = (position: number) => ({
      'Fn::Select': [position, { 'Fn::Split': [',', expect.anything()] }],
    });
    const { networkInterfaceId, address, volumeIds } = tier.slots[2]!;
    expect(stack.resolve([networkInterfaceId, address, ...volumeIds])).toEqual([0, 1, 2, 3].map(part));
  });

  test('starts no server before the slots are there', () => {
    const [group] = Object.values(parent.findResources('AWS::AutoScaling::AutoScalingGroup'));
    const [id] = Object.keys(parent.findResources('AWS::CloudFormation::Stack'));
    expect(group!.DependsOn).toContain(id);
  });
});

test('what the caller named stays as it is in a nested stack, too', () => {
  const stack = testStack();
  const existingVolumes = [...KEPT(3), Fn.importValue('one')];
  const addresses = ['172.16.4.20', Fn.importValue('address')];
  const tier = tierIn(stack, { existingVolumes, addresses, resourcesInStack: 0 });
  expect(tier.slots.flatMap(({ volumeIds }) => volumeIds)).toEqual(existingVolumes);
  expect(tier.slots.map(({ address }) => address)).toEqual(addresses);
});

test('a product of Service Catalog is one stack, and says so', () => {
  class Product extends ProductStack {}
  const product = new Product(new Stack(testApp(), 'Test'), 'Product');
  const props = { ...tierProps(product), addresses: undefined, slotCount: 60 };
  expect(() => checkSlotStacks(product, { ...props, resourcesInStack: 180 })).not.toThrow();
  expect(() => new VolumeReattachment(product, 'Oss', { ...props, resourcesInStack: 179 })).toThrow(
    /is 180; allowed: up to 179 in a product of Service Catalog/,
  );
});
