import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import {
  consentsToRestart,
  RestartError,
  type RunningHosts,
  recordRunningHosts,
  requireRestartConsent,
  runningHosts,
} from '../../lib/running-hosts';
import { testApp } from '../helpers/app';

const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NAME = 'sas-grid-nfs';

function hostsOf(grid: Partial<DeploymentConfig['grid']> = {}): RunningHosts {
  const config = loadConfig(NAME);
  const app = testApp();
  createDeployment(app, NAME, { ...config, grid: { ...config.grid!, ...grid } }, join(folder, 'none'));
  return runningHosts(app);
}

const now = hostsOf();
const file = join(folder, 'mine.hosts.json');
recordRunningHosts(file, now);
const check = (hosts: RunningHosts, record = file, deployed = true) =>
  requireRestartConsent(record, deployed, hosts, 'make deploy');

test('the hosts of a deployment are the servers of its grid, and the same configuration starts them the same', () => {
  expect(Object.keys(now)).toEqual([
    expect.stringMatching(/^sas-grid-nfs-grid\/GridControlServer/),
    expect.stringMatching(/^sas-grid-nfs-grid\/GridNode1Server/),
    expect.stringMatching(/^sas-grid-nfs-grid\/GridNode2Server/),
  ]);
  expect(hostsOf()).toEqual(now);
  expect(() => check(now)).not.toThrow();
});

test('other settings of hosts that run are refused, with each host and how to consent', () => {
  const moved = hostsOf({ mountPoint: '/elsewhere' });
  expect(() => check(moved)).toThrow(RestartError);
  expect(() => check(moved)).toThrow(
    /stop and start hosts that run.*\n.*GridControlServer[\s\S]*GridNode2Server[\s\S]*: make deploy\n/,
  );
});

test('new hosts, and hosts that go, need no consent', () => {
  const [first, second] = Object.entries(now) as [[string, string], [string, string]];
  recordRunningHosts(join(folder, 'one.hosts.json'), Object.fromEntries([first]));
  expect(() => check(now, join(folder, 'one.hosts.json'))).not.toThrow();
  expect(() => check(Object.fromEntries([second]))).not.toThrow();
});

test('a deployment from before hosts were recorded needs consent, and one that is not deployed does not', () => {
  const none = join(folder, 'none.hosts.json');
  expect(() => check(now, none)).toThrow(/record of it is from before/);
  expect(() => check(now, none, false)).not.toThrow();
});

test('consent is a word of the context, and no other word is taken for it', () => {
  expect(consentsToRestart(testApp())).toBe(false);
  expect(consentsToRestart(testApp({ consent: 'restart-hosts' }))).toBe(true);
  expect(() => consentsToRestart(testApp({ consent: 'yes' }))).toThrow(
    /consent is 'yes'; allowed: restart-hosts/,
  );
});
