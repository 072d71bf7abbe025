import { Stack } from 'aws-cdk-lib';
import { ProductStack } from 'aws-cdk-lib/aws-servicecatalog';
import type { IConstruct } from 'constructs';
import { invalid, requireKnownInteger } from '../private/validation';
import { SERVICE_LIMITS } from '../sizing';
import type { VolumeReattachmentProps } from './props';

/** What a stack has besides the interfaces and volumes of a tier: the rest of the tier, and what is around it. */
const OTHER_RESOURCES = 100;

/** How many interfaces and volumes of a tier its own stack holds, unless told otherwise. */
const OWN_STACK = SERVICE_LIMITS.stackResources.value - OTHER_RESOURCES;

/**
 * How many a nested stack holds. Far below the limit of resources, since the template has a limit of its own: with 20
 * long tags on each volume it is still kept.
 *
 * Neither this number nor the way it is used may ever change: a slot that moves to another stack gets new, empty
 * volumes.
 */
const NESTED_STACK = 300;

/** What decides where the slots of a tier are. */
export interface SlotCounts {
  readonly slotCount: number;
  readonly volumesPerSlot: number;
  /** The first slots, whose volumes are not resources of the stack. */
  readonly adoptedSlots: number;
  /** How many interfaces and volumes the tier's own stack takes. */
  readonly ownStack: number;
}

/**
 * Which stack has the interface and the volumes of each slot: 0 is the tier's own, 1 and on are nested ones.
 *
 * The answer for a slot depends on the slots before it and on nothing else, so that a tier that grows moves none: slots
 * are put in one after the other, and a stack that had no room for one gets none of those that follow either.
 */
export function stacksOfSlots(counts: SlotCounts): number[] {
  let stack = 0;
  let room = counts.ownStack;
  return Array.from({ length: counts.slotCount }, (_, index) => {
    const resources = 1 + (index < counts.adoptedSlots ? 0 : counts.volumesPerSlot);
    if (resources > room) {
      stack += 1;
      room = NESTED_STACK;
    }
    room -= resources;
    return stack;
  });
}

export function slotCounts(props: VolumeReattachmentProps): SlotCounts {
  const volumesPerSlot = props.volumes.length;
  return {
    slotCount: props.slotCount,
    volumesPerSlot,
    adoptedSlots: (props.existingVolumes?.length ?? 0) / volumesPerSlot,
    ownStack: props.resourcesInStack ?? OWN_STACK,
  };
}

/**
 * Rejects a tier that no stacks can hold, or whose description is too long for the custom resource that seeds its map.
 */
export function checkSlotStacks(scope: IConstruct, props: VolumeReattachmentProps): void {
  requireKnownInteger(
    scope,
    'resourcesInStack',
    props.resourcesInStack,
    0,
    SERVICE_LIMITS.stackResources.value,
    'Leave it out, or give what the stack has left for interfaces and volumes.',
  );
  const counts = slotCounts(props);
  const nested = stacksOfSlots(counts).some((stack) => stack > 0);
  if (nested && Stack.of(scope) instanceof ProductStack) {
    throw invalid(
      scope,
      'the number of interfaces and new volumes of the tier',
      counts.slotCount + (counts.slotCount - counts.adoptedSlots) * counts.volumesPerSlot,
      `up to ${counts.ownStack} in a product of Service Catalog, which is one stack`,
      'Use fewer, larger volumes per slot, or deploy it with cdk deploy.',
    );
  }
  const bytes = requestBytes(counts);
  const most = SERVICE_LIMITS.customResourceRequestBytes.value;
  if (bytes > most) {
    throw invalid(
      scope,
      'the bytes in which CloudFormation describes the slots to the volume map, before and after an update,',
      bytes,
      `up to ${most} (${counts.slotCount} slots with ${counts.volumesPerSlot} volumes each)`,
      'Use fewer, larger volumes per slot, or several tiers.',
    );
  }
}

/**
 * How long the longest request to the custom resource gets: an update has the slots as they were and as they will be.
 */
function requestBytes({ slotCount, volumesPerSlot }: SlotCounts): number {
  const volume = { volumeId: 'vol-0123456789abcdef0', device: '/dev/xvdba' };
  const slot = {
    slot: 'abcdefghijklmnop-000',
    networkInterfaceId: 'eni-0123456789abcdef0',
    address: '255.255.255.255',
    adopted: 'false',
    volumes: Array.from({ length: volumesPerSlot }, () => volume),
  };
  const besides = 8192;
  return 2 * slotCount * (JSON.stringify(slot).length + 1) + besides;
}
