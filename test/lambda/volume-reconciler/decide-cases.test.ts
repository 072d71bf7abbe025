import type { SlotRow } from '../../../lambda/shared/map';
import type { Action } from '../../../lambda/volume-reconciler/actions';
import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Observation } from '../../../lambda/volume-reconciler/ports';
import { metricsOf } from '../../../lambda/volume-reconciler/result';
import { row, SETTINGS } from './settings';

const NOW = Date.parse('2026-01-01T12:00:00Z');

describe('what people did by hand', () => {
  const base = (): Observation => ({
    now: NOW,
    beatAt: NOW,
    rows: { slots: [], owners: [], broken: [] },
    members: [{ instanceId: 'i-1', lifecycle: 'InService', healthy: true }],
    instances: [{ id: 'i-1', state: 'running', zone: 'a', launchedAt: NOW }],
    volumes: [
      { id: 'vol-0', state: 'available', zone: 'a', attachments: [], formatted: true, fromSnapshot: false },
    ],
    interfaces: [{ id: 'eni-0', status: 'available', zone: 'a' }],
    commands: {},
  });
  const slot = () => row('oss-00', 'eni-0', [{ volumeId: 'vol-0', device: '/dev/sdf' }]);

  test('a deleted row is named and nothing is guessed', () => {
    const seen = { ...base(), rows: { slots: [slot()], owners: [], broken: [] } };
    const missing = decide(seen, SETTINGS).slots.find((each) => each.slot === 'oss-01');
    expect(missing).toMatchObject({ phase: 'blocked', actions: [] });
    expect(missing?.reason).toContain('no row in the map');
  });

  test('a server that serves and was put on standby says so in the row, until it is back', () => {
    const at = { instanceId: 'i-1', state: 'attached' };
    const owned = { ...slot(), owner: 'i-1', epoch: 1, servedEpoch: 1, phase: 'served' as const };
    const look = (lifecycle: string, reason?: string) => {
      const rows = { slots: [{ ...owned, reason, timeline: { completed: 'x' } }], owners: [], broken: [] };
      const members = [{ instanceId: 'i-1', lifecycle, healthy: true }];
      const volumes = [{ ...base().volumes[0]!, state: 'in-use', attachments: [at] }];
      const interfaces = [{ ...base().interfaces[0]!, status: 'in-use', attachment: { id: 'a', ...at } }];
      return decide({ ...base(), rows, members, volumes, interfaces }, SETTINGS).slots[0]!;
    };
    const reason = 'owner i-1 is Standby';
    expect(look('Standby')).toMatchObject({
      settled: false,
      actions: [{ kind: 'annotate', note: { reason } }],
    });
    expect(look('Standby', reason).actions).toEqual([]);
    const [back] = look('InService', reason).actions;
    expect(back).toMatchObject({ kind: 'annotate', note: { phase: 'served', reason: undefined } });
    expect(look('EnteringStandby').actions).toEqual([]);
  });

  test('a row without owner, while an owner item names its slot, is not claimed', () => {
    const seen = base();
    const rows = { slots: [slot()], owners: [{ instanceId: 'i-9', slot: 'oss-00', epoch: 3 }], broken: [] };
    const [first] = decide({ ...seen, rows }, SETTINGS).slots;
    expect(first).toMatchObject({ phase: 'blocked' });
    expect(first!.actions.map((action) => action.kind)).toEqual(['annotate']);
  });

  test('an owner item that such an edit has left, of an earlier epoch, keeps nobody from the slot', () => {
    const owners = [
      { instanceId: 'i-8', slot: 'oss-00', epoch: 3 },
      { instanceId: 'i-9', slot: 'oss-00', epoch: 4 },
    ];
    const claims = (epoch: number) => {
      const rows = { slots: [{ ...slot(), epoch }], owners, broken: [] };
      return decide({ ...base(), rows }, SETTINGS).slots[0]!.actions.map(({ kind }) => kind);
    };
    expect(claims(5)).toEqual(['claim']);
    expect(claims(4)).toEqual(['annotate']);
  });

  describe('one of a server that could serve', () => {
    const seen = (slots: object[], owners = [{ instanceId: 'i-1', slot: 'oss-01', epoch: 3 }]) =>
      decide({ ...base(), rows: { slots, owners, broken: [] } as never }, SETTINGS).slots[0]!;
    const other = { ...slot(), slot: 'oss-01', volumes: [], networkInterfaceId: 'eni-2' };

    test('keeps that server from every slot, and the vacant one says so', () => {
      const reason =
        'owner#i-1 names slot oss-01 at epoch 3, which it has lost, and keeps that server from ' +
        'serving: delete that row';
      const decision = seen([slot(), { ...other, epoch: 5 }]);
      expect(decision).toMatchObject({ phase: 'blocked', actions: [{ kind: 'annotate', note: { reason } }] });
      // The row is deleted, and its server has gone since: the reason goes with it.
      const rows = { slots: [{ ...slot(), phase: 'blocked' as const, reason }], owners: [], broken: [] };
      const [after] = decide({ ...base(), rows, members: [] }, SETTINGS).slots;
      expect(after).toMatchObject({ phase: 'vacant', reason: undefined });
    });

    test('says nothing of the row of an owner, of a row that is gone, or of a server that could not serve', () => {
      for (const slots of [[slot(), { ...other, epoch: 3, owner: 'i-1' }], [slot()]])
        expect(seen(slots)).toMatchObject({ phase: 'vacant', actions: [] });
      const members = [{ instanceId: 'i-1', lifecycle: 'Terminating:Wait', healthy: true }];
      const rows = {
        slots: [slot(), { ...other, epoch: 5 }],
        owners: [{ instanceId: 'i-1', slot: 'oss-01', epoch: 3 }],
        broken: [],
      };
      expect(decide({ ...base(), rows, members }, SETTINGS).slots[0]!.phase).toBe('vacant');
    });
  });

  test('a stopped owner that the group does not show is released only when that answer cannot be old', () => {
    const seen = { ...base(), members: [], instances: [{ ...base().instances[0]!, state: 'stopped' }] };
    const kinds = (minutes: number) => {
      const claimedAt = new Date(NOW - minutes * 60_000).toISOString();
      const owned = { ...slot(), owner: 'i-1', epoch: 1, claimedAt };
      const rows = { slots: [owned], owners: [{ instanceId: 'i-1', slot: 'oss-00', epoch: 1 }], broken: [] };
      return decide({ ...seen, rows }, SETTINGS).slots[0]!.actions.map((action) => action.kind);
    };
    expect(kinds(14)).not.toContain('release');
    expect(kinds(16)).toContain('release');
  });

  test('an owner that EC2 does not mention gets a time to count from, if nobody knows when it got the slot', () => {
    const owned = { ...slot(), owner: 'i-9', epoch: 1, phase: 'attaching' as const };
    const reason = 'owner i-9 is not seen yet';
    const actionsOf = (more: object) => {
      const rows = { slots: [{ ...owned, ...more }], owners: [], broken: [] };
      return decide({ ...base(), rows }, SETTINGS).slots[0]!.actions;
    };
    expect(actionsOf({})).toMatchObject([{ kind: 'annotate', undated: true }]);
    expect(actionsOf({ reason })).toMatchObject([{ kind: 'annotate', undated: true }]);
    expect(actionsOf({ reason, claimedAt: 'yesterday' })).toMatchObject([
      { kind: 'annotate', undated: true },
    ]);
    expect(actionsOf({ reason, claimedAt: new Date(NOW).toISOString() })).toEqual([]);
  });

  test('an owner that EC2 has forgotten, with something attached, is for a person, once answers cannot be old', () => {
    const owned = { ...slot(), owner: 'i-9', epoch: 1, phase: 'attaching' as const };
    const volumes = [
      { ...base().volumes[0]!, state: 'in-use', attachments: [{ instanceId: 'i-9', state: 'attached' }] },
    ];
    const look = (minutes: number, more: Partial<Observation> = {}) => {
      const claimedAt = new Date(NOW - minutes * 60_000).toISOString();
      const rows = { slots: [{ ...owned, claimedAt }], owners: [], broken: [] };
      return decide({ ...base(), rows, volumes, ...more }, SETTINGS).slots[0]!;
    };
    expect(look(14)).toMatchObject({ phase: 'attaching', reason: 'owner i-9 is not seen yet' });
    expect(look(16)).toMatchObject({
      phase: 'blocked',
      reason: 'EC2 does not know the owner i-9, to which vol-0 is attached; detach it, without force',
      actions: [{ kind: 'annotate' }],
    });
    const members = [{ instanceId: 'i-9', lifecycle: 'InService', healthy: true }];
    expect(look(16, { members }).phase).toBe('attaching');
    expect(look(16, { volumes: base().volumes }).actions).toMatchObject([{ kind: 'release' }]);
  });

  test('two rows with the same owner are both left alone', () => {
    const rows = {
      slots: [
        { ...slot(), owner: 'i-1', epoch: 1 },
        { ...slot(), slot: 'oss-01', owner: 'i-1', epoch: 1 },
      ],
      owners: [],
      broken: [],
    };
    const { slots } = decide({ ...base(), rows }, SETTINGS);
    expect(slots.map((each) => [each.phase, each.actions])).toEqual([
      ['blocked', []],
      ['blocked', []],
    ]);
  });

  test('two rows with the same owner are both released when it is terminated', () => {
    const rows = {
      slots: [
        { ...slot(), owner: 'i-1', epoch: 1 },
        { ...slot(), slot: 'oss-01', owner: 'i-1', epoch: 4 },
      ],
      owners: [{ instanceId: 'i-1', slot: 'oss-00', epoch: 1 }],
      broken: [],
    };
    const instances = [{ ...base().instances[0]!, state: 'terminated' }];
    const { slots } = decide({ ...base(), rows, instances, members: [] }, SETTINGS);
    const releases = slots.flatMap((each) => each.actions);
    expect(releases).toMatchObject([
      { kind: 'release', claim: { slot: 'oss-00', epoch: 1 }, keepsOwnerRow: false },
      { kind: 'release', claim: { slot: 'oss-01', epoch: 4 }, keepsOwnerRow: true },
    ]);
  });

  test('an epoch that was set back does not make a slot look served', () => {
    const owned = { ...slot(), owner: 'i-1', epoch: 0, servedEpoch: 0 };
    const rows = { slots: [owned], owners: [{ instanceId: 'i-1', slot: 'oss-00', epoch: 1 }], broken: [] };
    const held = { state: 'in-use', attachments: [{ instanceId: 'i-1', state: 'attached' }] };
    const volumes = [{ ...base().volumes[0]!, ...held }];
    const attachment = { id: 'eni-attach-0', instanceId: 'i-1', state: 'attached' };
    const interfaces = [{ ...base().interfaces[0]!, status: 'in-use', attachment }];
    const members = [{ instanceId: 'i-1', lifecycle: 'Pending:Wait', healthy: true }];
    const { slots, actions } = decide({ ...base(), rows, volumes, interfaces, members }, SETTINGS);
    expect(slots[0]).toMatchObject({ phase: 'blocked', settled: false, actions: [] });
    expect(slots[0]?.reason).toBe('its epoch is 0, that of owner#i-1 is 1: the map was edited by hand');
    expect(actions).not.toContainEqual(expect.objectContaining({ kind: 'complete' }));
  });

  test('a volume on a living stranger stays there', () => {
    const seen = base();
    const volumes = [
      { ...seen.volumes[0]!, state: 'in-use', attachments: [{ instanceId: 'i-7', state: 'attached' }] },
    ];
    const rows = { slots: [slot()], owners: [], broken: [] };
    const [first] = decide({ ...seen, volumes, rows }, SETTINGS).slots;
    expect(first).toMatchObject({ phase: 'blocked', reason: expect.stringContaining('i-7') });
    expect(first!.actions.map((action) => action.kind)).toEqual(['annotate']);
  });
});

