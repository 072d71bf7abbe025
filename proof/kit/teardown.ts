import {
  type CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DescribeNatGatewaysCommand, ModifyInstanceAttributeCommand } from '@aws-sdk/client-ec2';
import { ListExecutionsCommand, ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { count } from '../../cli/terminal';
import type { Clients } from './clients';
import { readGroups, readInstances, readVolumes } from './inventory';
import type { Check, Estate, Tier } from './model';
import { machinesOf } from './report-json';
import { readSuperblocks, type Superblock } from './superblocks';

/** The stacks of the deployment that exist. */
export async function stacksOf(client: CloudFormationClient, deployment: string): Promise<Stack[]> {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({}));
  return Stacks.filter(
    ({ StackName, StackStatus }) =>
      StackName?.startsWith(`${deployment}-`) && StackStatus !== 'DELETE_COMPLETE',
  );
}

/** Takes off what protects the deployment from being deleted by mistake: here it is on purpose. */
export async function unprotect(clients: Clients, deployment: string, estate: Estate): Promise<void> {
  for (const stack of await stacksOf(clients.cloudformation, deployment)) {
    if (!stack.EnableTerminationProtection) continue;
    await clients.cloudformation.send(
      new UpdateTerminationProtectionCommand({
        StackName: stack.StackName,
        EnableTerminationProtection: false,
      }),
    );
  }
  // The nodes of the grid. Servers of slots are not protected: replacing them is what this is all about.
  for (const { instance: InstanceId } of machinesOf(estate)) {
    await clients.ec2.send(
      new ModifyInstanceAttributeCommand({ InstanceId, DisableApiTermination: { Value: false } }),
    );
  }
}

/** What must hold when all stacks were destroyed: nothing of them is left running. */
export async function goneChecks(clients: Clients, deployment: string, tiers: Tier[]): Promise<Check[]> {
  const [stacks, instances, groups, gateways, executions] = await Promise.all([
    stacksOf(clients.cloudformation, deployment),
    readInstances(clients),
    readGroups(clients, tiers),
    clients.ec2.send(new DescribeNatGatewaysCommand({})),
    runningExecutions(clients),
  ]);
  return [
    check(
      'stacks-gone',
      'The stacks are deleted',
      deployment,
      stacks.map(({ StackName, StackStatus }) => `${StackName} is ${StackStatus}`),
    ),
    check(
      'nothing-runs',
      'Nothing of the deployment is left running',
      `${count(instances.length, 'instance')} terminated`,
      [
        ...instances
          .filter(({ state: now }) => now !== 'terminated')
          .map(({ id, state: now }) => `${id} is ${now}`),
        ...Object.keys(groups).map((name) => `Auto Scaling group ${name} exists`),
        ...(gateways.NatGateways ?? [])
          .filter(({ State }) => State !== 'deleted')
          .map(({ NatGatewayId, State }) => `NAT gateway ${NatGatewayId} is ${State}`),
        ...executions.map((name) => `workflow execution ${name} runs`),
      ],
    ),
  ];
}

const check = (id: string, title: string, detail: string, faults: string[]): Check => ({
  id,
  title,
  passed: faults.length === 0,
  detail: faults.length ? faults.join('; ') : detail,
});

/** What must hold after the stacks were destroyed: nothing runs, all data is still there. */
export async function verifyTeardown(
  clients: Clients,
  deployment: string,
  table: string,
  estate: Estate,
  state: string,
  superblocks: Record<string, Superblock>,
): Promise<Check[]> {
  const kept = [...new Set(estate.slots.flatMap(({ volumes }) => volumes))];
  const [gone, volumes, tableStatus] = await Promise.all([
    goneChecks(clients, deployment, estate.tiers),
    readVolumes(clients, kept),
    table ? statusOfTable(clients, table) : undefined,
  ]);
  const after = readSuperblocks(state);
  return [
    ...gone,
    check('volumes-kept', 'All volumes are kept and free', count(kept.length, 'volume'), [
      ...(kept.length === 0 ? ['there were no volumes'] : []),
      ...kept.flatMap((id) => {
        const found = volumes.find((volume) => volume.id === id);
        return found?.state === 'available' ? [] : [`${id} is ${found?.state ?? 'gone'}`];
      }),
    ]),
    check(
      'data-kept',
      'The data on the volumes is untouched',
      `${count(Object.keys(superblocks).length, 'file system id')} compared`,
      Object.entries(superblocks)
        .filter(([id, { uuid }]) => after[id]?.uuid !== uuid)
        .map(([id, { uuid }]) => `${id}: ${uuid} became ${after[id]?.uuid ?? 'nothing'}`),
    ),
    ...(table
      ? [
          check(
            'map-kept',
            'The volume map is kept',
            table,
            tableStatus === 'ACTIVE' ? [] : [`${table} is ${tableStatus}`],
          ),
        ]
      : []),
  ];
}

export async function statusOfTable(clients: Clients, table: string): Promise<string> {
  try {
    const { Table } = await clients.dynamodb.send(new DescribeTableCommand({ TableName: table }));
    return Table?.TableStatus ?? 'without status';
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return 'gone';
    throw error;
  }
}

async function runningExecutions(clients: Clients): Promise<string[]> {
  const { stateMachines = [] } = await clients.stepFunctions.send(new ListStateMachinesCommand({}));
  const lists = await Promise.all(
    stateMachines.map(({ stateMachineArn }) =>
      clients.stepFunctions.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING' })),
    ),
  );
  return lists.flatMap(({ executions = [] }) => executions.map(({ name }) => name ?? ''));
}
