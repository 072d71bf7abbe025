import {
  CreateSubnetCidrReservationCommand,
  DeleteSubnetCidrReservationCommand,
  type EC2Client,
  GetSubnetCidrReservationsCommand,
} from '@aws-sdk/client-ec2';
import type { Patience } from '../shared/client';
import { errorName } from '../shared/log';
import type { Reservation, ReservationsPort, Wanted } from './ports';

/** EC2's buckets of requests are shared by all of the account: half a minute on average, one at most. */
export const PATIENCE: Patience = { attempts: 8, timeoutMs: 10_000 };

// The letters differ between lists of EC2's error codes; both were seen in public code that handles them, 2026-11-25.
const GONE = /^InvalidSubnetCidrReservationI[Dd]\.NotFound$/;
const NO_SUBNET = /^InvalidSubnetI[Dd]\.NotFound$/;

/** Reservations of subnets in EC2. */
export class Ec2Reservations implements ReservationsPort {
  constructor(private readonly client: EC2Client) {}

  async list(SubnetId: string): Promise<Reservation[]> {
    const found: Reservation[] = [];
    let NextToken: string | undefined;
    do {
      const page = await this.page(SubnetId, NextToken);
      for (const each of page?.SubnetIpv4CidrReservations ?? []) {
        found.push({
          id: each.SubnetCidrReservationId ?? '',
          cidr: each.Cidr ?? '',
          kind: each.ReservationType ?? '',
          description: each.Description ?? '',
          tags: Object.fromEntries((each.Tags ?? []).map(({ Key, Value }) => [Key, Value ?? ''])),
        });
      }
      NextToken = page?.NextToken;
    } while (NextToken);
    return found;
  }

  async create(wanted: Wanted, tags: { readonly [key: string]: string }): Promise<string> {
    const { SubnetCidrReservation } = await this.client.send(
      new CreateSubnetCidrReservationCommand({
        SubnetId: wanted.subnetId,
        Cidr: wanted.cidr,
        ReservationType: 'explicit',
        Description: wanted.description,
        TagSpecifications: [
          {
            ResourceType: 'subnet-cidr-reservation',
            Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
          },
        ],
      }),
    );
    const id = SubnetCidrReservation?.SubnetCidrReservationId;
    if (!id) throw new Error('EC2 named no id of the reservation');
    return id;
  }

  async delete(SubnetCidrReservationId: string): Promise<void> {
    try {
      await this.client.send(new DeleteSubnetCidrReservationCommand({ SubnetCidrReservationId }));
    } catch (error) {
      if (!GONE.test(errorName(error))) throw error;
    }
  }

  private async page(SubnetId: string, NextToken: string | undefined) {
    try {
      return await this.client.send(new GetSubnetCidrReservationsCommand({ SubnetId, NextToken }));
    } catch (error) {
      if (NO_SUBNET.test(errorName(error))) return undefined;
      throw error;
    }
  }
}
