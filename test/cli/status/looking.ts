import { showStatus } from '../../../cli/run-status';
import { parseStatus } from '../../../cli/status/options';
import type { StatusAws } from '../../../cli/status/port';
import type { StatusReport } from '../../../cli/status/report';
import { accountWith, type MadeStack, resource } from '../deployment/account';
import { ago, group, instance, NOW, row, statusAccount } from './account';

export const WHERE = { region: 'eu-west-1', account: '123456789012' };

/** An NFS server, as its stack is. */
export const NFS: MadeStack = {
  name: 'mine-storage',
  since: ago(300),
  resources: [
    resource('NfsVolumeMapTable03CC', 'AWS::DynamoDB::Table', 'map'),
    resource('NfsServerServersGroupASG35D4', 'AWS::AutoScaling::AutoScalingGroup', 'group-nfs'),
    resource('NfsServerRecoveryStateMachine3FD8', 'AWS::StepFunctions::StateMachine', 'recovery'),
    resource('NfsServerHealthProbeProbeDocument67B1', 'AWS::SSM::Document', 'probe'),
    resource(
      'NfsServerAlarmsUnserved1234ABCD',
      'AWS::CloudWatch::Alarm',
      'mine-storage-NfsServerAlarmsUnserved-X',
    ),
  ],
};
/** A grid of one node. */
export const GRID: MadeStack = {
  name: 'mine-grid',
  resources: [
    resource('GridNode1Server0F82', 'AWS::EC2::Instance', 'i-node1'),
    resource('GridHealthDocument1768', 'AWS::SSM::Document', 'health'),
    resource('GridHealthCleanUpDocumentCC2F', 'AWS::SSM::Document', 'clean-up'),
  ],
};

/** AWS in which all is well. */
export const nfsAws = (more: Partial<StatusAws> = {}) =>
  statusAccount({
    slotItems: async () => [row('nfs-00')],
    groups: async () => [group('nfs', 'Nfs/Server', ['i-nfs-00'])],
    instances: async (ids) => ids.map((id) => instance(id)),
    alarms: async (names) => names.map((name) => ({ name, state: 'OK' })),
    health: async (document) => {
      expect(document).toBe('health');
      return { 'i-node1': { is: 'healthy', name: 'node1', usedPercent: 12, reasons: [], at: ago(3) } };
    },
    throughput: async (ids) =>
      Object.fromEntries(ids.map((id) => [id, { readMBps: 120.4, writeMBps: 3.21 }])),
    ...more,
  });

/** What is printed, and the exit code. */
export async function status(aws: StatusAws, stacks: readonly MadeStack[] = [NFS, GRID], ...args: string[]) {
  let text = '';
  const screen = { write: (more: string) => (text += more) };
  const code = await showStatus(
    parseStatus(['mine', ...args]),
    { out: screen, err: screen, env: {} },
    { where: WHERE, stacks: accountWith(stacks), aws, now: () => NOW, pause: async () => false },
  );
  return { code, text };
}

/** The same for programs. */
export async function report(...given: Parameters<typeof status>): Promise<StatusReport & { code: number }> {
  const [aws, stacks] = given;
  const { code, text } = await status(aws, stacks ?? [NFS, GRID], '--json');
  return { code, ...JSON.parse(text) };
}
