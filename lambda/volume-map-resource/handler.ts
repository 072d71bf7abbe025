import { type AnswerAddress, addressOf, answer } from '../shared/answer';
import { describeError } from '../shared/log';
import { untilPermitted } from '../shared/permitted';
import { refuseOtherSets } from './backup-set';
import { planSeeds, type Seed, verdict } from './domain';
import { refuseMomentsThatDiffer } from './one-moment';
import type { Ports, SeedPort, SeedRequest } from './ports';
import {
  addsNothing,
  isObject,
  isOwnId,
  type Properties,
  physicalIdOf,
  previousOf,
  propertiesOf,
  refuseAnotherMap,
} from './request';
import { sentAt } from './sent-at';

/** What the function did, for its log and for the workflow. */
export interface Handled {
  readonly did: 'started' | 'answered' | 'ignored';
  readonly status?: 'SUCCESS' | 'FAILED';
}

/**
 * Serves CloudFormation (create, update, delete) and the last step of the workflow, which has CloudFormation's answer
 * address in its input. Throws only if an answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  if (isObject(event) && event.action === 'answer') return answerForWorkflow(event, ports);
  const address = addressOf(event);
  if (typeof address === 'string' || !isObject(event)) {
    ports.log.error('event ignored', { reason: String(address) });
    return { did: 'ignored' };
  }
  const request = String(event.RequestType);
  const { timer, log } = ports;
  let own = address;
  try {
    if (request === 'Delete') {
      await release(event, address, ports);
      return await answer(address, true, 'the tier is released; its volumes and its map stay', ports);
    }
    if (request !== 'Create' && request !== 'Update') throw new Error(`RequestType ${request} is unknown`);
    const properties = propertiesOf(event.ResourceProperties);
    own = named(address, request, properties);
    const before = request === 'Update' ? previousOf(event.OldResourceProperties) : undefined;
    if (request === 'Update') refuseAnotherMap(address.PhysicalResourceId, before, properties);
    // The rows of an update are the matter of the resource before. A creation may follow one that had failed, whose
    // deletion has let the rows go.
    if (properties.step === 'seed' || request === 'Create') {
      // One turn for all attempts: a request that waits for its role is as late as its first look.
      const seeds = ports.seeds(properties.table, properties.tier, requestOf(own, properties, false));
      await untilPermitted(() => seed(properties, own, seeds, ports), timer, log);
    }
    if (properties.step === 'seed') return await answer(own, true, 'the map has a row for every slot', ports);
    const workflow = ports.workflow(properties.stateMachineArn);
    const start = (given: object) =>
      untilPermitted(() => workflow.start(`cfn-${address.RequestId}`, given), timer, log);
    const input = { cause: `CloudFormation ${request}`, deadlineSeconds: properties.timeoutSeconds };
    if (before && addsNothing(before, properties)) {
      // A server that is down already must not make an unrelated update fail, least of all one that is being rolled
      // back.
      await start(input);
      return await answer(own, true, 'no slot is new; the workflow sees to those that are not served', ports);
    }
    await start({ ...input, answer: own });
    return { did: 'started' };
  } catch (error) {
    ports.log.error('request failed', { request, error: describeError(error) });
    return answer(own, false, error instanceof Error ? error.message : String(error), ports);
  }
}

/** The id of a resource is that of its creation, also of one that fails: a deletion says by it which one it is of. */
function named(address: AnswerAddress, request: string, properties: Properties): AnswerAddress {
  if (request !== 'Create') return address;
  return { ...address, PhysicalResourceId: physicalIdOf(properties, address.RequestId) };
}

/** Writes the rows that are missing or new. Repeated with the same slots it changes nothing. */
async function seed(
  properties: Properties,
  address: AnswerAddress,
  seeds: SeedPort,
  ports: Ports,
): Promise<void> {
  const plan = await planOf(properties, seeds, ports);
  for (const each of plan) {
    if (!(await write(each, seeds, seededBy(address, properties)))) {
      throw new Error(`the row of slot ${slotOf(each)} changed while it was seeded; deploy again`);
    }
  }
  ports.log.info('map seeded', {
    tier: properties.tier,
    slots: plan.map((each) => `${each.kind} ${slotOf(each)}`),
  });
}

