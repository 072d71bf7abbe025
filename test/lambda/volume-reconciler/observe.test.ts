import { observe } from '../../../lambda/volume-reconciler/observe';
import { changed, drive } from './drive';
import { Tier } from './tier';

/** A served tier, and what is asked of EC2's instances besides those with the tier's tag. */
async function looking() {
  const tier = await Tier.launched();
  await drive(tier, undefined, 'deployment');
  const asked: string[][] = [];
  const look = () => {
    const ports = tier.ports();
    const compute = changed(ports.compute, {
      instances: (alsoIds: string[]) => {
        asked.push(alsoIds);
        return ports.compute.instances(alsoIds);
      },
    });
    return tier.finish(observe({ wakeups: 0, beatAt: 0 }, { ...ports, compute }));
  };
  return { tier, asked, look };
}

/** EC2 has taken the tags off what is terminated, and shows it still. */
const WITHOUT_TAGS_SECONDS = 400;

test('who holds something of the tier is looked up by id when it has lost the tag, and only then', async () => {
  const { tier, asked, look } = await looking();
  await look();
  expect(asked).toHaveLength(1);

  const [volume] = tier.volumesOf('oss-00');
  const old = tier.ownerOf('oss-00')!;
  tier.world.ec2.stickAttachment(volume!.id, 'attached', 1000 * 2 * WITHOUT_TAGS_SECONDS);
  await tier.lose('oss-00');
  await tier.advance(WITHOUT_TAGS_SECONDS);
  // Its row is another's: nothing but what hangs on it names it.
  tier.editRow('oss-00', { owner: undefined });
  tier.world.map.deleteRow(`owner#${old}`);
  const { instances } = await look();
  expect(asked).toHaveLength(3);
  expect(asked[2]).toContain(old);
  expect(instances).toContainEqual(expect.objectContaining({ id: old, state: 'terminated' }));
});

test('a launch that waits and has lost the tag is looked up by id, to be given up', async () => {
  const { tier, look } = await looking();
  await tier.lose('oss-00');
  await tier.advance(10);
  const [waiting] = tier.waiting;
  tier.world.ec2.terminate(waiting!);
  await tier.advance(WITHOUT_TAGS_SECONDS);
  const { instances } = await look();
  expect(tier.lifecycleOf(waiting!)).toBe('Pending:Wait');
  expect(instances).toContainEqual(expect.objectContaining({ id: waiting, state: 'terminated' }));
});
