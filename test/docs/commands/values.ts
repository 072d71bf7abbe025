import type { Block } from './blocks';
import { SLOT, TIER, type World } from './world';

/**
 * What stands for what a reader fills in, or is another one in the deployment of this check. README.md of this folder
 * has the same list.
 */
interface Value {
  readonly stands: RegExp;
  /** The pages on which it stands for this; everywhere without it. */
  readonly on?: RegExp;
  readonly value: string | ((world: World, block: Block) => Promise<string> | string);
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Tables of the volume map that a deletion has kept. */
const oldTable = async (world: World): Promise<string> => {
  const { TableNames: names } = await world.aws<{ TableNames: string[] }>('dynamodb', 'list-tables');
  const now = await world.output('VolumeMapTable').catch(() => undefined);
  return names.find((name) => name.startsWith('mine-storage-') && name !== now)!;
};

export const VALUES: readonly Value[] = [
  // The deployment: NFS has one server, and no image that is to be built.
  { stands: /config\/sas-grid-lustre\.yaml/g, value: 'config/sas-grid-nfs.yaml' },
  { stands: /\bTIER=oss\b/g, value: `TIER=${TIER}` },
  { stands: /\bTier=oss\b/g, value: `Tier=${TIER}` },
  { stands: /"oss"/g, value: `"${TIER}"` },
  { stands: /\boss-0\d\b/g, value: SLOT },
  { stands: /\brebuild nfs-00; rebuild nfs-00\b/g, value: 'rebuild nfs-00' },
  // Nobody answers: there is no terminal.
  { stands: /\bcdk destroy\b/g, value: 'cdk destroy --force' },
  // Version 1 of the AWS CLI has an address of its own for SQS, which only this option replaces.
  { stands: /\baws sqs\b/g, value: 'aws --endpoint-url "$AWS_ENDPOINT_URL" sqs' },
  // A pause for what takes less here.
  { stands: /\bsleep (90|20)\b/g, value: 'sleep 5' },
  { stands: /<account>/g, value: (world) => world.aws('sts', 'get-caller-identity', '--query', 'Account') },
  { stands: /<region>/g, value: 'us-east-1' },
  {
    stands: /<approver>/g,
    value: (world) =>
      world.aws('iam', 'list-roles', '--query', "Roles[?contains(RoleName, 'mine')].Arn | [0]"),
  },
  { stands: /<GameDayDocument>/g, value: (world) => world.output('GameDayDocument') },
  { stands: /<arn>/g, on: /storage-benchmark/, value: (world) => world.output('BenchmarkWorkflow') },
  { stands: /<a time before the edit>/g, value: () => minutesAgo(1) },
  { stands: /<node>|\bi-\.\.\./g, on: /nodes|failed-deployment/, value: (world) => world.node() },
  { stands: /(?<=\bNEW=)i-\.\.\./g, value: (world) => world.waiting() },
  { stands: /\bi-\.\.\./g, value: (world) => world.server() },
  { stands: /\bvol-\.\.\./g, value: async (world) => (await world.row())!.volumes[0]! },
  {
    stands: /\beni-attach-\.\.\./g,
    value: async (world) => (await world.attachments()).interface,
  },
  { stands: /(?<="DeviceName": ")\.\.\.(?=")/g, value: async (world) => (await world.attachments()).device },
  { stands: /\beni-\.\.\./g, value: async (world) => (await world.row())!.networkInterface },
  { stands: /(?<="N": ")4(?=")/g, on: /map/, value: async (world) => (await world.row())!.epoch },
  { stands: /\b172\.16\.4\.80\b/g, on: /map/, value: async (world) => (await world.row())!.address },
  { stands: /<table>/g, value: oldTable },
  {
    stands: /<bucket>/g,
    value: (world) =>
      world.aws('s3api', 'list-buckets', '--query', "Buckets[?starts_with(Name, 'mine-')].Name | [0]"),
  },
  {
    stands: /<log group>/g,
    value: (world) =>
      world.aws(
        'logs',
        'describe-log-groups',
        '--query',
        "logGroups[?contains(logGroupName, 'mine-')].logGroupName | [0]",
      ),
  },
  { stands: /<key>/g, value: (world) => world.aws('kms', 'list-keys', '--query', 'Keys[0].KeyId') },
];

/** What a reader would still have to fill in. */
const OPEN = /<[a-z][^<>\n]*>|\b(?:i|vol|eni|eni-attach|snap|fs|vpc|subnet|sg|ami|rec)-\.\.\./i;

/** The commands of a block with the values of the deployment. */
export async function filledIn(block: Block, world: World): Promise<string> {
  let { text } = block;
  for (const { stands, on, value } of VALUES) {
    if (!text.match(stands) || (on && !on.test(block.page))) continue;
    const found = typeof value === 'string' ? value : await value(world, block);
    if (typeof found !== 'string') throw new Error(`nothing is there for ${stands.source}`);
    text = text.replace(stands, () => found);
  }
  const open = OPEN.exec(text);
  if (open) throw new Error(`nothing stands for ${open[0]}; give it a value in test/docs/commands/values.ts`);
  return text;
}
