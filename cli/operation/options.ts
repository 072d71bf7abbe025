import type { OptionKinds } from '../arguments';
import { type DeploymentOptions, parseDeployment } from '../deployment/options';

/** What a verb that changes a deployment was asked for. */
export interface OperationOptions extends DeploymentOptions {
  /** Do not ask. */
  readonly yes: boolean;
  /** Say what would be done, and do nothing. */
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly json: boolean;
  /** Start it, and do not wait for its end. */
  readonly noWait: boolean;
}

const KINDS: OptionKinds = {
  yes: 'flag',
  'dry-run': 'flag',
  force: 'flag',
  json: 'flag',
  'no-wait': 'flag',
};

/** @throws OptionError */
export function parseOperation(verb: string, args: readonly string[]): OperationOptions {
  const { given, ...options } = parseDeployment(verb, args, KINDS);
  return {
    ...options,
    yes: given.flags.has('yes'),
    dryRun: given.flags.has('dry-run'),
    force: given.flags.has('force'),
    json: given.flags.has('json'),
    noWait: given.flags.has('no-wait'),
  };
}
