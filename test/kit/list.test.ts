import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canNeverWriteAgain, mayWrite } from '../../proof/kit/invariants/instance-states';
import { HOUSES, INVARIANTS, namesOf } from '../../proof/kit/invariants/list';
import { RECORD_CHECKS } from '../../proof/kit/record/judge';

const ROOT = resolve(__dirname, '../..');
const pageOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const sorted = (names: readonly string[]): string[] => [...names].sort();

describe('the list', () => {
  test('is the list of the protocol', () => {
    const rows = INVARIANTS.map(({ number, name, promise, checkedBy, ...rest }) => {
      const why = 'notElsewhere' in rest ? `; ${rest.notElsewhere}` : '';
      return `- ${number} \`${name}\`: ${promise}. Checked by ${checkedBy.join(', ')}${why}.`;
    });
    const page = pageOf('docs/failover-protocol.md').replace(/\n {2}(?=\S)/g, ' ');
    expect(page.match(/^- \d+[a-z]? `.*$/gm)).toEqual(rows);
  });

  test('has the numbers of the promises, each once and in their order', () => {
    const page = pageOf('docs/failover-protocol.md');
    const section = page.slice(page.indexOf('\n## Invariants')).split('\n## ')[1]!;
    const numbers = [...section.matchAll(/^(\d+)\. \*\*/gm)].map((match) => match[1]!);
    expect([...new Set(INVARIANTS.map(({ number }) => number.replace(/[a-z]$/, '')))]).toEqual(numbers);
    expect(new Set(INVARIANTS.map(({ number }) => number)).size).toBe(INVARIANTS.length);
    expect(new Set(INVARIANTS.map(({ name }) => name)).size).toBe(INVARIANTS.length);
  });

  test('says of each that is not checked everywhere why', () => {
    for (const { name, checkedBy, ...rest } of INVARIANTS)
      expect([name, 'notElsewhere' in rest]).toEqual([name, checkedBy.length < HOUSES.length]);
  });

  test('has what is looked for in a record: all of it in chaos, and in the demo a part', () => {
    const inRecord = RECORD_CHECKS.map(({ id }) => id);
    expect(sorted(namesOf('chaos'))).toEqual(sorted(inRecord));
    expect(inRecord).toEqual(expect.arrayContaining(namesOf('demo')));
  });

  test('has the names of the pages that tell where each is looked for', () => {
    const namesIn = (page: string) =>
      [...pageOf(page).matchAll(/^- `([a-z-]+)`: /gm)].map((match) => match[1]!);
    const chaos = pageOf('docs/chaos.md');
    const table = chaos.slice(chaos.indexOf('| Invariant | Evidence |')).split('\n\n')[0]!;
    expect(sorted([...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]!))).toEqual(
      sorted(namesOf('chaos')),
    );
    expect(namesOf('simulation')).toEqual(expect.arrayContaining(namesIn('docs/simulation.md')));
  });
});

describe('an instance', () => {
  test.each([
    ['pending', true],
    ['running', true],
    ['stopping', true],
    ['shutting-down', true],
    [undefined, true],
    ['stopped', false],
    ['terminated', false],
    ['never-was', false],
  ])('that is %s may write now: %s', (state, may) => {
    expect(mayWrite(state)).toBe(may);
  });

  const stopped = { id: 'i-1', state: 'stopped', isMember: false };

  test.each([
    [
      'is terminated, whatever hangs on it',
      { ...stopped, state: 'terminated', isMember: true, holds: 'vol-1' },
      true,
    ],
    ['is stopped, outside its group and without anything of the slot', stopped, true],
    ['is stopped and in its group, which may start it', { ...stopped, isMember: true }, false],
    ['is stopped and has a volume, with which it starts', { ...stopped, holds: 'vol-1' }, false],
    ['is stopping', { ...stopped, state: 'stopping' }, false],
    ['nobody has seen', { ...stopped, state: undefined }, false],
  ])('that %s', (_title, owner, never) => {
    expect(canNeverWriteAgain(owner)).toBe(never);
  });
});
