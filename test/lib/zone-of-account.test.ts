import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { keptResources } from '../../constructs/deployed-data/kept-resources';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';

const folder = mkdtempSync(join(tmpdir(), 'zone-'));
afterAll(() => rmSync(folder, { recursive: true }));

const make = (more: Partial<DeploymentConfig>, record = join(folder, 'none.json')) =>
  createDeployment(
    testApp(),
    'mine',
    { ...loadConfig('sas-grid-nfs'), region: 'us-east-1', ...more },
    record,
  );

test('an account without a zone is refused, with the zone of what is deployed', () => {
  expect(() => make({ account: '111122223333' })).toThrow(
    /network.availabilityZone is 'missing'.*describe-instance-type-offerings.*describe-subnets.*stack-name/,
  );
});

test('a zone, or no account, is taken', () => {
  make({ account: '111122223333', network: { availabilityZone: 'us-east-1b' } });
  make({});
});

test('what is recorded as deployed goes on without, and is warned', () => {
  const record = join(folder, 'mine.volumes.json');
  const { storage } = make({});
  writeFileSync(record, JSON.stringify(keptResources(storage.node.root)));
  const { network } = make({ account: '111122223333' }, record);
  expect(
    Annotations.fromStack(network!).findWarning('*', Match.stringLikeRegexp('zoneNotNamed')),
  ).toHaveLength(1);
});
