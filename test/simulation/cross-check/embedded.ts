import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AutoScalingClient, CreateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateLaunchTemplateCommand,
  CreateNetworkInterfaceCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  EC2Client,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { CreateDocumentCommand, SSMClient } from '@aws-sdk/client-ssm';
import { requireLoopback, withoutAws } from '../../../proof/kit/localcloud';
import { start, stop } from '../../../proof/kit/processes';
import type { StateMachine } from '../../../proof/simulation/aws/stepfunctions/definition';
import { deployment } from '../deployment';
import type { Side } from './side';

const ROOT = resolve(__dirname, '../../..');
const LONGEST_MS = 40_000;

/** Seconds: long enough that what is under way can be seen on a machine with much to do. */
const DELAYS = {
  BOOT: 0.2,
  SHUTDOWN: 3,
  STOP: 0.2,
  ATTACH: 1,
  DETACH: 1,
  RELEASE: 0.1,
  VISIBLE: 0,
  LAG: 0,
  GROUP_TICK: 0.1,
};

/** Stands for sas-grid-serve: it serves epoch 2, and refuses one before it as the real one does. */
const SERVE = ['[ {{ epoch }} -ge 2 ] && exit 0', 'exit 3'];

/** The embedded AWS as a side, and how it is stopped. */
export async function embedded(
  machine: StateMachine,
): Promise<{ readonly side: Side; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'cross-check-'));
  const readyFile = join(folder, 'ready.json');
  const delays = Object.entries(DELAYS).map(([name, value]) => [
    `SAS_GRID_LOCALCLOUD_${name}_SECONDS`,
    String(value),
  ]);
  const server = start({
    program: join(ROOT, '.venv', 'bin', 'python'),
    args: ['-m', 'sas_grid_localcloud', 'start', '--state', join(folder, 'state'), '--port', '0'].concat(
      '--ready-file',
      readyFile,
    ),
    cwd: ROOT,
    env: {
      ...withoutAws(process.env),
      PYTHONPATH: join(ROOT, 'proof', 'localcloud'),
      ...Object.fromEntries(delays),
    },
    logFile: join(folder, 'log'),
  });
  const end = async (): Promise<void> => {
    await stop(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(
      'the embedded AWS',
      async () => existsSync(readyFile) && readFileSync(readyFile, 'utf8').endsWith('}'),
    );
    const { endpoint } = JSON.parse(readFileSync(readyFile, 'utf8')) as { endpoint: string };
    requireLoopback(endpoint);
    return { side: await prepare(endpoint, machine), stop: end };
  } catch (error) {
    const log = readFileSync(join(folder, 'log'), 'utf8').slice(-2000);
    await end();
    throw new Error(`the embedded AWS did not start: ${error}\n${log}`);
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LONGEST_MS; !(await isSo()); await sleep(50)) {
    if (Date.now() > end) throw new Error(`waited ${LONGEST_MS / 1000} s for ${what}`);
  }
}

async function prepare(endpoint: string, machine: StateMachine): Promise<Side> {
  const tier = deployment();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const settings = { endpoint, region: 'us-east-1', credentials, maxAttempts: 1 };
  const clients = {
    ec2: new EC2Client(settings),
    autoScaling: new AutoScalingClient(settings),
    dynamodb: new DynamoDBClient(settings),
    ssm: new SSMClient(settings),
    sfn: new SFNClient(settings),
  };
  const { ec2 } = clients;
  const vpc = (await ec2.send(new CreateVpcCommand({ CidrBlock: '10.9.0.0/16' }))).Vpc!.VpcId!;
  const zone = 'us-east-1a';
  const subnetCommand = new CreateSubnetCommand({
    VpcId: vpc,
    CidrBlock: '10.9.0.0/22',
    AvailabilityZone: zone,
  });
  const SubnetId = (await ec2.send(subnetCommand)).Subnet!.SubnetId!;
  const key = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
  await clients.dynamodb.send(
    new CreateTableCommand({
      TableName: tier.tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [key('tier', 'HASH'), key('item', 'RANGE')],
      AttributeDefinitions: ['tier', 'item'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
    }),
  );
  await clients.ssm.send(
    new CreateDocumentCommand({
      Name: tier.documentName,
      DocumentType: 'Command',
      DocumentFormat: 'JSON',
      Content: JSON.stringify({
        schemaVersion: '2.2',
        parameters: tier.document.parameters,
        mainSteps: [{ action: 'aws:runShellScript', name: 'serve', inputs: { runCommand: SERVE } }],
      }),
    }),
  );
  const created = await clients.sfn.send(
    new CreateStateMachineCommand({
      name: 'cross-check',
      definition: JSON.stringify(machine),
      roleArn: 'arn:aws:iam::000000000000:role/any',
    }),
  );
  const data = { ImageId: 'ami-12345678', InstanceType: 'm6i.large' as const };
  // In the template the stack's name is a reference, which is no name of a group.
  const groupName = tier.groupName.replace(/[^A-Za-z0-9-]/g, '-');
  const state = async (InstanceIds: string[]) =>
    (await ec2.send(new DescribeInstancesCommand({ InstanceIds }))).Reservations?.[0]?.Instances?.[0]?.State
      ?.Name;
  return {
    clients,
    groupName,
    tableName: tier.tableName,
    documentName: tier.documentName,
    stateMachineArn: created.stateMachineArn!,
    perform: (call) => call,
    until,
    async newVolume(AvailabilityZone) {
      const made = await ec2.send(new CreateVolumeCommand({ AvailabilityZone, Size: 10, VolumeType: 'gp3' }));
      const VolumeIds = [made.VolumeId!];
      await until('a volume', async () => {
        const found = await ec2.send(new DescribeVolumesCommand({ VolumeIds }));
        return found.Volumes?.[0]?.State === 'available';
      });
      return made.VolumeId!;
    },
    newInterface: async () =>
      (await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId }))).NetworkInterface!.NetworkInterfaceId!,
    async newInstance() {
      const command = new RunInstancesCommand({ ...data, SubnetId, MinCount: 1, MaxCount: 1 });
      const id = (await ec2.send(command)).Instances![0]!.InstanceId!;
      await until('an instance', async () => (await state([id])) === 'running');
      return id;
    },
    async change(what, instanceId) {
      const InstanceIds = [instanceId];
      if (what === 'terminate') await ec2.send(new TerminateInstancesCommand({ InstanceIds }));
      else if (what === 'stop') await ec2.send(new StopInstancesCommand({ InstanceIds }));
      else await ec2.send(new StartInstancesCommand({ InstanceIds }));
    },
    async newGroup(size) {
      const template = new CreateLaunchTemplateCommand({
        LaunchTemplateName: 'servers',
        LaunchTemplateData: data,
      });
      const { LaunchTemplateId } = (await ec2.send(template)).LaunchTemplate!;
      await clients.autoScaling.send(
        new CreateAutoScalingGroupCommand({
          AutoScalingGroupName: groupName,
          MinSize: size,
          MaxSize: size,
          VPCZoneIdentifier: SubnetId,
          LaunchTemplate: { LaunchTemplateId, Version: '$Latest' },
          LifecycleHookSpecificationList: tier.hooks.map((hook) => ({
            LifecycleHookName: hook.name,
            LifecycleTransition: hook.transition,
            DefaultResult: hook.defaultResult,
            HeartbeatTimeout: hook.heartbeatSeconds,
          })),
        }),
      );
    },
  };
}
