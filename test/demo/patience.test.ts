import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LONGEST_SECONDS,
  Patience,
  QUIET_SECONDS,
  signsOfCloud,
  signsOfGroup,
} from '../../proof/kit/patience';

/** A wait in time that passes by hand. */
function waiting() {
  const world = { seconds: 0, moved: 0 };
  const patience = new Patience(
    QUIET_SECONDS,
    () => world.seconds,
    () => String(world.moved),
  );
  const look = (after: number) => {
    world.seconds += after;
    return patience.lost();
  };
  return { world, look };
}

test('a wait goes on while something moves, and ends when nothing does', () => {
  const { world, look } = waiting();
  for (let n = 0; n < 1000; n++) {
    if (n % 50 === 0) world.moved++;
    expect(look(1)).toBeUndefined();
  }
  const quiet = Array.from({ length: QUIET_SECONDS + 1 }, () => look(1));
  expect(quiet.at(-1)).toBe(`nothing moved for ${QUIET_SECONDS} s`);
});

test('who looks late, since the machine is busy, has not waited for long', () => {
  const { look } = waiting();
  for (let n = 0; n < 50; n++) expect(look(20)).toBeUndefined();
});

test('what goes round in circles ends as well', () => {
  const { world, look } = waiting();
  let reason: string | undefined;
  for (let n = 0; n <= LONGEST_SECONDS / 10 + 1 && !reason; n++) {
    world.moved++;
    reason = look(10);
  }
  expect(reason).toBe(`it went on for ${LONGEST_SECONDS} s`);
});

test('in an embedded AWS transitions move, and calls that change something; looks and the own calls do not', () => {
  const state = mkdtempSync(join(tmpdir(), 'patience-'));
  try {
    const [history, calls] = [join(state, 'history.jsonl'), join(state, 'api-calls.jsonl')];
    const signs = signsOfCloud(state);
    const seen = [signs()];
    const call = (action: string, userAgent: string) =>
      `{"action": "${action}", "userAgent": "${userAgent}"}\n`;
    for (const write of [
      () => writeFileSync(history, '{"kind": "instance"}\n'),
      () => writeFileSync(calls, call('DescribeStacks', 'aws-cdk') + call('RunInstances', 'sas-grid-demo')),
      () => appendFileSync(calls, call('AttachVolume', 'aws-sdk-js').slice(0, 20)),
      () => appendFileSync(calls, call('AttachVolume', 'aws-sdk-js').slice(20)),
    ]) {
      write();
      seen.push(signs());
    }
    expect(seen).toEqual(['0 0', '1 0', '1 0', '1 0', '1 1']);
  } finally {
    rmSync(state, { recursive: true });
  }
});

const here = process.platform === 'linux' ? test : test.skip;
here('what a process group computes is a sign', () => {
  expect(Number(signsOfGroup(-1)())).toBe(0);
  expect(signsOfGroup(process.pid)()).toMatch(/^\d+$/);
});
