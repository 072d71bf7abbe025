import type { Outcome } from '../../../lambda/volume-reconciler/ports';
import { changed, drive, Process } from './drive';
import { Tier } from './tier';

const FULL: Outcome = {
  done: false,
  code: 'AttachmentLimitExceeded',
  message: 'the instance has 28 attachments',
};

/** A server is lost, and EC2 refuses to attach anything to the next one for so many calls. */
async function refusing(calls: number, answer: Outcome): Promise<{ tier: Tier; reasons: Set<string> }> {
  const tier = await Tier.launched();
  expect((await drive(tier, undefined, 'deployment')).outcome).toBe('served');
  await tier.lose('oss-00');
  let left = calls;
  const reasons = new Set<string>();
  const process = new Process(({ compute }) => ({
    compute: changed(compute, {
      attachVolume: async (...asked: Parameters<typeof compute.attachVolume>) => {
        reasons.add(tier.rowOf('oss-00').reason ?? '');
        return left-- > 0 ? answer : compute.attachVolume(...asked);
      },
    }),
  }));
  expect((await drive(tier, process)).outcome).toBe('served');
  return { tier, reasons };
}

test('what EC2 refuses for good stands in the row, in its words, until it is attached', async () => {
  const { tier, reasons } = await refusing(6, FULL);
  const said = [...reasons].filter((each) => each !== '');
  expect(said).toEqual([
    expect.stringMatching(
      /^EC2 does not attach \S+ to \S+: AttachmentLimitExceeded: the instance has 28 attachments$/,
    ),
  ]);
  expect(tier.rowOf('oss-00').reason).toBeUndefined();
  expect(tier.violations).toEqual([]);
});

test('what it refuses for a moment does not', async () => {
  const { reasons } = await refusing(6, { done: false, code: 'IncorrectState', message: 'not running' });
  expect([...reasons].filter((each) => each !== '')).toEqual([]);
});
