import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { toItem } from '../../../lambda/shared/attributes';
import { Ec2Compute } from '../../../lambda/volume-reconciler/aws-compute';
import { AutoScalingTier } from '../../../lambda/volume-reconciler/aws-group';
import { SsmHosts } from '../../../lambda/volume-reconciler/aws-hosts';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import { SILENT } from './settings';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

interface Sent {
  readonly name: string;
  readonly input: Record<string, never>;
}

/** A real client whose calls go nowhere: each is answered by the next answer, an error is thrown. */
function stub<C extends { send: unknown }>(client: C, ...answers: unknown[]): C & { sent: Sent[] } {
  const sent: Sent[] = [];
  const send = async (command: { constructor: { name: string }; input: Record<string, never> }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(client, { send, sent }) as never;
}

const awsError = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });

describe('EC2', () => {
  const compute = (...answers: unknown[]) => {
    const client = stub(new EC2Client(OFFLINE), ...answers);
    return { client, port: new Ec2Compute(client, 'stack/Oss') };
  };

  test('instances are read by tag, all pages, and owners that the tag did not find by id', async () => {
    const instance = (id: string, state: string) => ({
      InstanceId: id,
      State: { Name: state },
      Placement: { AvailabilityZone: 'a' },
      LaunchTime: new Date(5),
    });
    const { client, port } = compute(
      { Reservations: [{ Instances: [instance('i-1', 'running')] }], NextToken: 'more' },
      { Reservations: [{ Instances: [instance('i-2', 'pending')] }] },
      { Reservations: [{ Instances: [instance('i-3', 'terminated')] }] },
    );
    expect(await port.instances(['i-1', 'i-3', 'i-4'])).toEqual([
      { id: 'i-1', state: 'running', zone: 'a', launchedAt: 5 },
      { id: 'i-2', state: 'pending', zone: 'a', launchedAt: 5 },
      { id: 'i-3', state: 'terminated', zone: 'a', launchedAt: 5 },
    ]);
    expect(client.sent[0]!.input.Filters).toEqual([{ Name: 'tag:cdk-sas-grid:tier', Values: ['stack/Oss'] }]);
    expect(client.sent[2]!.input.Filters).toEqual([{ Name: 'instance-id', Values: ['i-3', 'i-4'] }]);
  });

  test('a snapshot is made with its tags in one call, and found by them, all pages', async () => {
    const tags = (finding: string) => [{ Key: 'cdk-sas-grid:finding', Value: finding }];
    const { client, port } = compute(
      { SnapshotId: 'snap-1' },
      {
        Snapshots: [{ SnapshotId: 'snap-1', VolumeId: 'vol-1', State: 'pending', Tags: tags('f') }],
        NextToken: 'more',
      },
      {
        Snapshots: [
          { SnapshotId: 'snap-2', VolumeId: 'vol-2', State: 'completed', Tags: tags('g') },
          { SnapshotId: 'snap-3', VolumeId: 'vol-2', State: 'completed' },
        ],
      },
    );
    expect(await port.createSnapshot('vol-1', 'oss-00', 'f')).toEqual({ done: true });
    expect(client.sent[0]).toMatchObject({
      name: 'CreateSnapshotCommand',
      input: {
        VolumeId: 'vol-1',
        TagSpecifications: [
          {
            ResourceType: 'snapshot',
            Tags: [
              { Key: 'Name', Value: 'oss-00 before the repair f' },
              { Key: 'cdk-sas-grid:tier', Value: 'stack/Oss' },
              { Key: 'cdk-sas-grid:slot', Value: 'oss-00' },
              { Key: 'cdk-sas-grid:finding', Value: 'f' },
            ],
          },
        ],
      },
    });
    expect(await port.snapshots(['f', 'g'])).toEqual([
      { id: 'snap-1', volumeId: 'vol-1', state: 'pending', finding: 'f' },
      { id: 'snap-2', volumeId: 'vol-2', state: 'completed', finding: 'g' },
    ]);
    expect(client.sent[1]!.input).toMatchObject({
      OwnerIds: ['self'],
      Filters: [
        { Name: 'tag:cdk-sas-grid:tier', Values: ['stack/Oss'] },
        { Name: 'tag:cdk-sas-grid:finding', Values: ['f', 'g'] },
      ],
    });
  });

  test.each([
    ['SnapshotCreationPerVolumeRateExceeded', false],
    ['ConcurrentSnapshotLimitExceeded', false],
    ['UnauthorizedOperation', true],
  ])(
    'a snapshot that is refused with %s is asked for again, or is for a person: %s',
    async (code, thrown) => {
      const { port } = compute(awsError(code));
      const made = port.createSnapshot('vol-1', 'oss-00', 'f');
      if (thrown) await expect(made).rejects.toThrow(code);
      else expect(await made).toMatchObject({ done: false, code });
    },
  );

  test.each([
    ['terminated', 'User initiated (2026-01-01 12:00:05 GMT)', Date.parse('2026-01-01T12:00:05Z')],
    [
      'stopped',
      'Server.ScheduledStop: Stopped (2026-01-01 12:00:05 GMT)',
      Date.parse('2026-01-01T12:00:05Z'),
    ],
    ['shutting-down', 'User initiated', undefined],
    ['shutting-down', 'User initiated (2026-13-77 12:00:05 GMT)', undefined],
    ['terminated', undefined, undefined],
    ['running', 'User initiated (2026-01-01 12:00:05 GMT)', undefined],
  ])('when a %s instance ended is what EC2 says: %s', async (Name, StateTransitionReason, endedAt) => {
    const Instances = [{ InstanceId: 'i-1', State: { Name }, StateTransitionReason }];
    const { port } = compute({ Reservations: [{ Instances }] });
    expect((await port.instances([]))[0]!.endedAt).toBe(endedAt);
  });

  test('no second look when the tag found all owners', async () => {
    const { client, port } = compute({ Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] });
    await port.instances(['i-1']);
    expect(client.sent).toHaveLength(1);
  });

  test('volumes know their attachments, the tag and the snapshot', async () => {
    const { port } = compute({
      Volumes: [
        {
          VolumeId: 'vol-1',
          State: 'in-use',
          AvailabilityZone: 'a',
          SnapshotId: '',
          Tags: [{ Key: 'cdk-sas-grid:formatted', Value: 'oss-00' }],
          Attachments: [
            { InstanceId: 'i-1', State: 'detached' },
            { InstanceId: 'i-2', State: 'attaching', Device: '/dev/sdf', DeleteOnTermination: true },
          ],
        },
        { VolumeId: 'vol-2', State: 'available', AvailabilityZone: 'a', SnapshotId: 'snap-1' },
      ],
    });
    expect(await port.volumes()).toEqual([
      {
        id: 'vol-1',
        state: 'in-use',
        zone: 'a',
        attachments: [
          { instanceId: 'i-2', state: 'attaching', device: '/dev/sdf', deleteOnTermination: true },
        ],
        formatted: true,
        fromSnapshot: false,
      },
      { id: 'vol-2', state: 'available', zone: 'a', attachments: [], formatted: false, fromSnapshot: true },
    ]);
  });

  test('what is to outlive its instance is named by device or attachment, and never left to a default', async () => {
    const { client, port } = compute();
    await port.keepVolumes('i-1', ['/dev/sdf', '/dev/sdg']);
    await port.keepInterface('eni-1', 'attach-1');
    expect(client.sent.map((each) => each.input)).toEqual([
      {
        InstanceId: 'i-1',
        BlockDeviceMappings: [
          { DeviceName: '/dev/sdf', Ebs: { DeleteOnTermination: false } },
          { DeviceName: '/dev/sdg', Ebs: { DeleteOnTermination: false } },
        ],
      },
      {
        NetworkInterfaceId: 'eni-1',
        Attachment: { AttachmentId: 'attach-1', DeleteOnTermination: false },
      },
    ]);
    const late = compute(awsError('IncorrectInstanceState'));
    expect(await late.port.keepVolumes('i-1', ['/dev/sdf'])).toMatchObject({ done: false });
  });

  test.each([
    'VolumeInUse',
    'IncorrectState',
    'InvalidInstanceID.NotFound',
    'InvalidInstanceID',
    'AttachmentLimitExceeded',
  ])('an attach that is refused with %s is an outcome, not a failure', async (code) => {
    const { port } = compute(awsError(code));
    expect(await port.attachVolume('vol-1', 'i-1', '/dev/sdf')).toMatchObject({ done: false, code });
  });

  const taken = (message: string) => Object.assign(new Error(message), { name: 'InvalidParameterValue' });

  test('where the image has something already, another place is taken', async () => {
    const device = taken(
      "Invalid value '/dev/sdf' for unixDevice. Attachment point /dev/sdf is already in use",
    );
    const index = taken("Instance 'i-1' already has an interface attached at device index '1'.");
    const { client, port } = compute(device, {}, index, {});
    expect(await port.attachVolume('vol-0a1b2c3d', 'i-1', '/dev/sdf')).toEqual({ done: true });
    expect(await port.attachInterface('eni-1', 'i-1')).toEqual({ done: true });
    const inputs = client.sent.map(({ input }) => input as { Device?: string; DeviceIndex?: number });
    expect(inputs.map((each) => each.Device ?? each.DeviceIndex)).toEqual([
      '/dev/sdf',
      expect.stringMatching(/^\/dev\/xvd[bcd][a-x]$/),
      1,
      2,
    ]);
  });

  test('what EC2 refuses for another reason, and again and again, is told with its words', async () => {
    const wrong = compute(taken('Value (x) for parameter device is invalid.'));
    expect(await wrong.port.attachVolume('vol-1', 'i-1', 'x')).toEqual({
      done: false,
      code: 'InvalidParameterValue',
      message: 'Value (x) for parameter device is invalid.',
    });
    const full = compute(...Array.from({ length: 9 }, () => taken('Attachment point is already in use')));
    expect(await full.port.attachVolume('vol-1', 'i-1', '/dev/sdf')).toMatchObject({ done: false });
    expect(full.client.sent).toHaveLength(4);
  });

  test('what is not part of the protocol is thrown', async () => {
    const { port } = compute(awsError('UnauthorizedOperation'));
    await expect(port.attachVolume('vol-1', 'i-1', '/dev/sdf')).rejects.toThrow('UnauthorizedOperation');
  });

  test('the interface goes to device index 1, and detaching asks, never forces', async () => {
    const { client, port } = compute();
    await port.attachInterface('eni-1', 'i-1');
    await port.detachVolume('vol-1', 'i-1');
    await port.detachInterface('attach-1');
    expect(client.sent.map((each) => each.input)).toEqual([
      { NetworkInterfaceId: 'eni-1', InstanceId: 'i-1', DeviceIndex: 1 },
      { VolumeId: 'vol-1', InstanceId: 'i-1' },
      { AttachmentId: 'attach-1' },
    ]);
  });
});

