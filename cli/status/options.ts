import { type DeploymentOptions, parseDeployment } from '../deployment/options';

/** What `status` was asked for. */
export interface StatusOptions extends DeploymentOptions {
  readonly format: 'text' | 'json';
  /** Look again and again. */
  readonly watch: boolean;
  /** Ask the hosts how full they are. */
  readonly hosts: boolean;
}

/** @throws OptionError */
export function parseStatus(args: readonly string[]): StatusOptions {
  const { given, ...options } = parseDeployment('status', args, {
    watch: 'flag',
    hosts: 'flag',
    json: 'flag',
  });
  const { flags } = given;
  return {
    ...options,
    format: flags.has('json') ? 'json' : 'text',
    watch: flags.has('watch'),
    hosts: flags.has('hosts'),
  };
}
