import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { factsText } from '../../scripts/facts';
import { collectFacts, FOLDERS } from '../../scripts/facts/collect';
import { overdue, reviewDay } from '../../scripts/facts/review';
import { sourceFiles } from './source-files';

const ROOT = join(__dirname, '../..');
const FACTS = collectFacts();
const TODAY = new Date().toISOString().slice(0, 10);
const DAY = /^20\d\d-[01]\d-[0-3]\d$/;

const SOURCES = sourceFiles(['constructs', 'lambda', 'lib', 'bin', 'cli']).filter(
  (file) => !FOLDERS.some((folder) => file.startsWith(`${folder}/`)),
);

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('each fact says what, from where, when it was read and when to look again', () => {
  expect(FACTS.length).toBeGreaterThan(150);
  for (const fact of FACTS) {
    const { file, name, source, review } = fact;
    expect(`${file} ${name} ${fact.read}`).toMatch(/20\d\d-[01]\d-[0-3]\d$/);
    expect(`${file} ${name}: ${source}`).toMatch(/: \S.*: (https:\/\/\S+|papers? \S.*)$/);
    expect(Date.parse(fact.read)).toBeLessThanOrEqual(Date.now());
    if (review !== undefined) {
      expect(review).toMatch(DAY);
      expect([file, name, review > fact.read]).toEqual([file, name, true]);
    }
  }
});

// A date alone must never break a build: whoever runs the tests is told.
test('what is overdue is a warning', () => {
  const late = overdue(FACTS, TODAY);
  if (late.length > 0) {
    const names = [...new Set(late.map(({ file, name }) => `${file} ${name}`))];
    console.warn(
      `${late.length} facts are overdue ('make facts' lists them): ${names.slice(0, 20).join(', ')}`,
    );
  }
  expect(overdue(FACTS, '2099-01-01').length).toBeGreaterThan(0);
  expect(overdue(FACTS, '2026-11-20')).toEqual([]);
});

test('prices are looked at after a quarter, papers never, the rest after half a year or on a day of its own', () => {
  const source = { title: 'a', reference: 'https://example.com', checked: '2026-11-22' };
  expect(reviewDay(source)).toBe('2027-05-23');
  expect(reviewDay({ ...source, pricesOf: '2026-01-19' })).toBe('2027-02-21');
  expect(reviewDay({ ...source, reference: 'paper 001' })).toBeUndefined();
  expect(reviewDay({ ...source, review: '2026-12-24' })).toBe('2026-12-24');
});

test('the list marks what is overdue and what is unverified', () => {
  const [fact] = FACTS.filter(({ name }) => name === 'SSM_AGENT_MINIMUM');
  const text = factsText([fact!], [fact!]);
  expect(text).toContain('SSM_AGENT_MINIMUM  OVERDUE  UNVERIFIED: 3.3.3598.0');
  expect(text).toMatch(/1 facts, 1 unverified, 1 overdue$/);
});

test('nothing dated stands outside the folders that are listed', () => {
  expect(SOURCES.filter((file) => /\bchecked: '20\d\d-/.test(read(file)))).toEqual([]);
});

test('no other file has a fact written out, but those that cannot import it, which say the same', () => {
  for (const { name, value, writtenIn } of FACTS.filter((fact) => fact.writtenIn.length > 0)) {
    const literal = value.split(' ')[0]!;
    const having = SOURCES.filter((file) => read(file).includes(literal)).sort();
    expect([name, having]).toEqual([name, [...writtenIn].sort()]);
  }
});

// A number that a comment has from somebody else's documentation is a fact.
test('the code has no number of its own whose comment cites a document of others', () => {
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*?\*\/|(?:^[ \t]*\/\/.*\n)+/.source;
  const number = /[\d_][\d_ *+-]*|\[[\d, ]+\]|Duration\.\w+\(\d+\)/.source;
  const cited = new RegExp(`(?:${comment})\\s*(?:export )?const ([A-Z_]+) = (?:${number});`, 'gm');
  const found = SOURCES.filter((file) => file.endsWith('.ts')).flatMap((file) =>
    [...read(file).matchAll(cited)]
      .filter(([text]) =>
        /User Guide|Developer Guide|API Reference|Template Reference|[Qq]uotas?\)|docs\.aws/.test(text),
      )
      .map(([, name]) => `${file} ${name}`),
  );
  expect(found).toEqual([]);
});
