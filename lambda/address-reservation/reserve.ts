import { overlaps, parseCidr } from '../../constructs/grid-network/cidr';
import { describeError } from '../shared/log';
import type { Ports, Reservation, Wanted } from './ports';

/** Whose a reservation is. */
export interface Owner {
  readonly stackId: string;
  readonly logicalId: string;
}

const STACK_TAG = 'cdk-sas-grid:stack';
const RESOURCE_TAG = 'cdk-sas-grid:resource';

const tagsOf = ({ stackId, logicalId }: Owner) => ({ [STACK_TAG]: stackId, [RESOURCE_TAG]: logicalId });

const isOf = ({ tags }: Reservation, { stackId, logicalId }: Owner): boolean =>
  tags[STACK_TAG] === stackId && tags[RESOURCE_TAG] === logicalId;

/** EC2's lists are eventually consistent. For so long a refusal may be about what no list shows yet, milliseconds. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 2_000;

/**
 * Makes the reservation, or finds the one that an earlier try has made. Two kinds of reservation give way, at once
 * before the new one: that of this resource before, and one of CloudFormation's own type with the same range, from a
 * version of this library that used it. Interfaces hold those of their addresses that matter, so nothing can take them
 * in between.
 *
 * @param before id of this resource's reservation so far
 * @returns the id
 * @throws what EC2 refuses, with the reservations that are in the way
 */
export async function reserve(
  wanted: Wanted,
  owner: Owner,
  before: string | undefined,
  { reservations, timer, log }: Ports,
): Promise<string> {
  const end = timer.now() + PATIENCE_MS;
  for (;;) {
    const inTheWay = (await reservations.list(wanted.subnetId)).filter((each) => overlap(each, wanted));
    const own = inTheWay.find((each) => isSame(each, wanted) && isOf(each, owner));
    if (own) return own.id;
    for (const each of inTheWay.filter((one) => one.id === before || isFormer(one, wanted))) {
      log.info('gives way', { ...each });
      await reservations.delete(each.id);
    }
    try {
      return await reservations.create(wanted, tagsOf(owner));
    } catch (error) {
      if (timer.now() >= end) throw refusal(error, wanted, inTheWay);
      log.info('refused', { error: describeError(error) });
      await timer.sleep(PAUSE_MS);
    }
  }
}

/** Deletes what a creation has made that CloudFormation never heard of. */
export async function release(subnetId: string, owner: Owner, { reservations }: Ports): Promise<void> {
  const found = await reservations.list(subnetId);
  for (const each of found.filter((one) => isOf(one, owner))) await reservations.delete(each.id);
}

function overlap({ cidr }: Reservation, wanted: Wanted): boolean {
  const [one, other] = [parseCidr(cidr), parseCidr(wanted.cidr)];
  return one !== undefined && other !== undefined && overlaps(one, other);
}

const isSame = ({ cidr, kind }: Reservation, wanted: Wanted): boolean =>
  kind === 'explicit' && cidr === wanted.cidr;

/**
 * AWS::EC2::SubnetCidrReservation tags nothing by itself: "cloudFormationSystemTags": false in its schema, read
 * 2026-11-25.
 */
const isFormer = (each: Reservation, wanted: Wanted): boolean =>
  isSame(each, wanted) && each.description === wanted.description && each.tags[STACK_TAG] === undefined;

function refusal(error: unknown, { subnetId, cidr }: Wanted, inTheWay: readonly Reservation[]): Error {
  const others = inTheWay.map((each) => `${each.id} (${each.kind} ${each.cidr}, '${each.description}')`);
  const found = others.length > 0 ? ` In the way: ${others.join(', ')}.` : '';
  return Object.assign(
    new Error(`${cidr} of ${subnetId} cannot be reserved: ${describeError(error)}.${found}`),
    {
      // A permission that is missing is waited for elsewhere.
      name: error instanceof Error ? error.name : 'Error',
    },
  );
}
