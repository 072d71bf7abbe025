import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Measurement, median } from './measurement';
import { secondsOf } from './timing';

const MAX_MS = 60;

/**
 * Times `require` of the built package beyond the start of Node, and of aws-cdk-lib, without which nothing of it can be
 * used: its floor. Both take turns, so that a slow moment of the machine hits both.
 */
export function measureLoading(root: string, repetitions: number): Measurement[] {
  if (!existsSync(join(root, 'dist', 'index.js')))
    secondsOf('npm', ['run', '--silent', 'jsii'], { cwd: root });
  const scripts = {
    nothing: '',
    floor: "require('aws-cdk-lib')",
    package: `require(${JSON.stringify(root)})`,
    class: `require('aws-cdk-lib'); require(${JSON.stringify(root)}).IntelLustre`,
  };
  type Name = keyof typeof scripts;
  const names = Object.keys(scripts) as Name[];
  const times: Record<Name, number[]> = { nothing: [], floor: [], package: [], class: [] };
  // The first round only fills caches: it is not counted.
  for (let round = 0; round <= repetitions; round++)
    for (const name of names) {
      const seconds = secondsOf(process.execPath, ['-e', scripts[name]], { cwd: root });
      if (round > 0) times[name].push(seconds);
    }
  const beyond = (name: Name, floor: Name) =>
    Math.max(0, (median(times[name]) - median(times[floor])) * 1000);
  const how = `in a fresh Node, beyond its start, median of ${repetitions}`;
  return [
    {
      name: "require('aws-cdk-lib')",
      value: beyond('floor', 'nothing'),
      unit: 'ms',
      note: `${how}: the floor`,
    },
    {
      name: "require('cdk-sas-grid')",
      value: beyond('package', 'nothing'),
      unit: 'ms',
      goal: MAX_MS,
      note: how,
    },
    {
      name: 'First use of IntelLustre',
      value: beyond('class', 'floor'),
      unit: 'ms',
      note: `both required and the class loaded, beyond the floor, median of ${repetitions}`,
    },
  ];
}
