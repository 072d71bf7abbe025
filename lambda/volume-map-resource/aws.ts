import type { Update } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client, paginateDescribeVolumes } from '@aws-sdk/client-ec2';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { FORMATTED_TAG } from '../../constructs/private/tags';
import { type AnswerPort, HttpAnswers } from '../shared/answer';
import { toAttribute, toItem } from '../shared/attributes';
import { clientOf, type Patience } from '../shared/client';
import { errorName, jsonLog, type Log } from '../shared/log';
import { slotItem, type TierRows } from '../shared/map';
import { type BegunAt, originOf, snapshotsBegun } from '../shared/one-moment';
import { readTier } from '../shared/read-tier';
import { labelsOf, labelsOfSet, type SnapshotLabel } from '../shared/snapshot-labels';
import type { Timer } from '../shared/timer';
import {
  type NewRow,
  type Ports,
  type SeedPort,
  type SeedRequest,
  type SlotSpec,
  Superseded,
  type VolumeFacts,
  type VolumeFactsPort,
  type WorkflowPort,
} from './ports';
import { itemKey, Turn } from './turn';

/**
 * A deployment that is refused for a while, since others of the account call too often, should not fail, and even less
 * its rollback. With the SDK's pauses (a random part of 1 s, 2 s and so on, at most 20 s) ten attempts take one minute
 * on average, and two at most. EC2's buckets are shared by all of the account: one and three quarter minutes, at most
 * three and a half, of the function's five. When a service says nothing, the pauses are shorter: two minutes at most,
 * and four and a half for EC2.
 */
export const PATIENCE = {
  usual: { attempts: 10, timeoutMs: 10_000 },
  ec2: { attempts: 15, timeoutMs: 10_000 },
} as const satisfies { [of: string]: Patience };

/** EC2 takes this many values in one filter. */
const FILTER_VALUES = 200;

/** A row that this stack has seeded, or nobody else. */
const OWN_ROW = 'attribute_exists(tier) AND (attribute_not_exists(seededBy) OR seededBy = :by)';

/** Nobody can have data on the slot's volumes. */
const UNUSED =
  'formatted = :no AND (attribute_not_exists(formatOffered) OR formatOffered = :no) AND servedEpoch = :none';

