import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measurement, median } from './measurement';
import { secondsOf } from './timing';

/** No credentials, no network: what 'cdk synth' must manage with. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(AWS_|CDK_)/.test(name));
  return { ...Object.fromEntries(own), CDK_DISABLE_CLI_TELEMETRY: 'true', NO_COLOR: '1' };
}

/**
 * Times the synthesis of each reference deployment and of an app with one all but empty stack, which is what the CDK
 * itself costs on this machine. Both go through the same command and the same settings, in turns, so that a slow moment
 * of the machine hits both. The empty app starts through `npx tsx`, as TypeScript apps usually do; ours starts as its
 * cdk.json says.
 */
export function measureSynthesis(root: string, repetitions: number): Measurement[] {
  const folder = mkdtempSync(join(tmpdir(), 'sas-grid-bench-'));
  try {
    const empty = emptyApp(root, folder);
    const deployments = readdirSync(join(root, 'config'))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => name.slice(0, -'.yaml'.length))
      .sort();
    const synth = (cwd: string, args: string[]) =>
      secondsOf(
        process.execPath,
        [
          join(root, 'node_modules/aws-cdk/bin/cdk'),
          'synth',
          '--quiet',
          '--output',
          join(folder, 'cdk.out'),
          ...args,
        ],
        { cwd, env: bareEnvironment() },
      );
    const times: Record<string, number[]> = Object.fromEntries(
      ['', ...deployments].map((name) => [name, []]),
    );
    // The first round only fills caches: it is not counted.
    for (let round = 0; round <= repetitions; round++) {
      const emptySeconds = synth(empty, []);
      if (round > 0) times['']!.push(emptySeconds);
      for (const name of deployments) {
        const seconds = synth(root, ['-c', `deployment=${name}`]);
        if (round > 0) times[name]!.push(seconds);
      }
    }
    const base = median(times['']!);
    const note = `median of ${repetitions}`;
    return [
      { name: 'Synthesis of an empty app', value: base, unit: 's', note },
      ...deployments.flatMap((name): Measurement[] => {
        const seconds = median(times[name]!);
        return [
          { name: `Synthesis of ${name}`, value: seconds, unit: 's', note },
          {
            name: `Synthesis of ${name} against the empty app`,
            value: seconds / base,
            unit: 'x',
            goal: 1.4,
            note,
          },
        ];
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An app with one all but empty stack and the settings of ours, except that it starts the usual way. */
function emptyApp(root: string, folder: string): string {
  const settings = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as Record<string, unknown>;
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ ...settings, app: 'npx tsx app.ts' }));
  // A template without resources does not pass validation; this is the smallest that does.
  const app = [
    "import { App, CfnWaitConditionHandle, Stack } from 'aws-cdk-lib';",
    "new CfnWaitConditionHandle(new Stack(new App(), 'Empty'), 'Nothing');",
  ];
  writeFileSync(join(folder, 'app.ts'), `${app.join('\n')}\n`);
  return folder;
}
