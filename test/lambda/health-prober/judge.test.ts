import { judge, probed } from '../../../lambda/health-prober/judge';
import type { Answer, TierState } from '../../../lambda/health-prober/ports';
import type { SlotRow } from '../../../lambda/shared/map';
import fc from '../../helpers/fast-check';
import {
  ago,
  answers,
  fails,
  group,
  NOW,
  PROGRAM,
  served,
  serverOf,
  settings,
  slotOf,
  tier,
  twiceMissed,
  withRows,
} from './tier';

const SILENT: Answer = { is: 'silent' };
const UNKNOWN: Answer = { is: 'unknown', why: 'its probe is DeliveryTimedOut' };

const of = (state: TierState, others: { [slot: string]: Answer } = {}, slots = state.rows.slots.length) =>
  judge(state, group(state), answers(state, others), NOW, settings(slots));

const misses = (judgement: ReturnType<typeof of>) =>
  Object.fromEntries(judgement.counts.map(({ claim, record }) => [claim.slot, record.misses]));

describe('a miss', () => {
  test('is counted when the host says that it does not serve', () => {
    const judgement = of(tier(2), { 'oss-00': fails('oss-00') });
    expect(judgement.counts).toEqual([
      {
        claim: { slot: 'oss-00', owner: 'i-oss-00', epoch: 2 },
        record: { epoch: 2, round: 7, misses: 1, at: new Date(NOW).toISOString() },
        why: 'nfsd does not answer',
      },
    ]);
    expect(judgement).toMatchObject({ missing: ['oss-00'], unknown: [], candidates: [] });
  });

  test('is counted when the host is silent while another one answers', () => {
    expect(misses(of(tier(2), { 'oss-00': SILENT }))).toEqual({ 'oss-00': 1 });
  });

  test('makes a candidate after as many rounds in a row as the settings say', () => {
    const judgement = of(withRows(tier(2), { 'oss-01': twiceMissed }), { 'oss-01': fails('oss-01') });
    expect(judgement.candidates.map(({ claim, record }) => [claim.slot, record.misses])).toEqual([
      ['oss-01', 3],
    ]);
  });

  test('is forgotten when the host serves again', () => {
    expect(misses(of(withRows(tier(2), { 'oss-01': twiceMissed })))).toEqual({ 'oss-01': 0 });
  });

  test('is counted once for a round, also by a run after one that died', () => {
    const counted = { 'oss-00': { probe: { epoch: 2, round: 7, misses: 2, at: ago(0) } } };
    expect(misses(of(withRows(tier(2), counted), { 'oss-00': fails('oss-00') }))).toEqual({ 'oss-00': 2 });
  });

  test.each([
    ['of an owner before', { epoch: 1, round: 6, misses: 2, at: ago(1) }],
    ['of long ago', { epoch: 2, round: 6, misses: 2, at: ago(10) }],
  ])('%s is no miss in a row', (_name, probe) => {
    expect(misses(of(withRows(tier(2), { 'oss-00': { probe } }), { 'oss-00': fails('oss-00') }))).toEqual({
      'oss-00': 1,
    });
  });

  test.each([1, 2])('is counted when the host knows no slot any more, of %i', (slots) => {
    const knowsNone: Answer = { is: 'fails', slot: '-', epoch: 0, said: 'this host knows no slot' };
    expect(of(tier(slots), { 'oss-00': knowsNone })).toMatchObject({
      missing: ['oss-00'],
      unknown: [],
      counts: [
        { claim: { slot: 'oss-00', epoch: 2 }, record: { misses: 1 }, why: 'this host knows no slot' },
      ],
    });
    const third = of(withRows(tier(slots), { 'oss-00': twiceMissed }), { 'oss-00': knowsNone });
    expect(third.candidates.map(({ claim }) => claim.slot)).toEqual(['oss-00']);
    const unproven = { 'oss-00': { probe: { ...twiceMissed.probe!, provenBy: undefined } } };
    expect(of(withRows(tier(slots), unproven), { 'oss-00': knowsNone })).toMatchObject({
      candidates: [],
      unproven: [{ claim: { slot: 'oss-00' } }],
    });
  });

  test('in a tier of one server is the word of the host', () => {
    const state = withRows(tier(1), { 'oss-00': twiceMissed });
    expect(of(state, { 'oss-00': fails('oss-00') }).candidates).toHaveLength(1);
  });
});

