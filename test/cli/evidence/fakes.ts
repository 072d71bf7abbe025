import { type FoundDeployment, findDeployment } from '../../../cli/deployment';
import { accountWith, resource } from '../deployment/account';

/** What a command writes. */
export function screens() {
  const said = { out: '', err: '' };
  const screen = (to: 'out' | 'err') => ({
    write: (text: string) => {
      said[to] += text;
    },
  });
  return { said, output: { out: screen('out'), err: screen('err'), env: {} } };
}

const ARN = 'arn:aws:states:eu-west-1:111122223333:stateMachine';

/** A deployment `mine` with all that these verbs look for, or without some outputs. */
export function mine(without: readonly string[] = []): Promise<FoundDeployment> {
  const outputs = (given: { [key: string]: string }) =>
    Object.fromEntries(Object.entries(given).filter(([key]) => !without.includes(key)));
  const log = (id: string, group: string) => resource(id, 'AWS::Logs::LogGroup', group);
  return findDeployment(
    'mine',
    accountWith([
      {
        name: 'mine-storage',
        outputs: outputs({
          VolumeMapTable: 'Map',
          Tiers: JSON.stringify([
            { tier: 'mgs', slots: 1 },
            { tier: 'oss', slots: 2 },
          ]),
        }),
        resources: [log('LustreOssReconcilerLogs5A7511FD', 'reconciler')],
      },
      {
        name: 'mine-grid',
        outputs: outputs({ GameDayDocument: 'Fail', GameDayTopic: 'arn:topic' }),
        resources: [log('GridHealthFunctionLogs5A7511FD', 'health')],
      },
      {
        name: 'mine-benchmark',
        outputs: outputs({
          BenchmarkWorkflow: `${ARN}:bench`,
          BenchmarkBucket: 'results',
          BenchmarkEstimate: '20 minutes',
        }),
      },
      {
        name: 'mine-operations',
        outputs: outputs({
          BundleWorkflow: `${ARN}:bundle`,
          BundleBucket: 'bundles',
          JournalDocument: 'Journal',
        }),
      },
    ]),
  );
}

/** The hosts of `mine`. */
export const HOSTS = {
  hosts: async () => [
    { instanceId: 'i-1', state: 'running', name: 'mine-storage-oss' },
    { instanceId: 'i-2', state: 'running', name: 'mine-storage-oss' },
    { instanceId: 'i-3', state: 'stopped', name: 'node1' },
  ],
  owners: async () =>
    new Map([
      ['oss-00', 'i-1'],
      ['oss-01', 'i-2'],
    ]),
};
