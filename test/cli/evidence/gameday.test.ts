import { parseGameDay } from '../../../cli/evidence/options';
import type { AutomationLook, GameDayAws } from '../../../cli/evidence/port';
import { gameDay } from '../../../cli/run-gameday';
import { mine, screens } from './fakes';

const OWNER = 'arn:aws:iam::111122223333:role/owners';
const step = (name: string, status: string, inputs = {}) => ({ name, status, inputs });
const look = (status: string, ...steps: AutomationLook['steps']): AutomationLook => ({
  id: 'id-1',
  status,
  steps,
  outputs: { 'measure.Report': ['lost\nserved again'] },
  parameters: {},
});

const WAITING = look('Waiting', step('approve', 'Waiting', { Approvers: JSON.stringify([OWNER]) }));
const WELL = look('Success', step('approve', 'Success'), step('measure', 'Success'));

async function run(
  args: string[],
  looks = [WAITING, WELL],
  replaced: Partial<GameDayAws> = {},
  without: string[] = [],
) {
  const { said, output } = screens();
  const started: unknown[] = [];
  const left = [...looks];
  const aws: GameDayAws = {
    parameters: async () => new Map([['Slot', { needed: true }]]),
    running: async () => undefined,
    start: async (document, parameters) => {
      started.push({ document, ...parameters });
      return 'id-1';
    },
    look: async () => left.shift()!,
    ...replaced,
  };
  const code = await gameDay(
    parseGameDay(['mine', ...args]),
    output,
    await mine(without),
    aws,
    async () => {},
  );
  return { code, started, ...said };
}

test('it asks for approval, says who approves and how, and ends with what was measured', async () => {
  const { code, out, started } = await run(['oss-01', '--yes']);
  expect(code).toBe(0);
  expect(started).toEqual([{ document: 'Fail', Tier: ['oss'], Slot: ['oss-01'], Failure: ['Terminate'] }]);
  expect(out).toContain(`waits for approval by ${OWNER}`);
  expect(out).toContain(
    'aws ssm send-automation-signal --automation-execution-id id-1 --signal-type Approve',
  );
  expect(out).toContain('arn:topic');
  expect(out).toContain('  lost\n  served again');
});

test('of a tier it is the first slot', async () => {
  expect((await run(['oss', '--yes', '--failure', 'Hang'])).started).toMatchObject([
    { Slot: ['oss-00'], Failure: ['Hang'] },
  ]);
});

test('one that is under way is followed, and not started twice', async () => {
  const { started, out } = await run(['oss-01'], [WELL], { running: async () => 'id-1' });
  expect(started).toEqual([]);
  expect(out).toContain('A game day of mine is under way: id-1');
});

test('--dry-run says with what it would start', async () => {
  const { started, out } = await run(['oss-01', '--dry-run']);
  expect(started).toEqual([]);
  expect(out).toContain('It would start Fail with Tier=oss Slot=oss-01 Failure=Terminate');
});

test('approvers are named where the configuration names nobody, and nowhere else', async () => {
  const parameters = async () => new Map([['Approvers', { needed: true }]]);
  await expect(run(['oss-01', '--yes'], [], { parameters })).rejects.toThrow('name them with --approvers');
  const { started } = await run(['oss-01', '--yes', '--approvers', OWNER], [WELL], { parameters });
  expect(started).toMatchObject([{ Approvers: [OWNER] }]);
  await expect(run(['oss-01', '--yes', '--approvers', OWNER])).rejects.toThrow(
    'nobody else may: leave it out',
  );
});

test('one that was rejected is exit code 1, with the reason, and no report', async () => {
  const rejected = { ...look('Failed', step('approve', 'Failed')), why: 'rejected' };
  const { code, out, err } = await run(['oss-01', '--yes'], [rejected]);
  expect(code).toBe(1);
  expect(err).toContain('rejected');
  expect(out).not.toContain('served again');
});

test('--json is for programs', async () => {
  const { out } = await run(['oss-01', '--yes', '--json']);
  expect(JSON.parse(out)).toEqual({
    deployment: 'mine',
    execution: 'id-1',
    status: 'Success',
    report: 'lost\nserved again',
  });
});

test('what cannot be done says what can', async () => {
  await expect(run(['oss-07', '--yes'])).rejects.toThrow(
    "'oss-07' is no tier and no slot of mine; allowed: mgs, oss, mgs-00",
  );
  await expect(run(['oss-01'])).rejects.toThrow('--yes');
  await expect(run(['--follow'])).rejects.toThrow('No game day of mine is under way');
  await expect(run(['oss', '--yes'], [], {}, ['GameDayDocument'])).rejects.toThrow(
    'Write gameDay into its configuration',
  );
});