describe('a server of which this program has never said that it serves', () => {
  const third = (probe: object) => {
    const state = withRows(tier(1), { 'oss-00': { probe: { ...twiceMissed.probe!, ...probe } } });
    return of(state, { 'oss-00': fails('oss-00') });
  };

  test.each([
    ['nor any other program', { provenBy: undefined }],
    ['but another one has', { provenBy: 'a11' }],
  ])('%s, is no candidate, and that is told', (_name, probe) => {
    expect(third(probe)).toMatchObject({
      candidates: [],
      missing: ['oss-00'],
      unproven: [{ claim: { slot: 'oss-00' } }],
    });
    expect(third({})).toMatchObject({ candidates: [{ claim: { slot: 'oss-00' } }], unproven: [] });
  });

  test('is no candidate when it said so of the owner before', () => {
    expect(third({ epoch: 1 })).toMatchObject({ candidates: [], counts: [{ record: { misses: 1 } }] });
    expect(third({ epoch: 1 }).counts[0]!.record).not.toHaveProperty('provenBy');
  });

  test('is proven by its first word, once for an epoch and a program, whatever was in the row', () => {
    const says = (probe: SlotRow['probe'], program: string | undefined) =>
      of(withRows(tier(1), { 'oss-00': { probe } }), {
        'oss-00': { is: 'serves', slot: 'oss-00', epoch: 2, program },
      }).counts.map(({ record }) => record);
    const before = { epoch: 2, round: 3, misses: 0, at: ago(4) };
    const proven = { epoch: 2, round: 7, misses: 0, at: new Date(NOW).toISOString(), provenBy: PROGRAM };
    expect(says(undefined, PROGRAM)).toEqual([proven]);
    expect(says(before, PROGRAM)).toEqual([proven]);
    expect(says({ ...before, epoch: 1, provenBy: PROGRAM }, PROGRAM)).toEqual([proven]);
    expect(says({ ...before, provenBy: 'a11' }, PROGRAM)).toEqual([proven]);
    expect(says({ ...before, provenBy: PROGRAM }, PROGRAM)).toEqual([]);
    // Another program's word, during a deployment, or none of them, proves nothing about this one.
    for (const program of ['a11', undefined]) expect(says(before, program)).toEqual([]);
    expect(says({ ...before, misses: 1, provenBy: 'a11' }, 'c0c')).toEqual([{ ...proven, provenBy: 'a11' }]);
  });
});

describe('nothing is counted', () => {
  const failing = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [slotOf(index), fails(slotOf(index))]));

  test('when the command was not delivered', () => {
    expect(of(tier(4), { 'oss-00': UNKNOWN })).toMatchObject({
      counts: [],
      missing: [],
      unknown: ['oss-00'],
    });
  });

  test('when no server was reached', () => {
    const state = withRows(tier(3), { 'oss-00': twiceMissed });
    const all = Object.fromEntries(state.rows.slots.map(({ slot }) => [slot, UNKNOWN]));
    expect(of(state, all)).toMatchObject({
      counts: [],
      candidates: [],
      unknown: ['oss-00', 'oss-01', 'oss-02'],
    });
  });

  test('when all are silent: the answers do not come back', () => {
    const state = withRows(tier(1), { 'oss-00': twiceMissed });
    expect(of(state, { 'oss-00': SILENT })).toMatchObject({
      counts: [],
      candidates: [],
      unknown: ['oss-00'],
    });
  });

  test.each([
    [2, 2],
    [4, 2],
    [19, 2],
    [20, 3],
    [128, 13],
  ])('when of %i servers %i fail at once', (slots, count) => {
    const allowed = of(withRows(tier(slots), { 'oss-00': twiceMissed }), failing(count - 1));
    expect(allowed.suspect).toBeUndefined();
    expect(allowed.candidates).toHaveLength(1);
    const suspect = of(withRows(tier(slots), { 'oss-00': twiceMissed }), failing(count));
    expect(suspect).toMatchObject({ counts: [], candidates: [] });
    expect(suspect.suspect).toContain(`${count} of ${slots} servers fail at once`);
  });

  test('when one of those that failed in the round has been replaced since', () => {
    const state = withRows(tier(2), { 'oss-00': twiceMissed });
    const seen: { [id: string]: Answer } = answers(state, { 'oss-00': fails('oss-00') });
    seen['i-replaced'] = fails('oss-01');
    // Its slot has another owner now, which that round did not ask.
    delete seen[serverOf('oss-01')];
    const judgement = judge(state, group(state), seen, NOW, settings(2));
    expect(judgement.suspect).toContain('2 of 3 servers fail at once');
    expect(judgement).toMatchObject({ counts: [], candidates: [] });
  });

  test('when more than half of the servers cannot be reached, whatever the others say', () => {
    const state = withRows(tier(4), { 'oss-00': twiceMissed });
    const lost = { 'oss-00': fails('oss-00'), 'oss-01': UNKNOWN, 'oss-02': UNKNOWN, 'oss-03': UNKNOWN };
    expect(of(state, lost)).toMatchObject({ counts: [], candidates: [] });
    expect(of(state, lost).suspect).toContain('3 of 4 servers cannot be reached');
  });

  test('of an answer about another slot or another epoch', () => {
    const elsewhere: Answer = { is: 'fails', slot: 'oss-01', epoch: 2, said: 'x' };
    const earlier: Answer = { is: 'fails', slot: 'oss-00', epoch: 1, said: 'x' };
    const ofNone: Answer = { is: 'serves', slot: '-', epoch: 0 };
    for (const answer of [elsewhere, earlier, ofNone])
      expect(of(tier(2), { 'oss-00': answer })).toMatchObject({ counts: [], unknown: ['oss-00'] });
  });

  test.each([
    ['too young to have ended', { round: 7, sentAt: ago(0.5), commands: ['c-7'] }],
    ['too old', { round: 7, sentAt: ago(30), commands: ['c-7'] }],
    ['of the future', { round: 7, sentAt: ago(-5), commands: ['c-7'] }],
    ['missing', undefined],
  ])('when the round is %s', (_name, round) => {
    const state = withRows(tier(2, { round }), { 'oss-00': twiceMissed });
    expect(of(state, { 'oss-00': fails('oss-00') })).toMatchObject({ counts: [], candidates: [] });
  });

  test.each([
    ['has no owner', { owner: undefined }],
    ['is not served yet', { servedEpoch: 1 }],
    ['is released', { released: true }],
  ])('of a slot that %s', (_name, change) => {
    const state = withRows(tier(2), { 'oss-00': { ...twiceMissed, ...change } });
    expect(of(state, { 'oss-00': fails('oss-00') }).counts).toEqual([]);
  });

  test.each([
    ['is being launched', { lifecycle: 'Pending:Wait' }],
    ['is in standby', { lifecycle: 'Standby' }],
    ['is about to be terminated', { lifecycle: 'Terminating:Wait' }],
    ['was declared unhealthy', { healthy: false }],
  ])('of a server that %s', (_name, change) => {
    const state = tier(2);
    const [first, second] = group(state).members;
    const members = [{ ...first!, ...change }, second!];
    const seen = answers(state, { 'oss-00': fails('oss-00') });
    expect(judge(state, { members, suspended: [] }, seen, NOW, settings(2)).counts).toEqual([]);
  });
});

