import type { OwnerRow, SlotRow } from '../../../lambda/shared/map';
import { type Handled, handle } from '../../../lambda/volume-map-resource/handler';
import type { Ports, SeedPort, SeedRequest, VolumeFacts } from '../../../lambda/volume-map-resource/ports';

/** The map, EC2, Step Functions and CloudFormation's side, as the custom resource sees them. */
export class FakePorts {
  readonly rows = new Map<string, SlotRow & { seededBy?: string }>();
  owners: OwnerRow[] = [];
  holding: string[] = [];
  multiAttach: string[] = [];
  missing: string[] = [];
  /** What else EC2 says of volumes, and when snapshots were begun. */
  origins: { [volumeId: string]: Partial<VolumeFacts> } = {};
  begun: { [snapshotId: string]: string } = {};
  readonly started: { name: string; input: Record<string, unknown> }[] = [];
  readonly answers: { url: string; Status: string; Reason: string; PhysicalResourceId: string }[] = [];
  tableExists = true;

  /** How long the function's role may do nothing, milliseconds from its first call. */
  forbiddenFor = 0;
  slept = 0;

  private requirePermission(name: string): void {
    if (this.slept < this.forbiddenFor) throw Object.assign(new Error('is not authorized'), { name });
  }

  readonly ports: Ports = {
    log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
    timer: {
      now: () => this.slept,
      sleep: async (ms) => {
        this.slept += ms;
      },
    },
    volumes: {
      factsOf: async (ids) => {
        this.requirePermission('UnauthorizedOperation');
        return ids
          .filter((volumeId) => !this.missing.includes(volumeId))
          .map((volumeId) => ({
            volumeId,
            holdsData: this.holding.includes(volumeId),
            multiAttach: this.multiAttach.includes(volumeId),
            ...this.origins[volumeId],
          }));
      },
      begunAt: async (ids) =>
        new Map(ids.flatMap((id) => (this.begun[id] ? [[id, Date.parse(this.begun[id])] as const] : []))),
      labelsOf: async () => [],
      ofSet: async () => [],
    },
    answers: { put: async (url, body) => void this.answers.push({ url, ...JSON.parse(body) }) },
    workflow: () => ({
      start: async (name, input) => {
        this.requirePermission('AccessDeniedException');
        this.started.push({ name, input: input as never });
      },
    }),
    seeds: () => this.seeds,
  };

  /** What happens after the rows were read. */
  beforeRetiring?: () => unknown;

  told(about: SeedRequest, all: SeedRequest[]): SeedPort {
    all.push(about);
    return this.seeds;
  }

  private change(slot: string, change: Partial<SlotRow> & { seededBy?: string }): boolean {
    const row = this.rows.get(slot);
    if (row) this.rows.set(slot, { ...row, ...change });
    return row !== undefined;
  }

  private read = () =>
    this.tableExists ? { slots: [...this.rows.values()], owners: this.owners, broken: [] } : undefined;

  private readonly seeds: SeedPort = {
    takeOver: async () => {
      this.requirePermission('AccessDeniedException');
      return this.read();
    },
    takeOverFromOwn: async () => this.read(),
    add: async (row, seededBy) => {
      if (this.rows.has(row.slot)) return false;
      this.rows.set(row.slot, {
        ...row,
        servedEpoch: 0,
        phase: 'vacant',
        timeline: {},
        servings: [],
        released: false,
        seededBy,
      });
      return true;
    },
    describeAnew: async ({ slot, networkInterfaceId, address, volumes }, _epoch, formatted, seededBy) =>
      this.change(slot, {
        networkInterfaceId,
        address,
        volumes: [...volumes],
        formatted,
        seededBy,
        released: false,
      }),
    takeBack: async (slot, seededBy) => this.change(slot, { released: false, seededBy }),
    retire: async (slot, seededBy) => {
      await this.beforeRetiring?.();
      const { seededBy: by, formatted, formatOffered, servedEpoch } = this.rows.get(slot)!;
      const isFree = by === seededBy && !formatted && !formatOffered && servedEpoch === 0;
      return isFree && this.change(slot, { released: true });
    },
    letGo: async (slot, seededBy) =>
      this.rows.get(slot)?.seededBy === seededBy && this.change(slot, { released: true }),
  };
}

/** A slot as the stack describes it. */
export const slot = (index: number, more: object = {}) => ({
  slot: `oss-0${index}`,
  networkInterfaceId: `eni-${index}`,
  address: `10.0.0.${index}`,
  adopted: 'false',
  volumes: [{ volumeId: `vol-${index}`, device: '/dev/sdf' }],
  ...more,
});

/** A request of CloudFormation. */
export const request = (RequestType: string, slots: object[] = [slot(0), slot(1)], more: object = {}) => ({
  RequestType,
  ResponseURL: 'https://answers.example/x',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Served',
  ResourceProperties: {
    Tier: 'oss',
    Table: 'table',
    StateMachineArn: 'arn',
    TimeoutSeconds: '3300',
    SeededFor: 'tier-of-this-stack',
    Step: 'serve',
    Slots: slots,
  },
  ...more,
});

/** A request about the resource that comes first and seeds the rows. */
export const seeding = (RequestType: string, slots?: object[]) => {
  const event = request(RequestType, slots, { LogicalResourceId: 'Map' });
  return { ...event, ResourceProperties: { ...event.ResourceProperties, Step: 'seed' } };
};

/** An update of both resources of the tier, as CloudFormation asks for it. */
export async function update(fake: FakePorts, slots?: object[]): Promise<Handled> {
  const seeded = await handle(seeding('Update', slots), fake.ports);
  return seeded.status === 'SUCCESS' ? handle(request('Update', slots), fake.ports) : seeded;
}

/** A slot is served, and holds data. */
export const use = (fake: FakePorts, name: string, more: Partial<SlotRow> = {}) => {
  fake.rows.set(name, {
    ...fake.rows.get(name)!,
    owner: 'i-1',
    epoch: 1,
    servedEpoch: 1,
    formatted: true,
    ...more,
  });
};
