import type { Action } from '../../../lambda/volume-reconciler/actions';
import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Observation } from '../../../lambda/volume-reconciler/ports';
import { MISSING_OWNER_GONE_MS, type Settings } from '../../../lambda/volume-reconciler/settings';
import { upTo } from '../../helpers/exhaustive';
import fc from '../../helpers/fast-check';
import { row, SETTINGS } from './settings';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const IDS = ['i-1', 'i-2', 'i-3', 'i-4'];
const id = fc.constantFrom(...IDS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const attachment = maybe(
  fc.record({
    id: fc.constant('attach-1'),
    instanceId: id,
    state: fc.constantFrom('attaching', 'attached', 'detaching', 'busy'),
  }),
);
const time = fc.integer({ min: 0, max: 7200 }).map((seconds) => new Date(NOW - seconds * 1000).toISOString());

/** Anything that describes and a map could show, consistent or not. */
const observation: fc.Arbitrary<Observation> = fc
  .record({
    states: fc.array(
      fc.constantFrom('absent', 'pending', 'running', 'shutting-down', 'terminated', 'stopping', 'stopped'),
      { minLength: 4, maxLength: 4 },
    ),
    lifecycles: fc.array(
      fc.constantFrom(
        'none',
        'Pending',
        'Pending:Wait',
        'InService',
        'Standby',
        'Terminating:Wait',
        'Terminating',
      ),
      { minLength: 4, maxLength: 4 },
    ),
    ages: fc.array(fc.integer({ min: 0, max: 7200 }), { minLength: 4, maxLength: 4 }),
    healthy: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    owners: fc.array(maybe(id), { minLength: 2, maxLength: 2 }),
    ownerRows: fc.array(
      fc.record({ instanceId: id, slot: fc.constantFrom('oss-00', 'oss-01'), epoch: fc.nat(3) }),
      {
        maxLength: 3,
      },
    ),
    epochs: fc.array(fc.nat(3), { minLength: 2, maxLength: 2 }),
    served: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    formatted: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    released: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    claimedAt: fc.array(maybe(time), { minLength: 2, maxLength: 2 }),
    attachments: fc.array(attachment, { minLength: 4, maxLength: 4 }),
    tagged: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    commands: fc.array(
      maybe(
        fc.record({
          state: fc.constantFrom('unknown', 'pending', 'success', 'failed', 'undelivered'),
          exitCode: maybe(fc.constantFrom(0, 1, 3, 4, 75)),
        }),
      ),
      { minLength: 2, maxLength: 2 },
    ),
    sentAt: fc.array(maybe(time), { minLength: 2, maxLength: 2 }),
  })
  .map((seen) => ({
    now: NOW,
    beatAt: 0,
    rows: {
      slots: [0, 1].map((index) => {
        const owner = seen.owners[index];
        const epoch = owner ? seen.epochs[index]! + 1 : seen.epochs[index]!;
        const sentAt = seen.sentAt[index];
        return {
          ...row(`oss-0${index}`, `eni-${index}`, [{ volumeId: `vol-${index}`, device: '/dev/sdf' }]),
          owner,
          epoch,
          claimedAt: seen.claimedAt[index],
          servedEpoch: seen.served[index] ? epoch : 0,
          formatted: seen.formatted[index]!,
          released: seen.released[index]!,
          command: sentAt ? { id: 'c', epoch, sentAt, attempts: 1, failures: 0, unsent: false } : undefined,
        };
      }),
      owners: seen.ownerRows,
      broken: [],
    },
    members: IDS.flatMap((instanceId, index) =>
      seen.lifecycles[index] === 'none'
        ? []
        : [{ instanceId, lifecycle: seen.lifecycles[index]!, healthy: seen.healthy[index]! }],
    ),
    instances: IDS.flatMap((instanceId, index) =>
      seen.states[index] === 'absent'
        ? []
        : [
            {
              id: instanceId,
              state: seen.states[index]!,
              zone: 'a',
              launchedAt: NOW - seen.ages[index]! * 1000,
            },
          ],
    ),
    volumes: [0, 1].map((index) => ({
      id: `vol-${index}`,
      state: seen.attachments[index] ? 'in-use' : 'available',
      zone: 'a',
      attachments: seen.attachments[index] ? [seen.attachments[index]] : [],
      formatted: seen.tagged[index]!,
      fromSnapshot: false,
    })),
    interfaces: [0, 1].map((index) => ({
      id: `eni-${index}`,
      status: seen.attachments[index + 2] ? 'in-use' : 'available',
      zone: 'a',
      attachment: seen.attachments[index + 2],
    })),
    commands: { 'oss-00': seen.commands[0], 'oss-01': seen.commands[1] } as Observation['commands'],
  }));

const all = (seen: Observation, settings = SETTINGS): Action[] => {
  const decision = decide(seen, settings);
  return [...decision.slots.flatMap((slot) => slot.actions), ...decision.actions];
};
const of = <K extends Action['kind']>(actions: Action[], kind: K) =>
  actions.filter((action): action is Extract<Action, { kind: K }> => action.kind === kind);
const stateOf = (seen: Observation, instanceId: string) =>
  seen.instances.find((instance) => instance.id === instanceId)?.state;
const slotOf = (seen: Observation, slot: string) => seen.rows.slots.find((each) => each.slot === slot)!;

const holds = (name: string, check: (seen: Observation, actions: Action[], settings: Settings) => void) =>
  test(name, () => {
    fc.assert(
      fc.property(observation, fc.nat(1), (seen, spareServers) => {
        const settings = { ...SETTINGS, spareServers };
        check(seen, all(seen, settings), settings);
      }),
      { numRuns: upTo(3000, 600) },
    );
  });

describe('whatever is seen', () => {
  holds('nothing is detached from an instance that is not seen terminated', (seen, actions) => {
    const steps = [...of(actions, 'detach-volume'), ...of(actions, 'detach-interface')];
    for (const step of steps) expect(stateOf(seen, step.instanceId)).toBe('terminated');
  });

  holds('a slot is released only by an owner that can never write again', (seen, actions) => {
    for (const { claim } of of(actions, 'release')) {
      const state = stateOf(seen, claim.owner);
      const { claimedAt } = slotOf(seen, claim.slot);
      if (state === 'terminated') continue;
      expect(seen.members?.map((member) => member.instanceId)).not.toContain(claim.owner);
      const held = [
        ...seen.volumes.flatMap((volume) => volume.attachments),
        ...seen.interfaces.map((nic) => nic.attachment),
      ];
      const own = held.filter((each) => each?.instanceId === claim.owner);
      const ofSlot = own.filter((each) => {
        const index = claim.slot === 'oss-00' ? 0 : 1;
        return each === seen.volumes[index]!.attachments[0] || each === seen.interfaces[index]!.attachment;
      });
      expect(ofSlot).toEqual([]);
      if (state === undefined) expect(NOW - Date.parse(claimedAt!)).toBeGreaterThan(MISSING_OWNER_GONE_MS);
      else expect(state).toBe('stopped');
    }
  });

  holds(
    'no instance is claimed for two slots, no slot that has an owner, none that is released',
    (seen, actions) => {
      const claims = of(actions, 'claim').map((action) => action.claim);
      expect(new Set(claims.map((claim) => claim.owner)).size).toBe(claims.length);
      for (const claim of claims) {
        const slot = slotOf(seen, claim.slot);
        expect(slot).toMatchObject({ owner: undefined, released: false, epoch: claim.epoch });
        expect(seen.rows.owners.map((owner) => owner.instanceId)).not.toContain(claim.owner);
        expect(seen.rows.slots.map((each) => each.owner)).not.toContain(claim.owner);
        expect(stateOf(seen, claim.owner)).toBe('running');
      }
    },
  );

  holds('volumes and interfaces are attached to the owner only, from nowhere', (seen, actions) => {
    for (const step of of(actions, 'attach-volume')) {
      expect(step.instanceId).toBe(slotOf(seen, step.slot).owner);
      expect(seen.volumes.find((volume) => volume.id === step.volumeId)?.attachments).toEqual([]);
    }
    for (const step of of(actions, 'attach-interface')) {
      expect(step.instanceId).toBe(slotOf(seen, step.slot).owner);
      expect(seen.interfaces.find((nic) => nic.id === step.interfaceId)?.attachment).toBeUndefined();
    }
  });

  holds('formatting is allowed only for what was never formatted, by row and by tag', (seen, actions) => {
    for (const { order } of of(actions, 'tell')) {
      const tagged = seen.volumes.some((volume) => order.volumeIds.includes(volume.id) && volume.formatted);
      if (slotOf(seen, order.slot).formatted || tagged) expect(order.mayFormat).toBe(false);
    }
  });

  holds('a host is told only while it runs and holds everything', (seen, actions) => {
    for (const { claim } of of(actions, 'tell')) {
      expect(stateOf(seen, claim.owner)).toBe('running');
      const index = claim.slot === 'oss-00' ? 0 : 1;
      expect(seen.volumes[index]!.attachments[0]).toMatchObject({
        instanceId: claim.owner,
        state: 'attached',
      });
      expect(seen.interfaces[index]!.attachment).toMatchObject({
        instanceId: claim.owner,
        state: 'attached',
      });
    }
  });

  holds(
    'a launch is completed only when its slot is served, or nothing waits for it',
    (seen, actions, settings) => {
      const decision = decide(seen, settings);
      for (const step of of(actions, 'complete')) {
        if (step.result !== 'CONTINUE' || step.hook !== SETTINGS.launchHook || decision.released) continue;
        const slot = seen.rows.slots.find((each) => each.owner === step.instanceId);
        if (slot) expect(slot.servedEpoch).toBe(slot.epoch);
        else if (settings.spareServers === 0) expect(decision.slots.every((each) => each.settled)).toBe(true);
        else expect(decision.slots.every((each) => each.owner !== undefined)).toBe(true);
      }
    },
  );

  holds('only a spare that took a slot and never served it is called unhealthy', (seen, actions) => {
    for (const { instanceId } of of(actions, 'mark-unhealthy')) {
      const slot = seen.rows.slots.find((each) => each.owner === instanceId)!;
      expect(slot.servedEpoch).not.toBe(slot.epoch);
      expect(seen.members).toContainEqual({ instanceId, lifecycle: 'InService', healthy: true });
    }
  });

  holds('a launch whose instance has ended or stops is abandoned and never kept waiting', (seen, actions) => {
    const ended = (seen.members ?? [])
      .filter(({ lifecycle }) => lifecycle === 'Pending:Wait')
      .map(({ instanceId }) => instanceId)
      .filter((each) =>
        ['shutting-down', 'terminated', 'stopping', 'stopped'].includes(stateOf(seen, each) ?? ''),
      );
    for (const { instanceIds } of of(actions, 'heartbeat'))
      expect(instanceIds.filter((each) => ended.includes(each))).toEqual([]);
    if (decide(seen, SETTINGS).released) return;
    const abandoned = of(actions, 'complete').filter(({ result }) => result === 'ABANDON');
    expect(abandoned.map(({ instanceId }) => instanceId)).toEqual(expect.arrayContaining(ended));
  });

  holds('a launch that EC2 does not show is not kept waiting', (seen, actions) => {
    for (const { instanceIds } of of(actions, 'heartbeat'))
      expect(instanceIds.filter((each) => stateOf(seen, each) === undefined)).toEqual([]);
  });

  holds('an instance gets at most one word about its lifecycle', (_seen, actions) => {
    const words = of(actions, 'complete').map((action) => `${action.hook} ${action.instanceId}`);
    expect(new Set(words).size).toBe(words.length);
  });

  holds('the same observation gives the same decision', (seen, actions, settings) => {
    expect(all(structuredClone(seen), settings)).toEqual(actions);
  });
});
