import type { Outcome } from '../../../lambda/volume-reconciler/ports';
import { drive, Process } from './drive';
import { World } from './world';

const FULL: Outcome = {
  done: false,
  code: 'AttachmentLimitExceeded',
  message: 'the instance has 28 attachments',
};

/** A server is lost, and EC2 refuses to attach anything to the next one for so many calls. */
async function refusing(calls: number, answer: Outcome): Promise<{ world: World; reasons: Set<string> }> {
  const world = new World();
  expect((await drive(world, undefined, 'deployment')).outcome).toBe('served');
  world.kill(world.ownerOf('oss-00')!);
  world.advance(1);
  const { compute } = world.ports();
  let left = calls;
  const reasons = new Set<string>();
  const attachVolume: typeof compute.attachVolume = async (...asked) => {
    reasons.add(world.map.slots.get('oss-00')!.reason ?? '');
    return left-- > 0 ? answer : compute.attachVolume(...asked);
  };
  const process = new Process({ ...world.ports(), compute: { ...compute, attachVolume } });
  expect((await drive(world, process)).outcome).toBe('served');
  return { world, reasons };
}

test('what EC2 refuses for good stands in the row, in its words, until it is attached', async () => {
  const { world, reasons } = await refusing(6, FULL);
  const said = [...reasons].filter((each) => each !== '');
  expect(said).toEqual([
    expect.stringMatching(
      /^EC2 does not attach \S+ to \S+: AttachmentLimitExceeded: the instance has 28 attachments$/,
    ),
  ]);
  expect(world.map.slots.get('oss-00')!.reason).toBeUndefined();
  expect(world.violations).toEqual([]);
});

test('what it refuses for a moment does not', async () => {
  const { reasons } = await refusing(6, { done: false, code: 'IncorrectState', message: 'not running' });
  expect([...reasons].filter((each) => each !== '')).toEqual([]);
});
