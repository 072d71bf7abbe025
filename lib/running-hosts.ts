import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type App, aws_ec2 as ec2, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { ConfigError } from './config';

/** The digest of what each host is started with, by '<stack>/<logical id>'. */
export type RunningHosts = Readonly<Record<string, string>>;

/** What a deployment does to hosts that run, and only when the context `consent` says so. */
export const RESTART_HOSTS = 'restart-hosts';

/** A change that would stop and start hosts that run. */
export class RestartError extends Error {
  public override readonly name = 'RestartError';
}

/**
 * The instances of the stacks themselves: grid nodes, NAT instances. CloudFormation stops and starts one when its user
 * data or type changes ("Some interruptions", template reference of AWS::EC2::Instance). Servers of Auto Scaling groups
 * are not among them: a new launch template counts for those that come after it.
 */
export function runningHosts(root: IConstruct): RunningHosts {
  const hosts = root.node.findAll().filter((node) => ec2.CfnInstance.isCfnInstance(node));
  return Object.fromEntries(
    hosts.map((host) => {
      const stack = Stack.of(host);
      const start = JSON.stringify(stack.resolve([host.userData, host.instanceType]));
      return [
        `${stack.stackName}/${stack.resolve(host.logicalId)}`,
        createHash('sha256').update(start).digest('hex'),
      ];
    }),
  );
}

/** Writes down what the deployed hosts were started with. */
export function recordRunningHosts(file: string, hosts: RunningHosts): void {
  const sorted = Object.fromEntries(Object.entries(hosts).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/**
 * Whether the context `consent` allows that hosts are restarted.
 *
 * @throws ConfigError when it names anything else
 */
export function consentsToRestart(app: App): boolean {
  const consent: unknown = app.node.tryGetContext('consent');
  if (consent === undefined || consent === RESTART_HOSTS) return consent === RESTART_HOSTS;
  throw new ConfigError(
    `The context consent is '${String(consent)}'; allowed: ${RESTART_HOSTS}, which lets a deployment stop and ` +
      'start hosts that run.',
  );
}

/**
 * Refuses a synthesis that would restart hosts that run. New hosts, and those that go, are no matter.
 *
 * @param file the record of the hosts
 * @param deployed whether the deployment is recorded as deployed, with or without its hosts
 * @param command what deploys with consent, for the message
 * @throws RestartError naming each host, and how to consent
 */
export function requireRestartConsent(
  file: string,
  deployed: boolean,
  hosts: RunningHosts,
  command: string,
): void {
  const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningHosts) : undefined;
  const restarted = Object.entries(hosts).filter(([name, digest]) =>
    recorded ? name in recorded && recorded[name] !== digest : deployed,
  );
  if (restarted.length === 0) return;
  throw new RestartError(
    [
      recorded
        ? 'This deployment would stop and start hosts that run, since the software or the settings they start ' +
          'with have changed:'
        : 'This deployment may stop and start hosts that run: the record of it is from before their software ' +
          'was recorded:',
      ...restarted.map(([name]) => `  - ${name}`),
      'Their disks and addresses stay, instance store is emptied, and what works on them ends.',
      `Deploy it when nothing works on them: ${command}`,
      'To see what changes before: npx cdk diff, with the same context. To leave the hosts alone, undo the change.',
    ].join('\n'),
  );
}
