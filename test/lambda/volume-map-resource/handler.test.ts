import { HttpAnswers } from '../../../lambda/shared/answer';
import { handle } from '../../../lambda/volume-map-resource/handler';
import type { SeedRequest } from '../../../lambda/volume-map-resource/ports';
import { FakePorts, request, seeding, slot, update, use } from './fake-ports';

describe('a role that was made a moment ago', () => {
  test.each([10_000, 50_000])('is waited for, for %i ms', async (ms) => {
    const fake = new FakePorts();
    fake.forbiddenFor = ms;
    expect(await handle(request('Create'), fake.ports)).toEqual({ did: 'started' });
    expect(fake.rows.size).toBe(2);
    expect(fake.started).toHaveLength(1);
  });

  test('is waited for as long after a call that took its time', async () => {
    const fake = new FakePorts();
    const { volumes } = fake.ports;
    const slow = async (ids: string[]) => {
      if (fake.slept === 0) {
        fake.slept = 50_000;
        fake.forbiddenFor = 90_000;
      }
      return volumes.factsOf(ids);
    };
    await handle(request('Create'), { ...fake.ports, volumes: { ...volumes, factsOf: slow } });
    expect(fake.started).toHaveLength(1);
  });

  test('is not waited for longer than the function may take', async () => {
    const fake = new FakePorts();
    fake.forbiddenFor = Number.POSITIVE_INFINITY;
    expect(await handle(request('Create'), fake.ports)).toEqual({ did: 'answered', status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toBe('is not authorized');
    expect(fake.slept).toBeLessThan(90_000);
  });
});

describe('create', () => {
  test('seeds the map and leaves the answer to the workflow', async () => {
    const fake = new FakePorts();
    expect(await handle(request('Create'), fake.ports)).toEqual({ did: 'started' });
    expect([...fake.rows.values()]).toEqual([
      expect.objectContaining({ slot: 'oss-00', epoch: 0, formatted: false, released: false }),
      expect.objectContaining({ slot: 'oss-01', epoch: 0, formatted: false, released: false }),
    ]);
    expect(fake.answers).toEqual([]);
    expect(fake.started[0]).toMatchObject({
      name: 'cfn-request',
      input: {
        deadlineSeconds: 3300,
        answer: { ResponseURL: 'https://answers.example/x', PhysicalResourceId: 'oss/request/table' },
      },
    });
  });

  test('delivered twice changes nothing more', async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    use(fake, 'oss-00');
    const before = structuredClone([...fake.rows]);
    await handle(request('Create'), fake.ports);
    expect([...fake.rows]).toEqual(before);
    expect(new Set(fake.started.map((each) => each.name)).size).toBe(1);
  });

  test.each([
    ['a tag or a snapshot says that they hold data', { holding: ['vol-0'] }, slot(0)],
    ['they come from an earlier stack', {}, slot(0, { adopted: 'true' })],
  ])('volumes are never formatted when %s', async (_name, more, first) => {
    const fake = Object.assign(new FakePorts(), more);
    await handle(request('Create', [first, slot(1)]), fake.ports);
    expect(fake.rows.get('oss-00')!.formatted).toBe(true);
    expect(fake.rows.get('oss-01')!.formatted).toBe(false);
  });

  test('a row deleted by hand gets back the owner that the map still names', async () => {
    const fake = new FakePorts();
    fake.owners = [{ instanceId: 'i-7', slot: 'oss-00', epoch: 4 }];
    await handle(request('Create'), fake.ports);
    expect(fake.rows.get('oss-00')).toMatchObject({ owner: 'i-7', epoch: 4, servedEpoch: 0 });
  });

  test('a row deleted by hand does not get back an owner that another row names, too', async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    fake.rows.delete('oss-00');
    use(fake, 'oss-01', { owner: 'i-7' });
    fake.owners = [{ instanceId: 'i-7', slot: 'oss-00', epoch: 4 }];
    expect(await handle(request('Create'), fake.ports)).toMatchObject({ status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain('i-7 is named as owner of oss-01 too');
    expect(fake.rows.has('oss-00')).toBe(false);
  });

  test('volumes that two servers could have at once are refused', async () => {
    const fake = Object.assign(new FakePorts(), { multiAttach: ['vol-1'] });
    expect(await handle(request('Create'), fake.ports)).toMatchObject({ status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain('vol-1 can be attached to several servers at once');
    expect(fake.rows.size).toBe(0);
  });

  test('kept volumes have to exist; new ones may not show yet', async () => {
    const fake = Object.assign(new FakePorts(), { missing: ['vol-0', 'vol-1'] });
    expect(await handle(request('Create'), fake.ports)).toEqual({ did: 'started' });
    const kept = [slot(0, { adopted: 'true' })];
    expect(await handle(request('Create', kept), new FakePorts().ports)).toEqual({ did: 'started' });
    const gone = Object.assign(new FakePorts(), { missing: ['vol-0'] });
    expect(await handle(request('Create', kept), gone.ports)).toMatchObject({ status: 'FAILED' });
    expect(gone.answers[0]!.Reason).toContain('vol-0 does not exist');
  });

  test.each([
    ['Slots', { Slots: [] }],
    ['TimeoutSeconds', { TimeoutSeconds: '7200' }],
    ['Tier', { Tier: '' }],
    ['Step', { Step: 'all' }],
    ['SeededFor', { SeededFor: undefined }],
    ['vol-0', { Slots: [slot(0), slot(1, { volumes: [{ volumeId: 'vol-0', device: '/dev/sdf' }] })] }],
  ])('properties with a wrong %s fail at once, with its name', async (word, wrong) => {
    const fake = new FakePorts();
    const event = request('Create');
    const bad = { ...event, ResourceProperties: { ...event.ResourceProperties, ...wrong } };
    expect(await handle(bad, fake.ports)).toEqual({ did: 'answered', status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain(word);
    expect(fake.started).toEqual([]);
    expect(fake.rows.size).toBe(0);
  });
});

describe('update', () => {
  const deployed = async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    use(fake, 'oss-00');
    use(fake, 'oss-01', { owner: 'i-2' });
    fake.started.length = 0;
    return fake;
  };

  test('a tier can grow', async () => {
    const fake = await deployed();
    await update(fake, [slot(0), slot(1), slot(2)]);
    expect(fake.rows.get('oss-02')).toMatchObject({ epoch: 0, formatted: false });
    expect(fake.rows.get('oss-00')).toMatchObject({ owner: 'i-1', epoch: 1, formatted: true });
    expect(fake.started).toHaveLength(1);
  });

  test.each([
    ['shrinking', [slot(0)], 'cannot shrink'],
    ['other volumes', [slot(0, { volumes: [{ volumeId: 'vol-9', device: '/dev/sdf' }] }), slot(1)], 'vol-9'],
    [
      'one more volume',
      [slot(0, { volumes: [...slot(0).volumes, { volumeId: 'vol-9', device: '/dev/sdg' }] }), slot(1)],
      'add slots to grow',
    ],
    ['another address', [slot(0, { address: '10.0.0.99' }), slot(1)], '10.0.0.99'],
  ])('%s is refused before anything is written', async (_name, slots, word) => {
    const fake = await deployed();
    const before = structuredClone([...fake.rows]);
    expect(await update(fake, slots)).toEqual({ did: 'answered', status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain(word);
    expect([...fake.rows]).toEqual(before);
    expect(fake.started).toEqual([]);
  });

  test('what comes late for the resource that serves takes nothing back that a rollback has retired', async () => {
    const fake = await deployed();
    await handle(seeding('Update', [slot(0), slot(1), slot(2)]), fake.ports);
    await update(fake);
    expect(fake.rows.get('oss-02')!.released).toBe(true);
    await handle(request('Update', [slot(0), slot(1), slot(2)]), fake.ports);
    expect(fake.rows.get('oss-02')!.released).toBe(true);
  });

  test('growth that never held data can be undone', async () => {
    const fake = await deployed();
    await update(fake, [slot(0), slot(1), slot(2)]);
    fake.rows.set('oss-02', { ...fake.rows.get('oss-02')!, owner: 'i-3', epoch: 1 });
    expect(await update(fake)).toEqual({ did: 'started' });
    expect(fake.rows.get('oss-02')!.released).toBe(true);
    expect(fake.rows.get('oss-00')!.released).toBe(false);
  });

  test('growth is not undone once a server was told to format: clients may have data on it', async () => {
    const fake = await deployed();
    await update(fake, [slot(0), slot(1), slot(2)]);
    fake.rows.set('oss-02', { ...fake.rows.get('oss-02')!, formatOffered: true });
    expect(await update(fake)).toMatchObject({ status: 'FAILED' });
    expect(fake.rows.get('oss-02')!.released).toBe(false);
    const other = [slot(0), slot(1), slot(2, { volumes: [{ volumeId: 'vol-9', device: '/dev/sdf' }] })];
    expect(await update(fake, other)).toMatchObject({ status: 'FAILED' });
  });

  test('growth is not undone when a server is told to format meanwhile', async () => {
    const fake = await deployed();
    await update(fake, [slot(0), slot(1), slot(2)]);
    fake.beforeRetiring = () => fake.rows.set('oss-02', { ...fake.rows.get('oss-02')!, formatOffered: true });
    expect(await update(fake)).toMatchObject({ status: 'FAILED' });
    expect(fake.rows.get('oss-02')!.released).toBe(false);
  });

  const from = (before: object, slots?: object[]) => {
    const event = request('Update', slots);
    return { ...event, OldResourceProperties: { ...event.ResourceProperties, ...before } };
  };

  describe.each([
    ['Tier', { Tier: 'ost' }, 'the tier changes from oss to ost'],
    ['Table', { Table: 'other' }, 'the table changes from table to other'],
  ])('to another %s', (_name, other, words) => {
    const update = (step: 'seed' | 'serve', now: object, before: object) => {
      const event = step === 'seed' ? seeding('Update') : request('Update');
      const of = (change: object) => ({ ...event.ResourceProperties, ...change });
      const PhysicalResourceId = `${step === 'seed' ? 'oss-map' : 'oss'}/first/table`;
      return { ...event, PhysicalResourceId, ResourceProperties: of(now), OldResourceProperties: of(before) };
    };

    test.each(['seed', 'serve'] as const)('is refused by %s: its rows are elsewhere', async (step) => {
      const fake = new FakePorts();
      expect(await handle(update(step, other, {}), fake.ports)).toMatchObject({ status: 'FAILED' });
      expect(fake.answers[0]!.Reason).toContain(words);
      // Deployed again without going back before: the properties before are the refused ones.
      expect(await handle(update(step, other, other), fake.ports)).toMatchObject({ status: 'FAILED' });
      expect([fake.rows.size, fake.started.length]).toEqual([0, 0]);
    });

    test.each(['seed', 'serve'] as const)('can be undone once %s has refused it', async (step) => {
      const fake = await deployed();
      await handle(update(step, {}, other), fake.ports);
      expect(fake.answers.map(({ Status }) => Status)).toEqual(['SUCCESS']);
    });
  });

  test('of a resource whose id does not say what it is for is compared with the properties before', async () => {
    const fake = new FakePorts();
    const former = { ...from({ Tier: 'ost' }), PhysicalResourceId: 'ost/first' };
    expect(await handle(former, fake.ports)).toMatchObject({ status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain('the tier changes from ost to oss');
  });

  test('that adds no slot does not wait for servers that are down', async () => {
    const fake = await deployed();
    expect(await handle(from({ TimeoutSeconds: '600' }), fake.ports)).toEqual({
      did: 'answered',
      status: 'SUCCESS',
    });
    expect(fake.started[0]!.input.answer).toBeUndefined();
  });

  test('that adds a slot waits until it is served', async () => {
    const fake = await deployed();
    const grown = from({ Slots: [slot(0), slot(1)] }, [slot(0), slot(1), slot(2)]);
    expect(await handle(grown, fake.ports)).toEqual({ did: 'started' });
    expect(fake.started[0]!.input.answer).toBeDefined();
  });
});

describe('the seeding before the group changes', () => {
  test('writes the rows and answers at once: the group may need them to come up', async () => {
    const fake = new FakePorts();
    expect(await handle(seeding('Create'), fake.ports)).toEqual({ did: 'answered', status: 'SUCCESS' });
    expect([fake.rows.size, fake.started.length]).toEqual([2, 0]);
    expect(fake.answers[0]).toMatchObject({ PhysicalResourceId: 'oss-map/request/table' });
  });

  test('refuses a smaller tier before it costs a server', async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    use(fake, 'oss-01');
    expect(await handle(seeding('Update', [slot(0)]), fake.ports)).toMatchObject({ status: 'FAILED' });
    expect(fake.rows.get('oss-01')!.released).toBe(false);
  });

  test('lets the rows go when a creation is rolled back that never came to the servers', async () => {
    const fake = new FakePorts();
    await handle(seeding('Create'), fake.ports);
    await handle(seeding('Delete'), fake.ports);
    expect([...fake.rows.values()].map((row) => row.released)).toEqual([true, true]);
    expect(fake.started).toEqual([]);
  });
});

describe('the id of a resource', () => {
  test('is that of its creation, also of one that fails', async () => {
    const fake = Object.assign(new FakePorts(), { tableExists: false });
    await handle(request('Create', undefined, { RequestId: 'first' }), fake.ports);
    expect(fake.answers).toEqual([
      expect.objectContaining({ Status: 'FAILED', PhysicalResourceId: 'oss/first/table' }),
    ]);
  });

  test('stays for its life', async () => {
    const fake = new FakePorts();
    const update = { RequestId: 'later', PhysicalResourceId: 'oss/first' };
    await handle(request('Update', undefined, update), fake.ports);
    expect(fake.started[0]!.input.answer).toMatchObject({ PhysicalResourceId: 'oss/first' });
    const before = request('Update', undefined, { ...update, PhysicalResourceId: 'oss' });
    await handle(before, fake.ports);
    expect(fake.started[1]!.input.answer).toMatchObject({ PhysicalResourceId: 'oss' });
  });

  test('is told to the map, unless it is not from here', async () => {
    const fake = new FakePorts();
    const told: SeedRequest[] = [];
    const ports = {
      ...fake.ports,
      seeds: (_: string, __: string, about: SeedRequest) => fake.told(about, told),
    };
    await handle(request('Create'), ports);
    await handle(request('Delete', undefined, { PhysicalResourceId: 'stack-Served-1A2B' }), ports);
    expect(told).toMatchObject([
      { step: 'serve', physicalId: 'oss/request/table', deletes: false },
      { step: 'serve', physicalId: undefined, deletes: true },
    ]);
  });

  test.each([
    ['with the time of its signature', '?X-Amz-Date=20220729T203732Z&X-Amz-Expires=7200', 1_659_127_052_000],
    ['with a signature without a time', '?Expires=1549075566&Signature=x', undefined],
    ['with a time that is none', '?X-Amz-Date=yesterday', undefined],
    ['without a signature', '', undefined],
  ])('and when CloudFormation made it, by the address of the answer: %s', async (_, query, sentAt) => {
    const fake = new FakePorts();
    const told: SeedRequest[] = [];
    const ports = {
      ...fake.ports,
      seeds: (_table: string, _tier: string, about: SeedRequest) => fake.told(about, told),
    };
    await handle(request('Create', undefined, { ResponseURL: `https://answers.example/x${query}` }), ports);
    await handle(request('Delete', undefined, { ResponseURL: `https://answers.example/x${query}` }), ports);
    expect(told.map((about) => about.sentAt)).toEqual([sentAt, sentAt]);
  });
});

describe('delete', () => {
  test('releases the slots and answers at once', async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    expect(await handle(request('Delete'), fake.ports)).toEqual({ did: 'answered', status: 'SUCCESS' });
    expect([...fake.rows.values()].map((row) => row.released)).toEqual([true, true]);
  });

  test('leaves slots alone that another resource has taken over', async () => {
    const fake = new FakePorts();
    await handle(request('Create'), fake.ports);
    const renamed = request('Create', undefined, { LogicalResourceId: 'Renamed' });
    Object.assign(renamed.ResourceProperties, { SeededFor: 'tier-under-another-name' });
    await handle(renamed, fake.ports);
    await handle(request('Delete'), fake.ports);
    expect([...fake.rows.values()].map((row) => row.released)).toEqual([false, false]);
  });

  test.each([
    ['the table is gone', { tableExists: false }, {}],
    ['the create had failed for its properties', {}, { ResourceProperties: {} }],
  ])('succeeds when %s', async (_name, more, event) => {
    const fake = Object.assign(new FakePorts(), more);
    expect(await handle(request('Delete', undefined, event), fake.ports)).toMatchObject({
      status: 'SUCCESS',
    });
  });
});

describe('the workflow’s last step', () => {
  const answer = { ...request('Create'), PhysicalResourceId: 'oss' };

  test('tells CloudFormation that all is served', async () => {
    const fake = new FakePorts();
    await handle({ action: 'answer', answer, result: { outcome: 'served' } }, fake.ports);
    expect(fake.answers).toEqual([expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'oss' })]);
  });

  test('or which slots are not, and why', async () => {
    const fake = new FakePorts();
    const slots = [
      { slot: 'oss-00', phase: 'served' },
      { slot: 'oss-01', phase: 'blocked', reason: 'found data that is not its own' },
    ];
    await handle({ action: 'answer', answer, result: { outcome: 'out-of-time', slots } }, fake.ports);
    expect(fake.answers[0]).toMatchObject({ Status: 'FAILED' });
    expect(fake.answers[0]!.Reason).toContain('oss-01: found data that is not its own');
    expect(fake.answers[0]!.Reason).not.toContain('oss-00');
  });

  test('says of a slot that is served what keeps it from counting', async () => {
    const fake = new FakePorts();
    const slots = [
      { slot: 'oss-00', phase: 'served', reason: 'owner i-1 is Standby' },
      { slot: 'oss-01', phase: 'served' },
    ];
    await handle({ action: 'answer', answer, result: { outcome: 'out-of-time', slots } }, fake.ports);
    expect(fake.answers[0]!.Reason).toContain('Not served: oss-00: owner i-1 is Standby');
    expect(fake.answers[0]!.Reason).not.toContain('oss-01');
  });
});

test.each([
  ['nothing', undefined],
  ['an event of something else', { Records: [] }],
  ['no address', { RequestType: 'Create' }],
  ['an address that is none', { ...request('Create'), ResponseURL: 'file:///etc/passwd' }],
  ['an answer to nobody', { action: 'answer', answer: {} }],
])('a malformed event is logged and harmless: %s', async (_name, event) => {
  const fake = new FakePorts();
  expect(await handle(event, fake.ports)).toEqual({ did: 'ignored' });
  expect([fake.rows.size, fake.started.length, fake.answers.length]).toEqual([0, 0, 0]);
});

describe('the answer', () => {
  const answers = (...statuses: (number | Error)[]) => {
    const calls: { headers: Headers; body: string }[] = [];
    const fetchUrl = async (url: string, init: RequestInit) => {
      const sent = new Request(url, init);
      calls.push({ headers: sent.headers, body: await sent.text() });
      const next = statuses.shift()!;
      if (next instanceof Error) throw next;
      return new Response(null, { status: next });
    };
    return { calls, port: new HttpAnswers(fetchUrl as typeof fetch, async () => undefined) };
  };

  test('carries no content type, which the signed address does not cover', async () => {
    const { calls, port } = answers(200);
    await port.put('https://answers.example/x', '{}');
    expect(calls[0]!.headers.has('content-type')).toBe(false);
    expect(calls[0]!.body).toBe('{}');
  });

  test('is sent again after a failure that may pass', async () => {
    const { calls, port } = answers(new Error('reset'), 503, 200);
    await port.put('https://answers.example/x', '{}');
    expect(calls).toHaveLength(3);
  });

  test('is given up when the address is refused, without telling it', async () => {
    const { calls, port } = answers(403, 200);
    await expect(port.put('https://answers.example/secret', '{}')).rejects.toThrow(/^(?!.*secret).*403/);
    expect(calls).toHaveLength(1);
  });
});
