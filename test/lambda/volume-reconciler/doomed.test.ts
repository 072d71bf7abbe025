import type { Action } from '../../../lambda/volume-reconciler/actions';
import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Member, Observation } from '../../../lambda/volume-reconciler/ports';
import { isConverged, metricsOf } from '../../../lambda/volume-reconciler/result';
import { BEAT_MS } from '../../../lambda/volume-reconciler/settings';
import { row, SETTINGS } from './settings';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const TIER = { ...SETTINGS, slots: ['oss-00'] };
const VOLUMES = ['vol-0', 'vol-1'].map((volumeId, index) => ({ volumeId, device: `/dev/sd${'fg'[index]}` }));

/** A slot that `i-1` has, with what of it EC2 would delete with the instance. */
interface Seen {
  readonly doomed?: readonly string[];
  readonly state?: string;
  readonly lifecycle?: string;
  readonly served?: boolean;
  readonly released?: boolean;
  readonly beatAt?: number;
  /** The instance that has it all. */
  readonly holder?: string;
}

function tier({
  doomed = [],
  state = 'running',
  lifecycle = 'InService',
  served = true,
  released = false,
  beatAt = NOW,
  holder = 'i-1',
}: Seen): Observation {
  const at = '2026-01-01T10:00:00Z';
  const slot = {
    ...row('oss-00', 'eni-0', VOLUMES),
    owner: 'i-1',
    epoch: 1,
    servedEpoch: served ? 1 : 0,
    formatted: true,
    released,
    phase: served ? ('served' as const) : ('attaching' as const),
    claimedAt: at,
    timeline: { claimed: at, completed: at },
  };
  const held = { instanceId: holder, state: 'attached' };
  const member: Member = { instanceId: 'i-1', lifecycle, healthy: true };
  const instance = { id: 'i-1', state, zone: 'a', launchedAt: Date.parse(at) };
  const deleteOnTermination = (id: string) => doomed.includes(id);
  return {
    now: NOW,
    beatAt,
    rows: { slots: [slot], owners: [{ instanceId: 'i-1', slot: 'oss-00', epoch: 1 }], broken: [] },
    members: [member],
    instances: [instance],
    volumes: VOLUMES.map(({ volumeId: id, device }) => ({
      id,
      state: 'in-use',
      zone: 'a',
      attachments: [{ ...held, device, deleteOnTermination: deleteOnTermination(id) }],
      formatted: true,
      fromSnapshot: false,
    })),
    interfaces: [
      {
        id: 'eni-0',
        status: 'in-use',
        zone: 'a',
        attachment: { ...held, id: 'attach-0', deleteOnTermination: deleteOnTermination('eni-0') },
      },
    ],
    commands: {},
  };
}

const actionsOf = (seen: Seen): Action[] => {
  const decision = decide(tier(seen), TIER);
  return [...decision.slots.flatMap((slot) => slot.actions), ...decision.actions];
};
const doomedIn = (seen: Seen) => metricsOf(decide(tier(seen), TIER), 1).AttachmentsNotKept;
const KEEP = [
  {
    kind: 'keep-volumes',
    instanceId: 'i-1',
    volumeIds: ['vol-0', 'vol-1'],
    devices: ['/dev/sdf', '/dev/sdg'],
  },
  { kind: 'keep-interface', instanceId: 'i-1', interfaceId: 'eni-0', attachmentId: 'attach-0' },
];
const ALL = ['vol-0', 'vol-1', 'eni-0'];

test('what outlives its server is left alone', () => {
  expect(actionsOf({})).toEqual([]);
  expect(doomedIn({})).toBe(0);
});

test('what would be deleted with its server is kept, with one call for all volumes, and counted', () => {
  expect(actionsOf({ doomed: ALL })).toEqual(KEEP);
  expect(actionsOf({ doomed: ['vol-1'] })).toEqual([
    { kind: 'keep-volumes', instanceId: 'i-1', volumeIds: ['vol-1'], devices: ['/dev/sdg'] },
  ]);
  expect(doomedIn({ doomed: ALL })).toBe(3);
});

test('a tier in which only that is to be done is served: what is refused for ever keeps no deployment waiting', () => {
  const decision = decide(tier({ doomed: ALL }), TIER);
  const applied = decision.actions.map((action) => ({ action, text: '', done: false, advanced: false }));
  expect(applied).toHaveLength(2);
  expect(isConverged(decision, applied)).toBe(true);
});

test('a server that the group terminates waits until what it has is kept, however long that takes', () => {
  const goes = { kind: 'complete', instanceId: 'i-1', hook: 'let-go', result: 'CONTINUE' };
  const leaving = { lifecycle: 'Terminating:Wait' };
  const has = (seen: Seen) => actionsOf({ ...leaving, ...seen });
  expect(has({})).toContainEqual(expect.objectContaining(goes));
  expect(has({ doomed: ['vol-1'] })).not.toContainEqual(expect.objectContaining(goes));
  expect(has({ doomed: ['eni-0'] })).not.toContainEqual(expect.objectContaining(goes));
  expect(has({ doomed: ['vol-1'] })).toContainEqual(expect.objectContaining({ kind: 'keep-volumes' }));
  const waits = { kind: 'heartbeat', instanceIds: ['i-1'], hook: 'let-go' };
  expect(has({ doomed: ['vol-1'] })).not.toContainEqual(waits);
  expect(has({ doomed: ['vol-1'], beatAt: NOW - BEAT_MS })).toContainEqual(waits);
});

test('so does that of a tier which is let go: its volumes are to be kept all the more', () => {
  const actions = actionsOf({ lifecycle: 'Terminating:Wait', released: true, doomed: ALL });
  expect(actions).toEqual(KEEP);
});

test('no launch is given up that would take something with it', () => {
  const late = { lifecycle: 'Pending:Wait', served: false };
  const ended = { kind: 'complete', result: 'ABANDON' };
  // Its claim was two hours ago, and it has an hour.
  expect(actionsOf({ ...late, holder: 'i-9' })).toContainEqual(expect.objectContaining(ended));
  const nobody = actionsOf({ ...late, state: 'stopped', doomed: ALL });
  expect(nobody).not.toContainEqual(expect.objectContaining(ended));
  expect(nobody).toEqual(expect.arrayContaining(KEEP));
});

test('of a server whose end has begun nothing can be kept, and nobody waits for it', () => {
  const actions = actionsOf({ lifecycle: 'Terminating:Wait', state: 'shutting-down', doomed: ALL });
  expect(actions.map(({ kind }) => kind)).not.toContain('keep-volumes');
  expect(actions).toContainEqual(expect.objectContaining({ kind: 'complete', hook: 'let-go' }));
  expect(doomedIn({ state: 'shutting-down', doomed: ALL })).toBe(3);
  expect(doomedIn({ state: 'terminated', doomed: ALL })).toBe(0);
});

test('what hangs on an instance that is none of the tier’s is counted, and left to a person', () => {
  expect(actionsOf({ holder: 'i-9', doomed: ALL }).map(({ kind }) => kind)).not.toContain('keep-volumes');
  expect(doomedIn({ holder: 'i-9', doomed: ALL })).toBe(3);
});
