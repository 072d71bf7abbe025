import { observe } from '../../../lambda/volume-reconciler/observe';
import { drive } from './drive';
import { SETTINGS, World } from './world';

test('who holds something of the tier is looked up by id when it has lost the tag, and only then', async () => {
  const world = new World();
  await drive(world, undefined, 'deployment', SETTINGS);
  const ports = world.ports();
  const asked: string[][] = [];
  const compute = {
    ...ports.compute,
    instances: async (alsoIds: string[]) => {
      asked.push(alsoIds);
      // Gone from the tag's answer: only who is named is found.
      return (await ports.compute.instances([])).filter(({ id }) => id !== 'i-old' || alsoIds.includes(id));
    },
  };
  const look = () => observe({ wakeups: 0, beatAt: 0 }, { ...ports, compute });
  await look();
  expect(asked).toHaveLength(1);

  world.machines.set('i-old', { state: 'terminated', since: 0, launchedAt: 0 });
  const [disk] = world.disks.values();
  disk!.attachment = { instanceId: 'i-old', state: 'attached', since: 0 };
  const { instances } = await look();
  expect(asked).toHaveLength(3);
  expect(asked[2]).toContain('i-old');
  expect(instances).toContainEqual(expect.objectContaining({ id: 'i-old', state: 'terminated' }));
});

test('a launch that waits and has lost the tag is looked up by id, to be given up', async () => {
  const world = new World();
  await drive(world, undefined, 'deployment', SETTINGS);
  const ports = world.ports();
  const launch = { instanceId: 'i-spare', lifecycle: 'Pending:Wait', healthy: true };
  const group = { ...ports.group, members: async () => [...((await ports.group.members()) ?? []), launch] };
  const compute = {
    ...ports.compute,
    instances: async (alsoIds: string[]) =>
      (await ports.compute.instances([])).filter(({ id }) => id !== 'i-spare' || alsoIds.includes(id)),
  };
  world.machines.set('i-spare', { state: 'terminated', since: 0, launchedAt: 0 });
  const { instances } = await observe({ wakeups: 0, beatAt: 0 }, { ...ports, compute, group });
  expect(instances).toContainEqual(expect.objectContaining({ id: 'i-spare', state: 'terminated' }));
});
