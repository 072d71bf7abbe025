import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { createCatalog } from '../../lib/service-catalog/catalog';
import { loadCatalog } from '../../lib/service-catalog/catalog-config';
import { testApp } from '../helpers/app';
import { collisions, type PhysicalName, physicalNames } from '../helpers/physical-names';
import { REFERENCES } from '../helpers/reference-deployments';

// Two of anything that can be deployed twice: in one region, in two regions of one account, in one VPC.

/** Of the two on Lustre one has what the other one has, and a NAT instance. */
const DEPLOYMENTS = REFERENCES.filter((name) => name !== 'sas-grid-lustre');

/** The names of a deployment under another name, or with another configuration. */
function namesOf(name: string, config: DeploymentConfig, vpc?: string): PhysicalName[] {
  const app = testApp();
  createDeployment(app, name, config, '/nonexistent/no-record.json');
  return app.synth().stacks.flatMap((stack) => physicalNames(stack.template, stack.stackName, vpc ?? name));
}

describe.each(DEPLOYMENTS)('%s', (name) => {
  const config = loadConfig(name);
  const first = namesOf(name, config);

  test('beside itself under another name, in one region', () => {
    const nat = config.network?.nat === 'instance';
    expect(
      collisions([...first, ...namesOf('second', config)], ['account', 'region', 'world', 'vpc']),
    ).toEqual(
      // It keeps the name that it has; another deployment names its own.
      nat ? ['AWS::EC2::LaunchTemplate.LaunchTemplateName NatInstanceLaunchTemplate'] : [],
    );
    if (!nat) return;
    const own = { ...config, network: { ...config.network, natLaunchTemplateName: 'second-nat' } };
    expect(collisions([...first, ...namesOf('second', own)], ['region'])).toEqual([]);
  });

  test('in two regions of one account', () => {
    const dashboard = `AWS::CloudWatch::Dashboard.DashboardName ${name}-benchmark-Benchmark`;
    // Of the same configuration the names are the same.
    expect(collisions([...first, ...first], ['account', 'world'])).toEqual(
      config.benchmark ? [dashboard] : [],
    );
    if (!config.benchmark) return;
    const own = { ...config, benchmark: { ...config.benchmark, name: `${name}-ireland` } };
    expect(collisions([...first, ...namesOf(name, own)], ['account', 'world'])).toEqual([]);
  });
});

test('two NFS servers in one VPC that exists have two names', () => {
  const config = loadConfig('nfs-storage-server');
  const [first, same] = [namesOf('a', config, 'vpc'), namesOf('b', config, 'vpc')];
  expect(collisions([...first, ...same], ['vpc'])).toHaveLength(2);
  const other = { ...config, nfs: { ...config.nfs!, hostName: 'storage2' } };
  expect(collisions([...first, ...namesOf('b', other, 'vpc')], ['vpc'])).toEqual([]);
  const hostedZone = { id: 'Z0123456789ABC', name: 'corp.example.com' };
  const central = { ...config, nfs: { ...config.nfs!, hostedZone } };
  const kinds = namesOf('b', central, 'vpc').filter(({ scope }) => scope === 'vpc');
  expect(kinds.map(({ name }) => name)).toEqual(['vpc: storage1.corp.example.com.']);
});

describe('products', () => {
  const folder = mkdtempSync(join(tmpdir(), 'two-'));
  const app = testApp({}, { outdir: folder });
  const surroundings = { account: '111122223333', region: 'eu-central-1', versions: '/nonexistent' };
  const stack = createCatalog(app, 'catalog', loadCatalog('service-catalog'), surroundings);
  app.synth();
  afterAll(() => rmSync(folder, { recursive: true }));
  const products = Object.entries(stack.products).map(
    ([name, { templateFile }]) =>
      [name, JSON.parse(readFileSync(join(folder, templateFile), 'utf8'))] as const,
  );

  test.each(products)('two launches of %s', (name, template) => {
    // The VPC of this one exists, and may be the same for both.
    const vpcs = name === 'nfs-storage-server' ? ['vpc', 'vpc'] : ['vpc-1', 'vpc-2'];
    const names = vpcs.flatMap((vpc, index) => physicalNames(template, `SC-${index}`, vpc));
    expect(collisions(names, ['account', 'region', 'world', 'vpc'])).toEqual([]);
  });
});