describe('formatting', () => {
  const mayFormat = (slot: object, volume: object): boolean => {
    const [mine, other] = ['vol-0', 'vol-1'].map((volumeId) => ({ volumeId, device: '/dev/sdf' }));
    const seen: Observation = {
      now: NOW,
      beatAt: NOW,
      rows: {
        slots: [
          {
            ...row('oss-00', 'eni-0', [mine!, other!]),
            owner: 'i-1',
            epoch: 1,
            claimedAt: new Date(NOW).toISOString(),
            ...slot,
          },
        ],
        owners: [],
        broken: [],
      },
      members: [{ instanceId: 'i-1', lifecycle: 'Pending:Wait', healthy: true }],
      instances: [{ id: 'i-1', state: 'running', zone: 'a', launchedAt: NOW }],
      volumes: ['vol-0', 'vol-1'].map((volumeId) => ({
        id: volumeId,
        state: 'in-use',
        zone: 'a',
        attachments: [{ instanceId: 'i-1', state: 'attached' }],
        formatted: false,
        fromSnapshot: false,
        ...(volumeId === 'vol-1' ? volume : {}),
      })),
      interfaces: [
        {
          id: 'eni-0',
          status: 'in-use',
          zone: 'a',
          attachment: { id: 'a', instanceId: 'i-1', state: 'attached' },
        },
      ],
      commands: {},
    };
    const actions = decide(seen, SETTINGS).slots.flatMap((each) => each.actions);
    const tell = actions.find(
      (action): action is Extract<Action, { kind: 'tell' }> => action.kind === 'tell',
    );
    return tell!.order.mayFormat;
  };

  test('is allowed while every witness says that there is no data', () => {
    expect(mayFormat({}, {})).toBe(true);
  });

  test.each([
    ['the row', { formatted: true }, {}],
    ['the tag of one volume', {}, { formatted: true }],
    ['the snapshot of one volume', {}, { fromSnapshot: true }],
  ])('is forbidden by %s alone', (_name, slot, volume) => {
    expect(mayFormat(slot, volume)).toBe(false);
  });
});