describe('Auto Scaling', () => {
  test('a group that is not there has no members, and a completed action is an outcome', async () => {
    const client = stub(
      new AutoScalingClient(OFFLINE),
      { AutoScalingGroups: [] },
      awsError('ValidationError'),
    );
    const port = new AutoScalingTier(client, 'group');
    expect(await port.members()).toBeUndefined();
    expect(await port.complete('i-1', 'serve-slot', 'CONTINUE')).toMatchObject({
      done: false,
      code: 'ValidationError',
    });
  });
});

describe('Systems Manager', () => {
  const hosts = (...answers: unknown[]) => {
    const client = stub(new SSMClient(OFFLINE), ...answers);
    return { client, port: new SsmHosts(client, 'document', SILENT) };
  };
  const order = {
    slot: 'oss-00',
    epoch: 3,
    address: '10.0.0.1',
    volumeIds: ['vol-1', 'vol-2'],
    mayFormat: false,
  };

  const asked = { slot: 'oss-00', id: 'c-1', instanceId: 'i-1', sentAt: '2026-01-01T00:00:00.000Z' };

  test('an order becomes the document’s parameters', async () => {
    const { client, port } = hosts({ Command: { CommandId: 'c-1' } });
    expect(await port.tell('i-1', order)).toEqual({ id: 'c-1' });
    expect(client.sent[0]!.input).toMatchObject({
      DocumentName: 'document',
      InstanceIds: ['i-1'],
      Parameters: {
        slot: ['oss-00'],
        epoch: ['3'],
        address: ['10.0.0.1'],
        volumes: ['vol-1,vol-2'],
        mayFormat: ['false'],
        executionTimeout: ['600'],
      },
    });
  });

  test('a repair goes along with its snapshots, and only then are they named', async () => {
    const { client, port } = hosts({ Command: { CommandId: 'c-1' } }, { Command: { CommandId: 'c-2' } });
    await port.tell('i-1', { ...order, repair: { finding: 'f', snapshotIds: ['snap-1', 'snap-2'] } });
    await port.tell('i-1', order);
    const [repair, plain] = client.sent.map(({ input }) => input.Parameters);
    expect(repair).toMatchObject({ finding: ['f'], snapshots: ['snap-1,snap-2'] });
    expect(Object.keys(plain!).filter((name) => ['finding', 'snapshots'].includes(name))).toEqual([]);
  });

  test.each(['InvalidInstanceId', 'AccessDeniedException'])(
    'an agent that is not there yet is waited for: %s',
    async (code) => {
      expect(await hosts(awsError(code)).port.tell('i-1', order)).toEqual({ code });
    },
  );

  test('what says nothing of the host is thrown', async () => {
    await expect(hosts(awsError('InternalServerError')).port.tell('i-1', order)).rejects.toThrow();
  });

  test.each([
    [awsError('InvocationDoesNotExist'), { state: 'unknown' }],
    [{ Status: 'InProgress', ResponseCode: -1 }, { state: 'pending' }],
    [
      { Status: 'Success', ResponseCode: 0 },
      { state: 'success', exitCode: 0 },
    ],
    [
      { Status: 'Failed', ResponseCode: 75, StandardErrorContent: 'no MGS\n' },
      { state: 'failed', exitCode: 75, detail: 'no MGS' },
    ],
    [
      { Status: 'TimedOut', ResponseCode: -1, StatusDetails: 'ExecutionTimedOut' },
      { state: 'failed', exitCode: undefined, detail: 'ExecutionTimedOut' },
    ],
    [
      { Status: 'TimedOut', ResponseCode: 137, StatusDetails: 'Execution Timed Out' },
      { state: 'failed', exitCode: 137, detail: 'Execution Timed Out' },
    ],
    // Ended by a signal.
    [
      { Status: 'Failed', ResponseCode: -1, StatusDetails: 'Failed' },
      { state: 'failed', exitCode: undefined, detail: 'Failed' },
    ],
    ...[
      ['TimedOut', 'DeliveryTimedOut'],
      ['TimedOut', 'Delivery Timed Out'],
      ['Failed', 'Undeliverable'],
      ['Failed', 'Terminated'],
      ['Failed', 'AccessDenied'],
      ['Failed', 'RateExceeded'],
      ['Failed', 'Incomplete'],
      ['Cancelled', 'Cancelled'],
      ['Unheard of', 'Unheard of'],
    ].map(([Status, StatusDetails]): [object, object] => [
      { Status, ResponseCode: -1, StatusDetails },
      { state: 'undelivered', detail: StatusDetails },
    ]),
  ])('status %#', async (answer, status) => {
    const agents = { InstanceInformationList: [{ InstanceId: 'i-1', AgentVersion: '3.3.4121.0' }] };
    expect(await hosts(answer, agents).port.statuses([asked], 0)).toEqual({ 'oss-00': status });
  });

  test.each([
    ['3.1.1927.0', 'its SSM Agent is 3.1.1927.0'],
    ['3.3.987.0', 'its SSM Agent is 3.3.987.0'],
    ['3.10.0.0', undefined],
    ['4', undefined],
    ['nightly', undefined],
  ])('an agent that is too old to be told anything is named: %s', async (AgentVersion, said) => {
    const timedOut = { Status: 'TimedOut', StatusDetails: 'DeliveryTimedOut' };
    const { port } = hosts(timedOut, { InstanceInformationList: [{ InstanceId: 'i-1', AgentVersion }] });
    const { detail } = (await port.statuses([asked], 0))['oss-00']!;
    if (said) expect(detail).toContain(`DeliveryTimedOut; ${said}`);
    else expect(detail).toBe('DeliveryTimedOut');
  });

  test('versions that cannot be read change nothing', async () => {
    const { port } = hosts(
      { Status: 'TimedOut', StatusDetails: 'DeliveryTimedOut' },
      awsError('AccessDeniedException'),
    );
    expect(await port.statuses([asked], 0)).toEqual({
      'oss-00': { state: 'undelivered', detail: 'DeliveryTimedOut' },
    });
  });
});

