import type { Faults } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import { NOTICED_MS } from '../../proof/simulation/bound';
import { unserved } from '../../proof/simulation/served';
import { checkedTier, interfaceOf, rowOf, volumeOf } from './checked-tier';

const MINUTE = 60_000;

/** Without the prober, which would have the server replaced. */
const proberDies: Faults['onCall'] = ({ worker }) =>
  worker.startsWith('prober/') ? { kind: 'crash-before' } : undefined;

test('an interface that somebody detaches comes back to the same server', async () => {
  const { world, checker } = await checkedTier({ onCall: proberDies });
  const { owner } = rowOf(world);
  expect(world.ec2.detachInterfaceByHand(interfaceOf(world).id)).toBe(true);
  await world.run(9_000);
  expect(world.hosts.all.get(String(owner))?.serving).toBe(false);
  expect(unserved(world).get('oss-00')).toBe(
    `${interfaceOf(world).id} is not attached to its owner ${owner}`,
  );
  await world.run(NOTICED_MS, () => unserved(world).size === 0);
  expect(unserved(world).size).toBe(0);
  expect(rowOf(world)).toMatchObject({ owner, phase: 'served' });
  expect(world.ec2.interfaces.get(interfaceOf(world).id)?.attachment?.instanceId).toBe(owner);
  expect(checker.violations).toEqual([]);
});

test.each([
  ['a volume', (world: World) => world.ec2.detachByHand(volumeOf(world).id), volumeOf],
  ['an interface', (world: World) => world.ec2.detachInterfaceByHand(interfaceOf(world).id), interfaceOf],
])('%s that is off for minutes, while the row says served, is a violation', async (_, detach, idOf) => {
  const { world, checker } = await checkedTier({ onCall: proberDies, onEvent: () => ({ drop: true }) });
  detach(world);
  await world.run(NOTICED_MS);
  expect(checker.violations).toEqual([]);
  await world.run(MINUTE);
  const message =
    `the row of oss-00 says served by ${rowOf(world).owner}, to which ${idOf(world).id} is not attached, for 9 ` +
    'minutes at rest';
  expect(checker.violations[0]).toMatchObject({ invariant: 'loss-noticed', message });
});

test('a pass that sees the loss and leaves the row served is a violation at once', async () => {
  const { world, checker } = await checkedTier({ onCall: proberDies });
  world.ec2.detachByHand(volumeOf(world).id);
  await world.run(9_000);
  // What a pass looks at, and nothing of what it has to do about it.
  const call = { index: 0, worker: 'reconciler/test/0', input: {}, at: world.now(), attempt: 1 };
  const calls = [
    { ...call, service: 'dynamodb', operation: 'Query' },
    { ...call, service: 'ec2', operation: 'DescribeVolumes' },
  ] as const;
  for (const each of calls) checker.observer.onCall?.(each, 'ok');
  checker.observer.onPass?.('reconciler/test/0');
  expect(checker.violations).toEqual([
    expect.objectContaining({
      invariant: 'loss-noticed',
      message: expect.stringContaining('a pass that saw it left it so'),
    }),
  ]);
});

test.each([
  ['one of whose calls failed', 'DescribeVolumes', 'RequestLimitExceeded'],
  ['which did not look at volumes', 'DescribeNetworkInterfaces', 'ok'],
])('a pass %s proves nothing', async (_, operation, outcome) => {
  const { world, checker } = await checkedTier({ onCall: proberDies });
  world.ec2.detachByHand(volumeOf(world).id);
  await world.run(9_000);
  const call = { index: 0, worker: 'reconciler/test/0', input: {}, at: world.now(), attempt: 1 };
  checker.observer.onCall?.({ ...call, service: 'ec2', operation }, outcome);
  checker.observer.onPass?.('reconciler/test/0');
  expect(checker.violations).toEqual([]);
});
