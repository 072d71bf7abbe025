import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionError } from '../../cli/arguments';
import { seconds, Terminal, table } from '../../cli/terminal';
import { TERMINATION } from '../../proof/demo/harms';
import { parseOptions } from '../../proof/demo/options';
import { LineReader, parseCdkLine } from '../../proof/kit/cdk-output';
import { readOutputs } from '../../proof/kit/deploy';
import { emptyState, requireLoopback, withoutAws } from '../../proof/kit/localcloud';

describe('options', () => {
  test('have defaults', () => {
    expect(parseOptions([])).toEqual({
      deployment: 'sas-grid-lustre',
      short: false,
      harms: [TERMINATION],
      twice: false,
      keep: false,
      out: 'out/demo',
      state: 'out/demo/state',
      python: '.venv/bin/python',
      help: false,
    });
  });

  test('are read', () => {
    const args = [
      '--deployment',
      'mine',
      '--short',
      '--keep',
      '--state',
      '/s',
      '--python',
      'python3',
      '--out',
      'o',
    ];
    expect(parseOptions(args)).toMatchObject({
      deployment: 'mine',
      short: true,
      twice: false,
      keep: true,
      state: '/s',
      out: 'o',
    });
  });

  test('the Python can come from the environment, and the option wins', () => {
    const env = { SAS_GRID_PYTHON: '/env/python' };
    expect(parseOptions([], env).python).toBe('/env/python');
    expect(parseOptions(['--python', '/own'], env).python).toBe('/own');
  });

  test.each([
    [['--wrong']],
    [['positional']],
    [['--deployment']],
    [['--deployment', '../x']],
    [['--deployment', 'A']],
  ])('wrong ones are refused: %s', (args) => expect(() => parseOptions(args)).toThrow(OptionError));
});

describe('tables', () => {
  test('line up', () => {
    expect(table(['Slot', 'Address'], [['oss-00', '172.16.4.20'], ['mgs-00']])).toEqual([
      'Slot    Address',
      '------  -----------',
      'oss-00  172.16.4.20',
      'mgs-00',
    ]);
  });

  test.each([
    [0.04, '0.0 s'],
    [38.16, '38.2 s'],
    [125.4, '2 min 05 s'],
    [119.6, '2 min 00 s'],
  ])('%d seconds read as %s', (value, text) => expect(seconds(value)).toBe(text));
});

describe('the terminal', () => {
  const print = (screen: { isTTY?: boolean }, env: NodeJS.ProcessEnv) => {
    let text = '';
    const terminal = new Terminal({ ...screen, write: (more) => (text += more) }, env);
    terminal.status('working');
    terminal.check(false, 'broken');
    return text;
  };

  test('is coloured and shows a status where a person looks', () => {
    expect(print({ isTTY: true }, {})).toContain('\u001b[31m');
    expect(print({ isTTY: true }, {})).toContain('working');
  });

  test.each([
    ['a file', {}, {}],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
  ])('is not coloured for %s', (_name, screen, env) => {
    expect(print(screen, env)).not.toContain('\u001b[31m');
  });

  test('writes no status into a file', () => expect(print({}, {})).toBe('  FAIL  broken\n'));
});

describe("cdk's output", () => {
  test.each([
    ['x-network: deploying... [1/3]', { kind: 'started', stack: 'x-network', position: '1/3' }],
    [' ✅  x-network', { kind: 'done', stack: 'x-network' }],
    [' ✅  x-network (no changes)', { kind: 'done', stack: 'x-network' }],
    [' ✅  x-grid: destroyed', { kind: 'done', stack: 'x-grid' }],
    [' ❌  x-grid failed: Error', { kind: 'failed', stack: 'x-grid' }],
    [
      'x-storage |  3/41 | 10:00:00 | CREATE_COMPLETE | AWS::EC2::Volume | V',
      { kind: 'resources', done: 3, total: 41 },
    ],
  ])('%s', (line, progress) => expect(parseCdkLine(line)).toMatchObject(progress));

  test('other lines tell nothing', () => expect(parseCdkLine('✨  Deployment time: 1.2s')).toBeUndefined());

  test('lines are complete before they are read', () => {
    const reader = new LineReader();
    expect(reader.push('a\nb')).toEqual(['a']);
    expect(reader.push('c\n')).toEqual(['bc']);
  });
});

describe('the outputs of the storage stack', () => {
  const tiers = JSON.stringify([
    { tier: 'oss', group: 'g', workflowArn: 'arn', slots: ['oss-00', 'oss-01'] },
  ]);
  const outputs = { VolumeMapTable: 't', FileSystemName: 'sasfs', MgsNid: '172.16.4.10@tcp', Tiers: tiers };

  test('are read, slots as a list or a number', () => {
    expect(readOutputs({ 'd-storage': outputs }, 'd').tiers).toEqual([
      { tier: 'oss', group: 'g', workflowArn: 'arn', slots: 2 },
    ]);
    const counted = { ...outputs, Tiers: tiers.replace('["oss-00","oss-01"]', '3') };
    expect(readOutputs({ 'd-storage': counted }, 'd').tiers[0]?.slots).toBe(3);
  });

  test('of an NFS server have no management server', () => {
    const nfs = { VolumeMapTable: 't', MountSource: '172.16.4.64:/export/sasdata', Tiers: tiers };
    expect(readOutputs({ 'd-storage': nfs }, 'd')).toMatchObject({ fileSystem: nfs.MountSource, mgsNid: '' });
    expect(() => readOutputs({ 'd-storage': { ...nfs, MountSource: '' } }, 'd')).toThrow(
      "no output 'MountSource'",
    );
  });

  test('of a file system that AWS runs have no servers', () => {
    const fsx = { FileSystemId: 'fs-1', MountSource: 'fs-1.fsx.us-east-1.amazonaws.com@tcp:/abcd' };
    expect(readOutputs({ 'd-storage': fsx }, 'd')).toEqual({
      table: '',
      fileSystem: fsx.MountSource,
      mgsNid: '',
      tiers: [],
      managed: { id: 'fs-1', mountSource: fsx.MountSource },
    });
  });

  test('one that is missing is named', () => {
    expect(() => readOutputs({ 'd-storage': { ...outputs, MgsNid: '' } }, 'd')).toThrow("no output 'MgsNid'");
  });
});

describe('the demo stays on this machine', () => {
  test('no AWS setting of the caller reaches a child', () => {
    expect(withoutAws({ AWS_PROFILE: 'production', CDK_DEFAULT_ACCOUNT: '1', PATH: '/bin' })).toEqual({
      PATH: '/bin',
    });
  });

  test('only a loopback endpoint is accepted', () => {
    requireLoopback('http://127.0.0.1:4566');
    expect(() => requireLoopback('https://ec2.us-east-1.amazonaws.com')).toThrow('this machine only');
  });

  test("a folder with other people's files is not emptied", () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-'));
    writeFileSync(join(folder, 'thesis.txt'), '');
    expect(() => emptyState(folder)).toThrow('thesis.txt');
    expect(readdirSync(folder)).toEqual(['thesis.txt']);
  });

  test('a state folder of an earlier run is emptied', () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-'));
    writeFileSync(join(folder, 'history.jsonl'), '');
    mkdirSync(join(folder, 'volumes'));
    emptyState(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});
