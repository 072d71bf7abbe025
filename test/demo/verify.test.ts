import type { Estate } from '../../proof/kit/model';
import { type Evidence, verify } from '../../proof/kit/verify';
import { goodEstate, goodEvidence, slot } from './samples';

const failed = (evidence: Evidence) => verify(evidence).filter((check) => !check.passed);
const failedIds = (evidence: Evidence) => failed(evidence).map(({ id }) => id);
const withEstate = (change: Partial<Estate>): Evidence => ({
  ...goodEvidence(),
  estate: { ...goodEstate(), ...change },
});

test('a clean recovery passes every check', () => {
  expect(failed(goodEvidence())).toEqual([]);
});

test('a deployment without failure is not asked for what a recovery must keep', () => {
  const { before, ...fresh } = goodEvidence();
  expect(before).toBeDefined();
  expect(verify(fresh).map(({ id }) => id)).not.toContain('same-data');
});

describe('each fault fails its check and is named', () => {
  const attached = (instanceId: string, state = 'attached') => [{ instanceId, state }];
  const volume = (id: string, attachments: { instanceId: string; state: string }[]) => ({
    id,
    state: 'in-use',
    type: 'gp3',
    sizeGiB: 1,
    attachments,
  });
  const good = volume('vol-a', attached('i-new'));
  const cases: [string, Evidence, string, string][] = [
    ['an empty map', withEstate({ slots: [], owners: [] }), 'slots-served', 'tier oss has 0 slots'],
    ['no tiers', withEstate({ tiers: [], slots: [], owners: [] }), 'slots-served', 'no tiers'],
    [
      'a vacant slot',
      withEstate({ slots: [slot({ owner: undefined })] }),
      'slots-served',
      'oss-00 has no owner',
    ],
    [
      'an unserved epoch',
      withEstate({ slots: [slot({ servedEpoch: 1 })] }),
      'slots-served',
      'epoch 2 is not served',
    ],
    ['an owner not in the group', withEstate({ groups: {} }), 'slots-served', 'i-new is no member'],
    [
      'a free volume',
      withEstate({ volumes: [good, volume('vol-b', [])] }),
      'volumes-attached',
      'vol-b is free',
    ],
    ['a missing volume', withEstate({ volumes: [good] }), 'volumes-attached', 'vol-b does not exist'],
    [
      'a volume still attaching',
      withEstate({ volumes: [good, volume('vol-b', attached('i-new', 'attaching'))] }),
      'volumes-attached',
      'attaching to i-new',
    ],
    [
      'a volume at two servers',
      withEstate({ volumes: [good, volume('vol-b', [...attached('i-new'), ...attached('i-x')])] }),
      'volumes-attached',
      'attached to i-x',
    ],
    [
      'a free interface',
      withEstate({ interfaces: [{ id: 'eni-0', address: '172.16.4.20' }] }),
      'addresses-kept',
      'free',
    ],
    [
      'a changed address',
      withEstate({ interfaces: [{ ...goodEstate().interfaces[0]!, address: '172.16.4.99' }] }),
      'addresses-kept',
      '172.16.4.99',
    ],
    ['a missing owner row', withEstate({ owners: [] }), 'map-agrees', 'no owner row'],
    [
      'a second owner row',
      withEstate({
        owners: [...goodEstate().owners, { tier: 'oss', instanceId: 'i-x', slot: 'oss-00', epoch: 1 }],
      }),
      'map-agrees',
      'owner row of i-x',
    ],
    ['an empty history', { ...goodEvidence(), history: [] }, 'one-writer', 'no attachment of vol-a'],
    [
      'a mount by the old server only',
      {
        ...goodEvidence(),
        history: goodEvidence().history.filter(({ id, to }) => id !== 'vol-b' || to !== 'i-new'),
      },
      'mounted',
      'vol-b is mounted by i-old',
    ],
    ['an empty call log', { ...goodEvidence(), calls: [] }, 'one-owner', 'the record has nothing of it'],
    [
      'a detach by force',
      {
        ...goodEvidence(),
        calls: goodEvidence().calls.map((call) => ({
          ...call,
          action: 'DetachVolume',
          parameters: { Force: 'true' },
        })),
      },
      'never-taken-from-living',
      'DetachVolume was asked by force',
    ],
    [
      'a permission that is missing',
      {
        ...goodEvidence(),
        calls: goodEvidence().calls.map((call) => ({ ...call, error: 'UnauthorizedOperation' })),
      },
      'allowed-by-roles',
      'Reconciler may not dynamodb:TransactWriteItems',
    ],
    [
      'no call under a role',
      { ...goodEvidence(), calls: goodEvidence().calls.map((call) => ({ ...call, role: undefined })) },
      'allowed-by-roles',
      'the record has nothing of it',
    ],
    [
      'a second format',
      {
        ...goodEvidence(),
        superblocks: { ...goodEvidence().superblocks, 'vol-a': { uuid: 'uuid-a', formatCount: 2 } },
      },
      'file-systems-made-once',
      'vol-a was formatted 2 times',
    ],
    [
      'other data',
      {
        ...goodEvidence(),
        superblocks: { ...goodEvidence().superblocks, 'vol-a': { uuid: 'other', formatCount: 1 } },
      },
      'same-data',
      'uuid-a became other',
    ],
    ['nothing to compare', { ...goodEvidence(), superblocksBefore: {} }, 'same-data', 'nothing to compare'],
    [
      'other volumes',
      { ...goodEvidence(), before: { ...goodEstate(), slots: [slot({ volumes: ['vol-z'] })] } },
      'same-slots',
      'vol-z',
    ],
    [
      'the old server as owner',
      { ...goodEvidence(), victim: 'i-new' },
      'old-server-gone',
      'still belongs to i-new',
    ],
  ];

  test.each(cases)('%s', (_name, evidence, id, detail) => {
    expect(failedIds(evidence)).toContain(id);
    expect(failed(evidence).find((check) => check.id === id)?.detail).toContain(detail);
  });
});

test('many faults are told by the first five and a count', () => {
  const volumes = Array.from({ length: 8 }, (_, index) => `vol-${index}`);
  const check = failed(withEstate({ slots: [slot({ volumes })], volumes: [] })).find(
    ({ id }) => id === 'volumes-attached',
  );
  expect(check?.detail).toContain('vol-4 does not exist; and 3 more');
});