/** What is to be written; throws if the change is refused. */
async function planOf(properties: Properties, seeds: SeedPort, ports: Ports): Promise<Seed[]> {
  const rows = await seeds.takeOver();
  if (rows === undefined) throw new Error(`table ${properties.table} does not exist`);
  const volumeIds = properties.slots.flatMap((slot) => slot.volumes.map((volume) => volume.volumeId));
  const facts = await ports.volumes.factsOf(volumeIds);
  const plan = planSeeds(properties.slots, rows, facts);
  await refuseMomentsThatDiffer(properties.slots, rows, facts, ports);
  await refuseOtherSets(properties, rows, facts, ports);
  return plan;
}

const seededBy = (address: AnswerAddress, { seededFor }: Properties): string =>
  `${address.StackId}|${seededFor}`;

/** What is written about the request itself. */
const requestOf = (address: AnswerAddress, properties: Properties, deletes: boolean): SeedRequest => ({
  deletes,
  stackId: address.StackId,
  requestId: address.RequestId,
  step: properties.step,
  physicalId: isOwnId(address.PhysicalResourceId, properties) ? address.PhysicalResourceId : undefined,
  sentAt: sentAt(address.ResponseURL),
});

const slotOf = (seed: Seed): string =>
  seed.kind === 'add' ? seed.row.slot : seed.kind === 'describe-anew' ? seed.spec.slot : seed.slot;

async function write(seed: Seed, seeds: SeedPort, by: string): Promise<boolean> {
  switch (seed.kind) {
    case 'add':
      // A row that is there by now was written by a duplicate of this request: it becomes ours all the same.
      return (await seeds.add(seed.row, by)) || seeds.takeBack(seed.row.slot, by);
    case 'describe-anew':
      return seeds.describeAnew(seed.spec, seed.epoch, seed.formatted, by);
    case 'retire':
      return seeds.retire(seed.slot, by);
    case 'take-back':
      return seeds.takeBack(seed.slot, by);
  }
}

async function release(event: Record<string, unknown>, address: AnswerAddress, ports: Ports): Promise<void> {
  let properties: Properties;
  try {
    properties = propertiesOf(event.ResourceProperties);
  } catch (error) {
    // What cannot be read was never created: its create was answered with this very error.
    ports.log.error('nothing to release', { error: describeError(error) });
    return;
  }
  const seeds = ports.seeds(properties.table, properties.tier, requestOf(address, properties, true));
  const by = seededBy(address, properties);
  const released = await untilPermitted(() => letGo(seeds, by), ports.timer, ports.log);
  ports.log.info('tier released', { tier: properties.tier, released });
  // The rows that are there before the group go after it: by then nothing is left to be told.
  if (released === 0 || properties.step === 'seed') return;
  try {
    // Launches that wait for a slot are let through now; terminations come with events of their own.
    const input = { cause: 'CloudFormation Delete', deadlineSeconds: properties.timeoutSeconds };
    const workflow = ports.workflow(properties.stateMachineArn);
    await untilPermitted(() => workflow.start(`cfn-${address.RequestId}`, input), ports.timer, ports.log);
  } catch (error) {
    ports.log.error('workflow not started', { error: describeError(error) });
  }
}

/** @returns how many rows are let go now, of those that were seeded by `by` */
async function letGo(seeds: SeedPort, by: string): Promise<number> {
  const rows = await seeds.takeOverFromOwn();
  let released = 0;
  for (const { slot } of rows?.slots ?? []) if (await seeds.letGo(slot, by)) released += 1;
  return released;
}

async function answerForWorkflow(event: Record<string, unknown>, ports: Ports): Promise<Handled> {
  const address = addressOf(event.answer);
  if (typeof address === 'string') {
    ports.log.error('event ignored', { reason: `the answer address: ${address}` });
    return { did: 'ignored' };
  }
  const { ok, reason } = verdict(isObject(event.result) ? event.result : undefined);
  return answer(address, ok, reason, ports);
}
