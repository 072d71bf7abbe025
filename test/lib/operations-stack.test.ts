import { stringify } from 'yaml';
import { ConfigError, loadConfig, parseConfig } from '../../lib/config';
import { reference, synthesize } from '../outline/reference-templates';

/** What the function of a template's operations is told of the deployment, with names in the place of references. */
function settingsIn(template: { Resources: object }): { [key: string]: unknown } {
  const [found] = Object.entries(template.Resources)
    .filter(([id, { Type }]) => id.startsWith('SleepSteps') && Type === 'AWS::Lambda::Function')
    .map(([, { Properties }]) => Properties.Environment.Variables.DEPLOYMENT);
  const parts: unknown[] = typeof found === 'string' ? [found] : found['Fn::Join'][1];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'ref')).join(''));
}

const operationsOf = (name: string) => settingsIn(reference(name).templates[`${name}-operations`] as never);

const LUSTRE = {
  stopOrder: ['mds', 'oss', 'mgs'],
  hostsHaveUsers: false,
  clusterGroups: [],
  tiers: ['mgs', 'mds', 'oss'].map((tier) => expect.objectContaining({ tier, spares: 0 })),
};

test.each<[string, object]>([
  ['sas-grid-lustre', { ...LUSTRE, nodeStack: 'sas-grid-lustre-grid' }],
  ['sas-grid-lustre-2015', { ...LUSTRE, nodeStack: 'sas-grid-lustre-2015-grid' }],
  ['sas-grid-nfs', { stopOrder: ['nfs'], nodeStack: 'sas-grid-nfs-grid', hostsHaveUsers: false }],
  ['nfs-storage-server', { stopOrder: ['nfs'], stacks: ['nfs-storage-server-storage'] }],
  // AWS runs the servers: the nodes stop.
  ['sas-grid-fsx', { tiers: [], clusterGroups: [], nodeStack: 'sas-grid-fsx-grid' }],
  // The hosts with the volumes are the grid.
  ['sas-server-io2', { stopOrder: ['io2'], hostsHaveUsers: true, clusterGroups: [] }],
  ['sas-grid-gfs2', { tiers: [], hostsHaveUsers: true, clusterGroups: ['ref', 'ref', 'ref'] }],
])('%s is put to sleep as what it is made of', (name, wanted) => {
  const settings = operationsOf(name);
  expect(settings).toMatchObject({ deployment: name, ...wanted });
  expect(settings).not.toHaveProperty('refusal');
  if (!('nodeStack' in wanted)) expect(settings).not.toHaveProperty('nodeStack');
  // A group has its slots and its spares: what start makes of it is what CloudFormation made.
  for (const { group, slots, spares } of settings.tiers as {
    group: string;
    slots: number;
    spares: number;
  }[]) {
    const groups = Object.values(reference(name).templates[`${name}-storage`]!.Resources)
      .filter(({ Type }) => Type === 'AWS::AutoScaling::AutoScalingGroup')
      .map(
        ({ Properties }) => Properties as { MinSize: string; MaxSize: string; AutoScalingGroupName: unknown },
      );
    const tier = group.slice(`${name}-storage`.length);
    const own = groups.find(({ AutoScalingGroupName }) =>
      JSON.stringify(AutoScalingGroupName).includes(tier),
    )!;
    expect([own.MinSize, own.MaxSize]).toEqual([String(slots + spares), expect.any(String)]);
  }
});

describe('a server whose data lie on its instance store', () => {
  const nfs = { instanceStore: { dataLossAcceptableBecause: 'it is a test' } };
  const config = { ...loadConfig('sas-grid-nfs'), gameDay: undefined, nfs };

  test('refuses, and says what to do', () => {
    const { templates } = synthesize('sas-grid-nfs', config as never);
    const settings = settingsIn(templates['sas-grid-nfs-operations'] as never);
    expect(settings.refusal).toMatch(/instance store, and is lost .* Copy it/);
  });

  test('does not stop by itself', () => {
    const sleep = { stop: 'cron(0 20 ? * MON-FRI *)', start: 'cron(0 7 ? * MON-FRI *)', timeZone: 'UTC' };
    const { gameDay: _gameDay, ...rest } = config;
    const text = stringify({ ...rest, operations: { sleep } });
    expect(() => parseConfig(text, 'f')).toThrow(ConfigError);
    expect(() => parseConfig(text, 'f')).toThrow(/operations\.sleep.*nfs\.instanceStore/);
  });
});