test('a tier that is let go counts as not served: nothing of it is repaired any more', () => {
  const slots = ['oss-00', 'oss-01'].map((name) => ({
    ...row(name, `eni-${name}`, [{ volumeId: `vol-${name}`, device: '/dev/sdf' }]),
    phase: 'served' as const,
    released: true,
  }));
  const seen = {
    now: NOW,
    beatAt: NOW,
    members: [],
    instances: [],
    volumes: [],
    interfaces: [],
    commands: {},
  };
  const decision = decide({ ...seen, rows: { slots, owners: [], broken: [] } }, SETTINGS);
  expect(decision.released).toBe(true);
  expect(metricsOf(decision, SETTINGS.slots.length)).toMatchObject({ ServedSlots: 0, UnservedSlots: 2 });
});

describe('a server in service that has a slot whose update was undone', () => {
  const steps = (about: Partial<SlotRow>, healthy = true): Action[] => {
    const volumes = [{ volumeId: 'vol-2', device: '/dev/sdf' }];
    const undone = { ...row('oss-02', 'eni-2', volumes), owner: 'i-1', epoch: 1, released: true, ...about };
    const kept = ['oss-00', 'oss-01'].map((name) => row(name, `eni-${name}`, volumes));
    const seen: Observation = {
      now: NOW,
      beatAt: NOW,
      rows: { slots: [...kept, undone], owners: [], broken: [] },
      members: [{ instanceId: 'i-1', lifecycle: 'InService', healthy }],
      instances: [{ id: 'i-1', state: 'running', zone: 'a', launchedAt: NOW }],
      volumes: [],
      interfaces: [],
      commands: {},
    };
    return decide(seen, SETTINGS).actions;
  };

  test('is replaced, for it could never have another', () => {
    expect(steps({})).toMatchObject([{ kind: 'mark-unhealthy', instanceId: 'i-1' }]);
    expect(steps({}, false)).toEqual([]);
  });

  test.each([{ formatted: true }, { formatOffered: true }, { servedEpoch: 1 }])(
    'is left alone where clients may have data: %j',
    (about) => {
      expect(steps(about)).toEqual([]);
    },
  );
});
