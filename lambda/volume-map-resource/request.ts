import type { SlotSpec, Step } from './ports';

/** The properties of `Custom::SasGridVolumeMap` and `Custom::SasGridTierServed`. */
export interface Properties {
  readonly tier: string;
  readonly table: string;
  readonly stateMachineArn: string;
  readonly timeoutSeconds: number;
  readonly slots: SlotSpec[];
  /** What stands for this tier of this stack: a row is let go only by whom it was seeded for. */
  readonly seededFor: string;
  readonly step: Step;
}

const STEPS: readonly string[] = ['seed', 'serve'] satisfies Step[];

type Bag = Record<string, unknown>;

export const isObject = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads the resource's properties; throws with the name of the one that is wrong. */
export function propertiesOf(value: unknown): Properties {
  if (!isObject(value)) throw new Error('ResourceProperties is missing');
  const timeoutSeconds = Number(value.TimeoutSeconds);
  // CloudFormation itself gives up on a custom resource after an hour.
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 3600) {
    throw new Error(`TimeoutSeconds is ${JSON.stringify(value.TimeoutSeconds)}; allowed: 1 to 3600`);
  }
  if (!Array.isArray(value.Slots) || value.Slots.length === 0)
    throw new Error('Slots is not a list with members');
  const slots = value.Slots.map(slotOf);
  refuseDuplicates(
    'slot',
    slots.map((slot) => slot.slot),
  );
  refuseDuplicates(
    'network interface',
    slots.map((slot) => slot.networkInterfaceId),
  );
  refuseDuplicates(
    'volume',
    slots.flatMap((slot) => slot.volumes.map((volume) => volume.volumeId)),
  );
  return {
    tier: required(value, 'Tier'),
    table: required(value, 'Table'),
    stateMachineArn: required(value, 'StateMachineArn'),
    timeoutSeconds,
    slots,
    seededFor: required(value, 'SeededFor'),
    step: stepOf(value.Step),
  };
}

/** The properties before an update; undefined when they were never valid. */
export function previousOf(value: unknown): Properties | undefined {
  try {
    return propertiesOf(value);
  } catch {
    return undefined;
  }
}

/**
 * The id of a resource: says for which tier and map it was created, in which request. It stays the same for the life of
 * the resource: an answer to an update with another one would make CloudFormation delete this one.
 */
export function physicalIdOf(properties: Properties, requestId: string): string {
  return `${nameOf(properties)}/${requestId}/${properties.table}`;
}

/** Whether the id is one that `physicalIdOf` made for this tier and step. */
export const isOwnId = (physicalId: string, properties: Properties): boolean =>
  physicalId.startsWith(`${nameOf(properties)}/`);

const nameOf = ({ tier, step }: Pick<Properties, 'tier' | 'step'>): string =>
  step === 'seed' ? `${tier}-map` : tier;

/**
 * Refuses to look for a tier where its rows are not: it would look new, and its data would be left behind. The rows are
 * where the resource was created for, as its id says. The properties before would not do: CloudFormation undoes an
 * update that was refused with another one, from what was refused to what was deployed.
 *
 * @param before the properties before, for a resource with an id that is not from here
 */
export function refuseAnotherMap(
  physicalId: string,
  before: Properties | undefined,
  after: Properties,
): void {
  const { tier, table } = createdFor(physicalId, after.step) ?? before ?? after;
  for (const [name, was, is] of [
    ['tier', tier, after.tier],
    ['table', table, after.table],
  ]) {
    if (was === is) continue;
    throw new Error(
      `the ${name} changes from ${was} to ${is}; the slots and their data belong to ${was}. ` +
        'Undo the change; a tier of another name, or with another map, is another tier',
    );
  }
}

/** @returns undefined when `physicalIdOf` made no such id */
function createdFor(physicalId: string, step: Step): { tier: string; table: string } | undefined {
  const [name, requestId, table] = physicalId.split('/');
  if (!name || !requestId || !table) return undefined;
  return { tier: step === 'seed' ? name.replace(/-map$/, '') : name, table };
}

/** Whether every slot was there before the update, just as it is now. */
export function addsNothing(before: Properties, after: Properties): boolean {
  // Earlier versions did not say which slots are striped.
  const known = (slot: SlotSpec) => JSON.stringify({ ...slot, striped: undefined });
  const old = new Set(before.slots.map(known));
  return after.slots.every((slot) => old.has(known(slot)));
}

function stepOf(value: unknown): Step {
  if (!STEPS.includes(String(value))) {
    throw new Error(`Step is ${JSON.stringify(value)}; allowed: ${STEPS.join(', ')}`);
  }
  return value as Step;
}

function slotOf(value: unknown, index: number): SlotSpec {
  if (!isObject(value)) throw new Error(`Slots[${index}] is not an object`);
  if (value.interfaceAddressVolumes !== undefined) return slotOfNestedStack(value, index);
  if (!Array.isArray(value.volumes) || value.volumes.length === 0) {
    throw new Error(`Slots[${index}].volumes is not a list with members`);
  }
  return {
    slot: required(value, 'slot'),
    networkInterfaceId: required(value, 'networkInterfaceId'),
    address: required(value, 'address'),
    // CloudFormation hands all values over as text.
    adopted: String(value.adopted) === 'true',
    ...(String(value.striped) === 'true' ? { striped: true } : {}),
    ...(value.backupSet === undefined ? {} : { backupSet: required(value, 'backupSet') }),
    volumes: value.volumes.map((volume) => {
      if (!isObject(volume)) throw new Error(`Slots[${index}].volumes holds something that is not a volume`);
      return { volumeId: required(volume, 'volumeId'), device: required(volume, 'device') };
    }),
  };
}

/** A slot in a nested stack, whose ids come in one text. */
function slotOfNestedStack(value: Bag, index: number): SlotSpec {
  const [networkInterfaceId, address, ...volumeIds] = required(value, 'interfaceAddressVolumes').split(',');
  const devices = required(value, 'devices').split(',');
  if (volumeIds.length !== devices.length) {
    throw new Error(`Slots[${index}] names ${volumeIds.length} volumes and ${devices.length} devices`);
  }
  const volumes = volumeIds.map((volumeId, position) => ({ volumeId, device: devices[position] }));
  const { slot, adopted, striped, backupSet } = value;
  return slotOf({ slot, adopted, striped, backupSet, networkInterfaceId, address, volumes }, index);
}

function required(bag: Bag, name: string): string {
  const value = bag[name];
  if (!isText(value)) throw new Error(`${name} is ${JSON.stringify(value)}; it must be text`);
  return value;
}

function refuseDuplicates(what: string, values: string[]): void {
  const twice = values.find((value, position) => values.indexOf(value) !== position);
  if (twice !== undefined) throw new Error(`the ${what} ${twice} is named twice`);
}
