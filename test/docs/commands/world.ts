import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitFor } from '../../../proof/kit/processes';

const execute = promisify(execFile);

/** What the commands say is deployed. */
export const NAME = 'mine';
export const TIER = 'nfs';
export const SLOT = 'nfs-00';

/** The row of the slot. */
export interface Row {
  readonly owner?: string;
  readonly phase: string;
  readonly epoch: string;
  readonly servedEpoch: string;
  readonly address: string;
  readonly networkInterface: string;
  readonly volumes: string[];
}

type Attribute = {
  readonly S: string;
  readonly N: string;
  readonly L: { readonly M: Record<string, Attribute> }[];
};

/** What is deployed, asked with the AWS CLI as the commands do. */
export class World {
  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  async aws<T>(...args: string[]): Promise<T> {
    const { stdout } = await execute('aws', [...args, '--output', 'json'], {
      env: this.environment,
      maxBuffer: 1 << 26,
    });
    return (stdout.trim() ? JSON.parse(stdout) : undefined) as T;
  }

  async output(name: string): Promise<string> {
    const query = `Stacks[?starts_with(StackName, '${NAME}-')].Outputs[] | [?OutputKey=='${name}'].OutputValue`;
    const found = await this.aws<string[]>('cloudformation', 'describe-stacks', '--query', query);
    if (found.length !== 1) throw new Error(`${found.length} stacks of ${NAME} have the output ${name}`);
    return found[0]!;
  }

  /** The group and the workflow of the tier. */
  async tier(): Promise<{ group: string; workflowArn: string }> {
    return JSON.parse(await this.output('Tiers'))[0];
  }

  async row(): Promise<Row | undefined> {
    const key = JSON.stringify({ tier: { S: TIER }, item: { S: `slot#${SLOT}` } });
    const table = await this.output('VolumeMapTable');
    const answer = await this.aws<{ Item?: Record<string, Attribute> } | undefined>(
      ...['dynamodb', 'get-item', '--table-name', table, '--consistent-read', '--key', key],
    );
    const item = answer?.Item;
    if (!item) return undefined;
    return {
      owner: item.owner?.S,
      phase: item.phase!.S,
      epoch: item.epoch!.N,
      servedEpoch: item.servedEpoch!.N,
      address: item.address!.S,
      networkInterface: item.networkInterfaceId!.S,
      volumes: item.volumes!.L.map(({ M }) => M.volumeId!.S),
    };
  }

  /** How the interface and the first volume of the slot are attached to its server. */
  async attachments(): Promise<{ interface: string; device: string }> {
    const { networkInterface, volumes } = (await this.row())!;
    const ofInterface = ['--network-interface-ids', networkInterface, '--query'];
    const ofVolume = ['--volume-ids', volumes[0]!, '--query', 'Volumes[0].Attachments[0].Device'];
    const id = 'NetworkInterfaces[0].Attachment.AttachmentId';
    return {
      interface: await this.aws('ec2', 'describe-network-interfaces', ...ofInterface, id),
      device: await this.aws('ec2', 'describe-volumes', ...ofVolume),
    };
  }

  /** The server of the slot, once it is served. */
  async server(): Promise<string> {
    return waitFor('the slot to be served', async () => {
      const row = await this.row();
      if (!row?.owner || row.phase !== 'served' || row.epoch !== row.servedEpoch) return undefined;
      return (await this.stateOf(row.owner)) === 'running' ? row.owner : undefined;
    });
  }

  async stateOf(instance: string): Promise<string> {
    const query = 'Reservations[].Instances[].State.Name | [0]';
    return this.aws('ec2', 'describe-instances', '--instance-ids', instance, '--query', query);
  }

  async becomes(instance: string, state: string): Promise<void> {
    await waitFor(
      `${instance} to be ${state}`,
      async () => (await this.stateOf(instance)) === state || undefined,
    );
  }

  /** A node of the grid. */
  async node(): Promise<string> {
    const filter = `Name=tag:aws:cloudformation:stack-name,Values=${NAME}-grid`;
    const query = 'Reservations[].Instances[].InstanceId | [0]';
    return this.aws('ec2', 'describe-instances', '--filters', filter, '--query', query);
  }

  /** The server that waits for a slot. */
  async waiting(): Promise<string> {
    const { group } = await this.tier();
    const query = "AutoScalingGroups[].Instances[?LifecycleState=='Pending:Wait'].InstanceId | [] | [0]";
    return waitFor('a server to wait at its hook', async () => {
      const found = await this.aws<string | null>(
        ...[
          'autoscaling',
          'describe-auto-scaling-groups',
          '--auto-scaling-group-names',
          group,
          '--query',
          query,
        ],
      );
      return found ?? undefined;
    });
  }

  /** The instance refresh of the tier has ended. */
  async refreshed(): Promise<void> {
    const { group } = await this.tier();
    const query = 'InstanceRefreshes[0].Status';
    await waitFor('the instance refresh to end', async () => {
      const status = await this.aws<string>(
        ...[
          'autoscaling',
          'describe-instance-refreshes',
          '--auto-scaling-group-name',
          group,
          '--query',
          query,
        ],
      );
      return ['Pending', 'InProgress'].includes(status) ? undefined : status;
    });
  }

  /** Whether events start the workflow. A pass that is under way has ended when this returns. */
  async workflow(enabled: boolean): Promise<void> {
    const { workflowArn } = await this.tier();
    const { RuleNames: rules } = await this.aws<{ RuleNames: string[] }>(
      ...['events', 'list-rule-names-by-target', '--target-arn', workflowArn],
    );
    for (const rule of rules)
      await this.aws('events', enabled ? 'enable-rule' : 'disable-rule', '--name', rule);
    if (enabled) {
      await this.aws('stepfunctions', 'start-execution', '--state-machine-arn', workflowArn, '--input', '{}');
      return;
    }
    await waitFor('the workflow to rest', async () => {
      const running = await this.aws<unknown[]>(
        ...['stepfunctions', 'list-executions', '--state-machine-arn', workflowArn],
        ...['--status-filter', 'RUNNING', '--query', 'executions'],
      );
      return running.length === 0 || undefined;
    });
  }
}
