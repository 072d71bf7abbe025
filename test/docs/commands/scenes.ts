import type { Block } from './blocks';
import { edit } from './project';
import { NAME, SLOT, TIER, type World } from './world';

/** Where a scene is made. */
export interface Stage {
  readonly world: World;
  /** The folder in which the commands run. */
  readonly project: string;
}

/** What has happened when a reader comes to a block, and what follows it. */
interface Scene {
  readonly page: RegExp;
  /** Of the block. */
  readonly has: RegExp;
  readonly before?: (stage: Stage) => Promise<unknown> | unknown;
  readonly after?: (stage: Stage) => Promise<unknown> | unknown;
}

/** What the old table and the tags said, before the stacks were deleted. */
let kept: { volumes: string[]; address: string; key: string } | undefined;

async function note({ world }: Stage): Promise<void> {
  const { volumes, address } = (await world.row())!;
  const query = 'Volumes[0].KmsKeyId';
  const key = await world.aws<string>(
    'ec2',
    'describe-volumes',
    '--volume-ids',
    volumes[0]!,
    '--query',
    query,
  );
  kept = { volumes, address, key };
}

/** The server is lost while nobody repairs: another one waits at its hook. */
async function loseServer({ world }: Stage): Promise<void> {
  const server = await world.server();
  await world.workflow(false);
  await world.aws('ec2', 'terminate-instances', '--instance-ids', server);
  await world.becomes(server, 'terminated');
  await world.waiting();
}

async function loseRows({ world }: Stage): Promise<void> {
  const server = await world.server();
  await world.workflow(false);
  const table = await world.output('VolumeMapTable');
  for (const item of [`slot#${SLOT}`, `owner#${server}`]) {
    const key = JSON.stringify({ tier: { S: TIER }, item: { S: item } });
    await world.aws('dynamodb', 'delete-item', '--table-name', table, '--key', key);
  }
}

/** A new account may run 5 vCPU. The preflight says so, and how to have more. */
const VCPUS = ['--service-code', 'ec2', '--quota-code', 'L-1216C47A', '--desired-value', '256'];

export const SCENES: readonly Scene[] = [
  {
    page: /^README/,
    has: /make deploy/,
    before: ({ world }) => world.aws('service-quotas', 'request-service-quota-increase', ...VCPUS),
  },
  {
    page: /grow/,
    has: /cdk diff/,
    before: ({ project }) => edit(project, NAME, (text) => text.replace('sizeGiB: 5000', 'sizeGiB: 5200')),
  },
  {
    page: /nodes/,
    has: /make deploy/,
    before: ({ project }) => edit(project, NAME, (text) => text.replace('nodes: 2', 'nodes: 3')),
  },
  {
    page: /nodes/,
    has: /start-instances/,
    before: async ({ world }) => world.becomes(await world.node(), 'stopped'),
    after: async ({ world }) => world.becomes(await world.node(), 'running'),
  },
  { page: /failover/, has: /start-instance-refresh/, after: ({ world }) => world.refreshed() },
  { page: /failover/, has: /^SLOT=/m, before: loseServer },
  { page: /failover/, has: /enable-rule/, after: ({ world }) => world.server() },
  {
    page: /failover/,
    has: /^rebuild\(\)/m,
    before: loseRows,
    after: async ({ world }) => {
      await world.workflow(true);
      await world.server();
    },
  },
  {
    page: /delete\.md/,
    has: /cdk deploy/,
    before: ({ project }) =>
      edit(project, NAME, (text) => text.replace(/^grid:$/m, 'grid:\n  terminationProtection: false')),
  },
  { page: /delete\.md/, has: /destroy --all/, before: note },
  {
    page: /restore/,
    has: /make deploy/,
    before: ({ project }) =>
      edit(project, NAME, (text) =>
        text.replace(
          /^nfs:\n {2}ebs:\n/m,
          `nfs:\n  address: ${kept!.address}\n  encryptionKeyArn: ${kept!.key}\n  ebs:\n` +
            `    existingVolumes: [${kept!.volumes.join(', ')}]\n`,
        ),
      ),
  },
];

export const scenesOf = (block: Block): Scene[] =>
  SCENES.filter(({ page, has }) => page.test(block.page) && has.test(block.text));
