import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { portsOn } from '../../../lambda/benchmark-widget/aws';
import { environmentOf } from '../../../lambda/benchmark-widget/environment';
import { LISTED_RUNS, show } from '../../../lambda/benchmark-widget/handler';
import type { HistoryEntry } from '../../../lambda/shared/benchmark/result';
import { sampleHistory } from '../benchmark-judge/report-samples';

const SETTINGS = { benchmark: 'sas-grid-lustre', bucket: 'results', region: 'eu-central-1' };
const EVENT = { widgetContext: { dashboardName: 'd', theme: 'dark', params: {} } };
const quiet = { info: () => {}, error: () => {}, metrics: () => {} };

const shown = (runs: HistoryEntry[]) =>
  show(EVENT, { log: quiet, history: { newest: async () => runs } }, SETTINGS);

const last: HistoryEntry = {
  ...sampleHistory(1)[0]!,
  verdict: 'failed',
  MBpsPerCore: { 'network||tcp': 80, 'sas-io|/sas|work|write': 46.2 },
  MBps: { 'network||tcp': 5000, 'sas-io|/sas|work|write': 2957 },
  wantedPerCore: { 'sas-io|/sas|work|write': 50 },
  reasons: ['Too slow.', '2', '3', '4', '5', '6', '7'],
};

test('the widget shows the last verdict, why, and its figures, those that are judged first', async () => {
  const page = await shown([...sampleHistory(3), last]);
  expect(page).toMatch(/<h2><span[^>]*>failed<\/span>/);
  expect(page).toContain('Too slow.');
  expect(page).toContain('and 2 more, in the report');
  expect(page).toMatch(
    /\/sas\|work, write \(SAS-style I\/O\)<\/td><td>46\.2 <b>below wanted<\/b><\/td>\s*<td>50<\/td><td>2,957/,
  );
  expect(page.indexOf('/sas|work')).toBeLessThan(page.indexOf('Network, TCP'));
});

test('and the runs, the newest first, with links to the console of S3', async () => {
  const runs = sampleHistory(4);
  const page = await shown(runs);
  const table = page.slice(page.indexOf('Last runs'));
  const days = [...table.matchAll(/2026-11-(\d\d)/g)].map(([, day]) => Number(day));
  expect(days).toEqual([21, 20, 19, 18]);
  expect(
    table.match(/<a href="https:\/\/eu-central-1\.console\.aws\.amazon\.com\/s3\/object\/results\?/g),
  ).toHaveLength(4);
});

test('a run without a report has no link', async () => {
  expect(await shown([{ ...last, reportKey: undefined }])).not.toContain('<a ');
});

test('it asks for few runs, and holds nothing that a dashboard takes out or that costs others a right', async () => {
  let asked = 0;
  const newest = async (limit: number) => {
    asked = limit;
    return [last];
  };
  const page = await show(EVENT, { log: quiet, history: { newest } }, SETTINGS);
  expect(asked).toBe(LISTED_RUNS);
  expect(page).not.toMatch(/<script|<iframe|<use|cwdb-action|onclick/);
});

test('what is HTML in a name or a reason is escaped', async () => {
  const hostile = '<img src=x onerror=alert(1)>';
  const page = await shown([
    {
      ...last,
      reasons: [hostile],
      notRepresentative: hostile,
      reportKey: `runs/"><script>/report.html`,
      MBpsPerCore: { [`sas-io|${hostile}|write`]: 1 },
    },
  ]);
  expect(page).not.toMatch(/<img|<script/);
});

test('before the first run it says so', async () => {
  expect(await shown([])).toBe('<p>sas-grid-lustre has not run yet.</p>');
});

test('a table that cannot be read is said in the widget, not only in a log', async () => {
  const newest = () => Promise.reject(new Error('throttled <b>'));
  const page = await show(EVENT, { log: quiet, history: { newest } }, SETTINGS);
  expect(page).toContain('throttled &lt;b&gt;');
});

test('asked what it is, it answers without reading anything', async () => {
  const newest = () => Promise.reject(new Error('not now'));
  expect(await show({ describe: true }, { log: quiet, history: { newest } }, SETTINGS)).toMatch(
    /^### Storage benchmark/,
  );
});

test('it reads the newest runs of its benchmark', async () => {
  const env = { TABLE: 't', BENCHMARK: 'b', BUCKET: 'results', AWS_REGION: 'us-east-1' };
  const client = new DynamoDBClient({ region: 'us-east-1' });
  let input: unknown;
  Object.assign(client, {
    send: async (command: { input: unknown }) => {
      input = command.input;
      return { Items: [] };
    },
  });
  expect(await portsOn(client, environmentOf(env), quiet).history.newest(7)).toEqual([]);
  expect(input).toMatchObject({
    TableName: 't',
    Limit: 7,
    ExpressionAttributeValues: { ':benchmark': { S: 'b' } },
  });
  expect(() => environmentOf({ ...env, BUCKET: undefined })).toThrow('BUCKET');
});
