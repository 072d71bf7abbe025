import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_LIMITS } from '../../constructs/sizing';
import { type Measurement, median } from './measurement';
import { computingSeconds, scaledConfig, synthesizeScaled } from './scaled';

const SERVERS = [16, 32, 64, 128];
const VOLUMES = 8;

/**
 * How synthesis grows with the object storage servers, how near their templates come to the limits, and a deployment of
 * the most there can be.
 */
export function measureScale(root: string, repetitions: number, deploy: boolean): Measurement[] {
  const folder = mkdtempSync(join(tmpdir(), 'sas-grid-scale-'));
  try {
    const synth = (servers: number) =>
      computingSeconds(() => synthesizeScaled(scaledConfig(servers, VOLUMES), join(folder, String(servers))));
    synth(SERVERS[0]!); // loads what is loaded at first use
    const times = SERVERS.map((servers) => median(Array.from({ length: repetitions }, () => synth(servers))));
    const note = `${VOLUMES} volumes each; processor time, median of ${repetitions}`;
    return [
      ...SERVERS.map(
        (servers, index): Measurement => ({
          name: `Synthesis of ${servers} object storage servers`,
          value: times[index]!,
          unit: 's',
          note,
        }),
      ),
      {
        name: 'Synthesis of 128 servers against 32',
        value: times[3]! / times[1]!,
        unit: 'x',
        goal: 5,
        note: '4 would be in proportion',
      },
      ...largestOf(join(folder, '128')),
      ...(deploy ? deployment(root) : []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function largestOf(assembly: string): Measurement[] {
  const texts = readdirSync(assembly)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => readFileSync(join(assembly, name), 'utf8'));
  const note = '128 servers with 8 volumes, largest of 7 templates';
  return [
    {
      name: 'Template',
      value: Math.max(...texts.map((text) => Buffer.byteLength(text))) / 1000,
      unit: 'kB',
      goal: SERVICE_LIMITS.templateBytes.value / 1000,
      note,
    },
    {
      name: 'Resources of a stack',
      value: Math.max(...texts.map((text) => Object.keys(JSON.parse(text).Resources).length)),
      unit: 'resources',
      goal: SERVICE_LIMITS.stackResources.value,
      note,
    },
  ];
}

function deployment(root: string): Measurement[] {
  const tsx = join(root, 'node_modules', '.bin', 'tsx');
  const script = join(root, 'bench', 'deploy-at-scale.ts');
  const { status, stdout, stderr } = spawnSync(tsx, [script], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trimEnd().split('\n').slice(-12).join('\n'));
  const result = JSON.parse(stdout.trimEnd().split('\n').pop()!);
  const note =
    `${result.volumes} volumes, ${result.nestedStacks} nested stacks; npx tsx ` +
    'proof/bench/deploy-at-scale.ts';
  return [
    {
      name: 'Deployment of 128 object storage servers on the embedded AWS',
      value: result.deploySeconds,
      unit: 's',
      note,
    },
    {
      name: 'Deletion of 128 object storage servers on the embedded AWS',
      value: result.destroySeconds,
      unit: 's',
      note,
    },
  ];
}
