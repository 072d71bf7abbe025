import {
  GetCommandInvocationCommand,
  type GetCommandInvocationCommandOutput,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { DemoError, waitFor } from '../kit/processes';

/** What is mounted on a host. */
export interface Mount {
  readonly source: string;
  readonly directory: string;
  readonly type: string;
  readonly options: string[];
}

/** What a host says of itself. */
export interface HostFacts {
  readonly mounts: Mount[];
  /** Lustre's parameters by name; '' where there is none of this name. */
  readonly parameters: Record<string, string>;
  /** Whether all that a grid node needs is up. */
  readonly ready: boolean;
  /** What the file says that the demo writes on the shared file system; '' without it. */
  readonly shared: string;
}

const LOOK_EVERY_SECONDS = 0.25;
const RUNNING = ['Pending', 'InProgress', 'Delayed'];

/** A file of the demo on the shared file system. */
export const sharedFile = (mountPoint: string) => `${mountPoint}/.sas-grid-demo`;

/** Asks hosts by Systems Manager, as an operator would: nothing listens on them. */
export async function askHosts(
  ssm: SSMClient,
  instances: string[],
  mountPoint: string,
  parameters: string[],
): Promise<Record<string, HostFacts>> {
  const answers = await runOnHosts(ssm, instances, factsScript(mountPoint, parameters));
  return Object.fromEntries(Object.entries(answers).map(([id, text]) => [id, parseFacts(text)]));
}

/** Writes the demo's file, all or nothing. */
export async function writeShared(ssm: SSMClient, instance: string, mountPoint: string, words: string) {
  const file = `"$root"${sharedFile(mountPoint)}`;
  await runOnHosts(
    ssm,
    [instance],
    [`printf '%s' '${words}' >${file}.new && sync ${file}.new && mv ${file}.new ${file}`],
  );
}

/** Test files of benchmarks that lie in directories of hosts, by instance. */
export async function filesLeftBy(
  ssm: SSMClient,
  instances: string[],
  directories: string[],
): Promise<Record<string, string[]>> {
  const look = directories.map(
    (directory) => `find "$root"${directory}/.sas-grid-benchmark -type f 2>/dev/null || true`,
  );
  const answers = await runOnHosts(ssm, instances, look);
  return Object.fromEntries(
    Object.entries(answers).map(([host, text]) => [host, text.split('\n').filter((line) => line !== '')]),
  );
}

/** On the embedded AWS a host's root is a folder. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
const ROOT = ['set -eu', 'root=${SAS_GRID_ROOT:-}'];

function factsScript(mountPoint: string, parameters: string[]): string[] {
  return [
    `awk -v root="$root" '{print "mount", $1, substr($2, length(root) + 1), $3, $4}' "$root/proc/mounts"`,
    ...parameters.map(
      (name) =>
        `echo "parameter ${name} $(lctl get_param -n '${name}' 2>/dev/null | sort -u | tr '\\n' ' ')"`,
    ),
    'echo "target $(systemctl is-active sas-grid-grid-node.target || true)"',
    `echo "shared $(cat "$root"${sharedFile(mountPoint)} 2>/dev/null || true)"`,
  ];
}

/** Reads what the script of facts printed. */
export function parseFacts(text: string): HostFacts {
  const mounts: Mount[] = [];
  const parameters: Record<string, string> = {};
  let [ready, shared] = [false, ''];
  for (const line of text.split('\n')) {
    const [what, ...words] = line.split(' ');
    if (what === 'mount') {
      const [source = '', directory = '', type = '', options = ''] = words;
      mounts.push({ source, directory, type, options: options.split(',') });
    }
    if (what === 'parameter') parameters[words[0] ?? ''] = words.slice(1).join(' ').trim();
    if (what === 'target') ready = words[0] === 'active';
    if (what === 'shared') shared = words.join(' ');
  }
  return { mounts, parameters, ready, shared };
}

/** What a script printed on each host. @throws DemoError when it failed on one */
export async function runOnHosts(
  ssm: SSMClient,
  instances: string[],
  script: string[],
): Promise<Record<string, string>> {
  const id = await waitFor('the agents of the hosts', () => send(ssm, instances, script), LOOK_EVERY_SECONDS);
  const answers = await Promise.all(
    instances.map(async (instance) => {
      const ended = await waitFor(
        `the answer of ${instance}`,
        () => answer(ssm, id, instance),
        LOOK_EVERY_SECONDS,
      );
      if (ended.Status !== 'Success') {
        throw new DemoError(
          `a script on ${instance} ended with ${ended.Status}: ${ended.StandardErrorContent}`,
        );
      }
      return [instance, ended.StandardOutputContent ?? ''];
    }),
  );
  return Object.fromEntries(answers);
}

/** An agent that has not registered yet is no error: the host is booting. */
async function send(ssm: SSMClient, InstanceIds: string[], script: string[]): Promise<string | undefined> {
  try {
    const { Command } = await ssm.send(
      new SendCommandCommand({
        DocumentName: 'AWS-RunShellScript',
        InstanceIds,
        Parameters: { commands: [...ROOT, ...script] },
      }),
    );
    return Command?.CommandId;
  } catch (error) {
    if ((error as Error).name === 'InvalidInstanceId') return undefined;
    throw error;
  }
}

async function answer(
  ssm: SSMClient,
  CommandId: string,
  InstanceId: string,
): Promise<GetCommandInvocationCommandOutput | undefined> {
  try {
    const found = await ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId }));
    return RUNNING.includes(found.Status ?? '') ? undefined : found;
  } catch (error) {
    if ((error as Error).name === 'InvocationDoesNotExist') return undefined;
    throw error;
  }
}
