import { OptionError } from '../arguments';
import { type DeploymentOptions, parseDeployment } from '../deployment/options';
import type { OperationOptions } from '../operation/options';
import { PROGRAM } from '../usage';

/** What `backup` was asked for. */
export interface BackupOptions extends OperationOptions {
  /** Only show the sets that are there. */
  readonly list: boolean;
  /** Retention never deletes it. */
  readonly protect: boolean;
}

/** What `restore` was asked for. */
export interface RestoreOptions extends DeploymentOptions {
  /** The name of a set, or `latest`. */
  readonly set: string;
  /** The new deployment. */
  readonly as: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** @throws OptionError */
export function parseBackup(args: readonly string[]): BackupOptions {
  const { given, ...options } = parseDeployment('backup', args, {
    list: 'flag',
    protect: 'flag',
    yes: 'flag',
    'dry-run': 'flag',
    json: 'flag',
    'no-wait': 'flag',
  });
  const { flags } = given;
  if (flags.has('list') && (flags.has('protect') || flags.has('no-wait')))
    throw new OptionError('--list makes no backup: leave --protect and --no-wait out');
  return {
    ...options,
    list: flags.has('list'),
    protect: flags.has('protect'),
    yes: flags.has('yes'),
    dryRun: flags.has('dry-run'),
    force: false,
    json: flags.has('json'),
    noWait: flags.has('no-wait'),
  };
}

/** @throws OptionError */
export function parseRestore(args: readonly string[]): RestoreOptions {
  const kinds = { as: 'value', set: 'value', yes: 'flag', 'dry-run': 'flag', json: 'flag' } as const;
  const { given, ...options } = parseDeployment('restore', args, kinds);
  const { as, set = 'latest' } = given.values;
  if (as === undefined || !/^[a-z][a-z0-9-]{0,50}$/.test(as) || as === options.deployment) {
    throw new OptionError(
      `--as is '${as ?? ''}'; allowed: another name than ${options.deployment}, with lower-case letters, digits and ` +
        `dashes. Type ${PROGRAM} restore ${options.deployment} --as ${options.deployment}-restored`,
    );
  }
  const { flags } = given;
  return {
    ...options,
    as,
    set,
    yes: flags.has('yes'),
    dryRun: flags.has('dry-run'),
    json: flags.has('json'),
  };
}