describe('whatever is seen', () => {
  const answer = fc.constantFrom<'serves' | 'fails' | 'silent' | 'unknown'>(
    'serves',
    'fails',
    'silent',
    'unknown',
  );
  const tiers = fc
    .array(
      fc.record({
        answer,
        probe: fc.option(
          fc.record({
            epoch: fc.nat(3),
            round: fc.nat(9),
            misses: fc.nat(4),
            age: fc.nat(8),
            provenBy: fc.constantFrom(PROGRAM, PROGRAM, 'a11', undefined),
          }),
          {
            nil: undefined,
          },
        ),
        lifecycle: fc.constantFrom('InService', 'InService', 'InService', 'Pending:Wait', 'Terminating'),
        servedEpoch: fc.constantFrom(2, 2, 2, 1),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .map((servers) => {
      const slots = servers.map(({ probe, servedEpoch }, index) =>
        served(slotOf(index), { servedEpoch, ...(probe ? { probe: { ...probe, at: ago(probe.age) } } : {}) }),
      );
      const state = { ...tier(0), rows: { slots, owners: [], broken: [] } };
      const members = servers.map(({ lifecycle }, index) => ({
        instanceId: serverOf(slotOf(index)),
        lifecycle,
        healthy: true,
      }));
      const given = Object.fromEntries(
        servers.map((server, index): [string, Answer] => {
          const slot = slotOf(index);
          const about = { slot, epoch: 2, said: 'x', why: 'x' };
          return [serverOf(slot), { is: server.answer, ...about } as Answer];
        }),
      );
      return {
        servers,
        state,
        seen: judge(state, { members, suspended: [] }, given, NOW, settings(servers.length)),
      };
    });

  test('nobody is a candidate but one who failed in this round, and the two before', () => {
    fc.assert(
      fc.property(tiers, ({ servers, state, seen }) => {
        for (const { claim, record } of seen.candidates) {
          const index = state.rows.slots.findIndex(({ slot }) => slot === claim.slot);
          const { answer: said, probe } = servers[index]!;
          expect(['fails', 'silent']).toContain(said);
          expect(record.misses).toBeGreaterThanOrEqual(3);
          expect(probe).toMatchObject({ epoch: 2 });
          expect(probe!.misses).toBeGreaterThanOrEqual(2);
          expect(probe!.provenBy).toBe(PROGRAM);
        }
      }),
    );
  });

  test('never more than a tenth of the servers, or one, are missing in a round that counts', () => {
    fc.assert(
      fc.property(tiers, ({ servers, seen }) => {
        const counted = seen.counts.filter(({ record }) => record.misses > 0);
        expect(counted.length).toBeLessThanOrEqual(Math.max(1, Math.floor(servers.length / 10)));
      }),
    );
  });

  test('counts are about the owners that serve their slots, at their epochs', () => {
    fc.assert(
      fc.property(tiers, ({ state, seen }) => {
        const fit = new Set(
          probed(state, { members: group(state).members, suspended: [] }).map(({ slot }) => slot),
        );
        for (const { claim, record } of seen.counts) {
          expect(fit).toContain(claim.slot);
          expect(record.epoch).toBe(claim.epoch);
        }
      }),
    );
  });
});