/** The rows of one tier, as a request to the custom resource writes them. */
export class DynamoSeeds implements SeedPort {
  private readonly turn: Turn;

  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly tier: string,
    request: SeedRequest,
    private readonly timer: Timer,
  ) {
    this.turn = new Turn(client, table, tier, request, timer);
  }

  async takeOver(): Promise<TierRows | undefined> {
    return this.read(async () => {
      if (!(await this.turn.take())) throw new Superseded();
      return true;
    });
  }

  async takeOverFromOwn(): Promise<TierRows | undefined> {
    return this.read(() => this.turn.takeFromOwn());
  }

  private async read(before: () => Promise<boolean>): Promise<TierRows | undefined> {
    try {
      return (await before()) ? await readTier(this.client, this.table, this.tier) : undefined;
    } catch (error) {
      if (errorName(error) === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }

  async add(row: NewRow, seededBy: string): Promise<boolean> {
    const item = {
      ...row,
      // Nobody knows any more when it was claimed. What an owner may take counts from now on, and not from when its
      // server was launched.
      claimedAt: row.owner === undefined ? undefined : new Date(this.timer.now()).toISOString(),
      volumes: row.volumes.map(({ volumeId, device }) => ({ volumeId, device })),
      tier: this.tier,
      item: slotItem(row.slot),
      servedEpoch: 0,
      phase: 'vacant',
      timeline: {},
      released: false,
      seededBy,
    };
    return this.turn.write({
      Put: {
        TableName: this.table,
        Item: toItem(item),
        ConditionExpression: 'attribute_not_exists(tier)',
      },
    });
  }

  describeAnew(spec: SlotSpec, epoch: number, formatted: boolean, seededBy: string): Promise<boolean> {
    const volumes = spec.volumes.map(({ volumeId, device }) => ({ volumeId, device }));
    return this.update(spec.slot, {
      UpdateExpression:
        'SET networkInterfaceId = :interface, address = :address, volumes = :volumes, formatted = :formatted, ' +
        // What failed before it was described so says nothing of the next launch.
        'released = :no, seededBy = :by REMOVE failedLaunches',
      ConditionExpression: 'attribute_not_exists(#owner) AND epoch = :epoch',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: toItem({
        ':interface': spec.networkInterfaceId,
        ':address': spec.address,
        ':volumes': volumes,
        ':formatted': formatted,
        ':no': false,
        ':by': seededBy,
        ':epoch': epoch,
      }),
    });
  }

  takeBack(slot: string, seededBy: string): Promise<boolean> {
    return this.update(slot, {
      UpdateExpression: 'SET released = :no, seededBy = :by',
      ConditionExpression: 'attribute_exists(tier)',
      ExpressionAttributeValues: { ':no': toAttribute(false), ':by': toAttribute(seededBy) },
    });
  }

  letGo(slot: string, seededBy: string): Promise<boolean> {
    return this.turn.writeAnyway({
      TableName: this.table,
      Key: itemKey(this.tier, slotItem(slot)),
      UpdateExpression: 'SET released = :yes',
      ConditionExpression: OWN_ROW,
      ExpressionAttributeValues: { ':yes': toAttribute(true), ':by': toAttribute(seededBy) },
    });
  }

  retire(slot: string, seededBy: string): Promise<boolean> {
    return this.update(slot, {
      UpdateExpression: 'SET released = :yes',
      ConditionExpression: `${OWN_ROW} AND ${UNUSED}`,
      ExpressionAttributeValues: toItem({ ':yes': true, ':by': seededBy, ':no': false, ':none': 0 }),
    });
  }

  private update(slot: string, change: Omit<Update, 'TableName' | 'Key'>): Promise<boolean> {
    const key = itemKey(this.tier, slotItem(slot));
    return this.turn.write({ Update: { TableName: this.table, Key: key, ...change } });
  }
}

/** What EC2 knows about volumes. */
export class Ec2VolumeFacts implements VolumeFactsPort {
  readonly begunAt: BegunAt;

  constructor(private readonly client: EC2Client) {
    this.begunAt = snapshotsBegun(client);
  }

  labelsOf(snapshotIds: readonly string[]): Promise<SnapshotLabel[]> {
    return labelsOf(this.client, snapshotIds);
  }

  ofSet(deployment: string, set: string): Promise<SnapshotLabel[]> {
    return labelsOfSet(this.client, deployment, set);
  }

  async factsOf(volumeIds: string[]): Promise<VolumeFacts[]> {
    const facts: VolumeFacts[] = [];
    for (let start = 0; start < volumeIds.length; start += FILTER_VALUES) {
      const filter = { Name: 'volume-id', Values: volumeIds.slice(start, start + FILTER_VALUES) };
      for await (const page of paginateDescribeVolumes({ client: this.client }, { Filters: [filter] })) {
        for (const volume of page.Volumes ?? []) {
          const tagged = (volume.Tags ?? []).some((tag) => tag.Key === FORMATTED_TAG);
          if (!volume.VolumeId) continue;
          facts.push({
            ...originOf(volume),
            holdsData: tagged || Boolean(volume.SnapshotId),
            multiAttach: volume.MultiAttachEnabled === true,
          });
        }
      }
    }
    return facts;
  }
}

/** The reconciler's workflow in Step Functions. */
export class StepFunctionsWorkflow implements WorkflowPort {
  constructor(
    private readonly client: SFNClient,
    private readonly stateMachineArn: string,
  ) {}

  async start(name: string, input: unknown): Promise<void> {
    const command = new StartExecutionCommand({
      stateMachineArn: this.stateMachineArn,
      name,
      input: JSON.stringify(input),
    });
    try {
      await this.client.send(command);
    } catch (error) {
      // A duplicate of this request has started it.
      if (errorName(error) !== 'ExecutionAlreadyExists') throw error;
    }
  }
}

/** The clients of the services that the resource reaches. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly dynamodb: DynamoDBClient;
  readonly sfn: SFNClient;
}

/** The ports on the real services. */
export function awsPorts(): Ports {
  const clients = {
    ec2: new EC2Client(clientOf(PATIENCE.ec2)),
    dynamodb: new DynamoDBClient(clientOf(PATIENCE.usual)),
    sfn: new SFNClient(clientOf(PATIENCE.usual)),
  };
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const log = jsonLog((line) => console.log(line), Date.now);
  return portsOn(clients, new HttpAnswers(fetch, sleep), log, { now: Date.now, sleep });
}

/** The ports on these clients. */
export function portsOn(clients: Clients, answers: AnswerPort, log: Log, timer: Timer): Ports {
  return {
    log,
    timer,
    volumes: new Ec2VolumeFacts(clients.ec2),
    answers,
    seeds: (table, tier, request) => new DynamoSeeds(clients.dynamodb, table, tier, request, timer),
    workflow: (arn) => new StepFunctionsWorkflow(clients.sfn, arn),
  };
}
