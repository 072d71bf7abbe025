import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { loadConfig } from '../../lib/config';
import type { BenchmarkConfig, DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { run } from '../cli/terminal';
import { testApp } from '../helpers/app';

// A wish is said once, in `grid`, and is the same number wherever it counts.

const SHARED = 131;
const TEMPORARY = 631;

function deployed(config: DeploymentConfig) {
  const app = testApp();
  const { grid, benchmark } = createDeployment(app, 'mine', config, '/nonexistent/no-record.json');
  const judged = JSON.stringify(
    Template.fromStack(benchmark!).findResources('AWS::StepFunctions::StateMachine'),
  );
  return {
    warnings: Annotations.fromStack(grid!)
      .findWarning('*', Match.stringLikeRegexp('too slow'))
      .map(({ entry }) => String(entry.data)),
    output: String(Template.fromStack(grid!).findOutputs('PredictedThroughput').PredictedThroughput!.Value),
    judged: [...judged.matchAll(/"(write|read)MBpsPerCore\\+":([\d.]+)/g)].map(([, , wanted]) =>
      Number(wanted),
    ),
  };
}

function wishing(wish: object, benchmark: BenchmarkConfig = {}): DeploymentConfig {
  const config = loadConfig('sas-grid-lustre');
  return { ...config, grid: { ...config.grid!, ...wish }, benchmark };
}

describe('a wish of the grid', () => {
  const config = wishing({ sharedMBpsPerCore: SHARED, temporaryMBpsPerCore: TEMPORARY });
  const { warnings, output, judged } = deployed(config);

  test('is what synthesis compares the storage with', () => {
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain(`${SHARED}`);
    expect(warnings.join()).toContain(`${TEMPORARY}`);
  });

  test('is in the output beside what is predicted', () => {
    expect(output).toMatch(/^Shared: .* Wanted: 131 MB\/s for each core\. Temporary: .* Wanted: 631 MB/);
  });

  test('is what the benchmark judges by', () => {
    expect(judged).toEqual([TEMPORARY, TEMPORARY, SHARED, SHARED]);
  });
});

test('the benchmark can ask for something else', () => {
  const { judged } = deployed(wishing({ sharedMBpsPerCore: SHARED }, { sharedMBpsPerCore: 60 }));
  expect(judged).toEqual([100, 100, 60, 60]);
});

test('without a wish it judges by what the papers want', () => {
  const none = { sharedMBpsPerCore: undefined, temporaryMBpsPerCore: undefined };
  const { judged, output } = deployed(wishing(none));
  expect(judged).toEqual([100, 100, 50, 50]);
  expect(output).not.toContain('Wanted');
});

test('what was planned is written as a wish, and compared as one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wish-'));
  try {
    const file = join(folder, 'mine.yaml');
    const planned =
      `plan --nodes 4 --type i4i.8xlarge --shared ${SHARED} --temp 90 --capacity ` +
      '20TB --design lustre-gp3';
    expect(run([...planned.split(' '), '--write', file]).code).toBe(0);
    expect(loadConfig('mine', folder).grid).toMatchObject({
      sharedMBpsPerCore: SHARED,
      temporaryMBpsPerCore: 90,
    });
    const { out } = run(`compare ${file} config/sas-grid-nfs.yaml`);
    expect(out).toMatch(/^wanted for each core, MB\/s +131 +not said *$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