test.each([1, 9])(
  'what became of %i commands cannot be read: they are waited for, and the log says why',
  async (count) => {
    const client = stub(new SSMClient(OFFLINE), awsError('InternalServerError'));
    const errors: unknown[] = [];
    const log = { ...SILENT, error: (...said: unknown[]) => errors.push(said) };
    const asked = Array.from({ length: count }, (_, index) => ({
      slot: `oss-${index}`,
      id: `c-${index}`,
      instanceId: `i-${index}`,
      sentAt: '2026-01-01T00:00:00.000Z',
    }));
    const found = await new SsmHosts(client, 'document', log).statuses(asked, 0);
    expect(Object.values(found)).toEqual(Array(count).fill({ state: 'pending' }));
    expect(client.sent).toHaveLength(1);
    expect(errors).toEqual([
      [
        expect.any(String),
        expect.objectContaining({ error: expect.stringContaining('InternalServerError') }),
      ],
    ]);
  },
);

describe('Systems Manager, asked for many hosts', () => {
  const asked = Array.from({ length: 128 }, (_, index) => ({
    slot: `oss-${index}`,
    id: `c-${index}`,
    instanceId: `i-${index}`,
    sentAt: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}.500Z`,
  }));
  const listed = (from: number, to: number, more = true) => ({
    CommandInvocations: asked.slice(from, to).map(({ id, instanceId }, index) => ({
      CommandId: id,
      InstanceId: instanceId,
      Status: index % 2 === 0 ? 'Success' : 'Failed',
      CommandPlugins: [{ Name: 'serve', ResponseCode: index % 2 === 0 ? 0 : 75, Output: 'no MGS' }],
    })),
    ...(more ? { NextToken: 'more' } : {}),
  });
  const hosts = (...answers: unknown[]) => {
    const client = stub(new SSMClient(OFFLINE), ...answers);
    return { client, port: new SsmHosts(client, 'document', SILENT) };
  };

  test('pages tell of all of them, and no more are read than needed', async () => {
    const { client, port } = hosts(listed(0, 50), listed(50, 100), listed(100, 128));
    const found = await port.statuses(asked, 0);
    expect(client.sent.map(({ name }) => name)).toEqual(Array(3).fill('ListCommandInvocationsCommand'));
    expect(client.sent[0]!.input).toMatchObject({
      Filters: [
        { key: 'DocumentName', value: 'document' },
        { key: 'InvokedAfter', value: '2025-12-31T23:59:00Z' },
      ],
      Details: true,
      MaxResults: 50,
    });
    expect(Object.keys(found)).toHaveLength(128);
    expect(found['oss-0']).toEqual({ state: 'success', exitCode: 0 });
    expect(found['oss-1']).toEqual({ state: 'failed', exitCode: 75, detail: 'no MGS' });
  });

  test('a host is never taken for served by the answer of another, or of an earlier command', async () => {
    const one = { Status: 'Success', CommandPlugins: [{ ResponseCode: 0 }] };
    const { port } = hosts(
      {
        CommandInvocations: [
          { ...one, CommandId: 'c-0', InstanceId: 'i-1' },
          { ...one, CommandId: 'c-earlier', InstanceId: 'i-0' },
        ],
      },
      ...Array(8).fill(awsError('InvocationDoesNotExist')),
    );
    const states = Object.values(await port.statuses(asked, 0)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['unknown', 'pending']));
  });

  test('the number of calls is bounded when the pages do not tell, and each host gets its turn', async () => {
    const seen = new Set<string>();
    for (let second = 0; second < 128; second++) {
      const { client, port } = hosts(
        ...Array(5).fill(listed(0, 0)),
        ...Array(8).fill({ Status: 'InProgress' }),
      );
      const found = await port.statuses(asked, second * 1000);
      expect(client.sent).toHaveLength(5 + 8);
      expect(Object.keys(found)).toHaveLength(128);
      for (const { name, input } of client.sent)
        if (name === 'GetCommandInvocationCommand') seen.add(String(input.CommandId));
    }
    expect(seen.size).toBe(128);
  });
});

describe('Systems Manager, silent', () => {
  const order = {
    slot: 'oss-00',
    epoch: 3,
    address: '10.0.0.4',
    volumeIds: ['vol-1'],
    mayFormat: false,
  };

  test('is asked nothing more in a pass, in which others wait for their turn; the next one asks again', async () => {
    const client = stub(new SSMClient(OFFLINE), awsError('TimeoutError'));
    const port = new SsmHosts(client, 'document', SILENT);
    await expect(port.tell('i-1', order)).rejects.toThrow('TimeoutError');
    await expect(port.tell('i-2', order)).rejects.toThrow('does not answer');
    const asked = [{ slot: 'oss-00', id: 'c', instanceId: 'i-1', sentAt: '' }];
    expect(await port.statuses(asked, 0)).toEqual({ 'oss-00': { state: 'pending' } });
    expect(client.sent).toHaveLength(1);
    await new SsmHosts(client, 'document', SILENT).tell('i-2', order);
    expect(client.sent).toHaveLength(2);
  });

  test('what it refuses is no silence', async () => {
    const client = stub(new SSMClient(OFFLINE), awsError('ThrottlingException'));
    const port = new SsmHosts(client, 'document', SILENT);
    await expect(port.tell('i-1', order)).rejects.toThrow('ThrottlingException');
    await port.tell('i-2', order);
    expect(client.sent).toHaveLength(2);
  });
});

describe('DynamoDB', () => {
  const map = (...answers: unknown[]) => {
    const client = stub(new DynamoDBClient(OFFLINE), ...answers);
    return { client, port: new DynamoVolumeMap(client, 'table', 'oss') };
  };
  const claim = { slot: 'oss-00', owner: 'i-1', epoch: 2 };
  const cancelled = (...codes: string[]) =>
    awsError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

  test('reads all pages, consistently, and keeps rows that it cannot read apart', async () => {
    const good = {
      item: 'slot#oss-00',
      slot: 'oss-00',
      networkInterfaceId: 'eni-0',
      address: '10.0.0.1',
      volumes: [{ volumeId: 'vol-0', device: '/dev/sdf' }],
      epoch: 1,
      servedEpoch: 0,
      formatted: false,
    };
    const { client, port } = map(
      {
        Items: [toItem(good), toItem({ ...good, item: 'slot#oss-01', slot: 'oss-01', epoch: 'many' })],
        LastEvaluatedKey: { item: { S: 'x' } },
      },
      {
        Items: [
          toItem({ item: 'owner#i-1', slot: 'oss-00', epoch: 1 }),
          toItem({ item: 'lease', holder: 'me' }),
        ],
      },
    );
    const rows = await port.read();
    expect(rows.slots.map((row) => row.slot)).toEqual(['oss-00']);
    expect(rows.owners).toEqual([{ instanceId: 'i-1', slot: 'oss-00', epoch: 1 }]);
    expect(rows.broken).toEqual([{ slot: 'oss-01', problem: 'attribute epoch is not a whole number' }]);
    expect(client.sent.map((each) => each.input.ConsistentRead)).toEqual([true, true]);
  });

  test('a row that got an owner by hand, and no epoch, is kept apart: its owner would count as serving', async () => {
    const row = { item: 'slot#oss-00', slot: 'oss-00', networkInterfaceId: 'eni-0', address: '10.0.0.1' };
    const volumes = [{ volumeId: 'vol-0', device: '/dev/sdf' }];
    const never = { ...row, volumes, epoch: 0, servedEpoch: 0, formatted: false };
    const { port } = map({ Items: [toItem({ ...never, owner: 'i-1' })] });
    expect(await port.read()).toMatchObject({
      slots: [],
      broken: [{ slot: 'oss-00', problem: 'attribute epoch is 0 although there is an owner' }],
    });
  });

  test('a claim writes row and owner together, each on condition', async () => {
    const { client, port } = map({});
    expect(await port.claim(claim, '2026-01-01T00:00:00.000Z', {})).toBe(true);
    const [row, owner] = (client.sent[0]!.input as never as { TransactItems: never[] }).TransactItems;
    expect(row).toMatchObject({
      Update: {
        Key: { tier: { S: 'oss' }, item: { S: 'slot#oss-00' } },
        // An epoch that was served is never given again, even when somebody has lowered the row's.
        ConditionExpression:
          'attribute_not_exists(#owner) AND epoch = :epoch AND servedEpoch <= :epoch AND released = :no',
        ExpressionAttributeValues: expect.objectContaining({ ':epoch': { N: '2' }, ':next': { N: '3' } }),
      },
    });
    expect(owner).toMatchObject({
      Put: {
        Item: { item: { S: 'owner#i-1' }, slot: { S: 'oss-00' }, epoch: { N: '3' } },
        ConditionExpression: 'attribute_not_exists(tier)',
      },
    });
  });

  test('a release leaves the owner’s row alone when that names another slot', async () => {
    const { client, port } = map();
    expect(await port.release(claim, {}, undefined, true)).toBe(true);
    expect(client.sent.map(({ name }) => name)).toEqual(['UpdateItemCommand']);
    const input = client.sent[0]!.input as { Key?: object; ConditionExpression?: string };
    expect(input.Key).toMatchObject({ item: { S: 'slot#oss-00' } });
    expect(input.ConditionExpression).toBe('#owner = :owner AND epoch = :epoch');
  });

  test('losing a race is an answer', async () => {
    expect(await map(cancelled('ConditionalCheckFailed', 'None')).port.claim(claim, '', {})).toBe(false);
    expect(await map(cancelled('None', 'TransactionConflict')).port.release(claim, {})).toBe(false);
    expect(
      await map(awsError('ConditionalCheckFailedException')).port.markServed(claim, 'c-1', {}, ['now']),
    ).toBe(false);
    expect(
      await map(awsError('TransactionConflictException')).port.markServed(claim, 'c-1', {}, ['now']),
    ).toBe(false);
    expect(await map(awsError('ConditionalCheckFailedException')).port.takeLease('me', 0, 1)).toBeUndefined();
  });

  test('throttling is not', async () => {
    await expect(map(cancelled('ThrottlingError', 'None')).port.claim(claim, '', {})).rejects.toThrow();
    await expect(
      map(awsError('ProvisionedThroughputExceededException')).port.markServed(claim, 'c-1', {}, ['now']),
    ).rejects.toThrow();
  });

  test('a recovery goes into the history in the same write that ends it, and only there for a time', async () => {
    const { client, port } = map();
    const recovery = {
      startedAt: 0,
      completedAt: 5000,
      seconds: 5,
      phases: [],
      bySpare: false,
      byFallback: false,
    };
    await port.recordRecovery(claim, { phase: 'served', timeline: {} }, recovery);
    const { TransactItems } = client.sent[0]!.input as { TransactItems?: { Put?: { Item: object } }[] };
    expect(client.sent.map(({ name }) => name)).toEqual(['TransactWriteItemsCommand']);
    expect(TransactItems![1]!.Put!.Item).toMatchObject({
      tier: { S: 'oss#recoveries' },
      item: { S: expect.stringMatching(/^1970-01-01T00:00:05.000Z#oss-00#/) },
      deleteAfter: { N: String(5 + 400 * 86_400) },
    });
  });

  test('an offer to format is in the map before it is made, and is never taken back', async () => {
    const { client, port } = map();
    const note = { phase: 'serving', timeline: {} };
    await port.beginCommand(claim, { sentAt: 'now', attempts: 1, failures: 0 }, note, true);
    await port.beginCommand(claim, { sentAt: 'now', attempts: 2, failures: 0 }, note, false);
    await port.release(claim, {});
    const [offering, ...later] = client.sent.map(({ input }) => JSON.stringify(input));
    expect(offering).toContain('formatOffered = :yes');
    expect(offering).toContain('AND servedEpoch <> :epoch AND released = :no AND formatted = :no');
    expect(later[0]).toContain('AND servedEpoch <> :epoch"');
    expect(later.join()).not.toContain('formatOffered');
  });

  test('every write about an owned slot has owner and epoch in its condition, and no unused name', async () => {
    const { client, port } = map();
    const note = { phase: 'serving', reason: 'why', timeline: {} };
    await port.beginCommand(claim, { sentAt: 'now', attempts: 1, failures: 0 }, note, false);
    await port.beginCommand(claim, { sentAt: 'now', attempts: 1, failures: 0 }, note, true);
    await port.recordCommand(claim, 'now', 'c-1');
    await port.noteUnsent(claim, 'now');
    await port.markServed(claim, 'c-1', {}, ['now']);
    await port.unserve(claim, { ...note, reason: undefined });
    await port.annotate('oss-00', 'i-1', 2, note);
    await port.date(claim, 'now', note);
    await port.recordRecovery(claim, note, {
      startedAt: 0,
      completedAt: 1,
      seconds: 1,
      phases: [],
      bySpare: false,
      byFallback: false,
    });
    const updates = client.sent.map(({ input }) => {
      const { TransactItems } = input as { TransactItems?: { Update?: object }[] };
      return { input: TransactItems?.[0]?.Update ?? input };
    });
    for (const { input } of updates as never as { input: Record<string, object> }[]) {
      const { UpdateExpression, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
        input;
      expect(ConditionExpression).toContain('#owner = :owner AND epoch = :epoch');
      const text = `${UpdateExpression} ${ConditionExpression}`;
      const used = (pattern: RegExp) => [...new Set<string>(text.match(pattern) ?? [])].sort();
      expect(Object.keys(ExpressionAttributeNames ?? {}).sort()).toEqual(used(/#\w+/g));
      expect(Object.keys(ExpressionAttributeValues ?? {}).sort()).toEqual(used(/:\w+/g));
    }
  });
});
