import { CfnResource } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { addOwnTag } from '../private/last-word';
import { invalid } from '../private/validation';

/** How clients use the file system. */
export interface GameDayClientsProps {
  /** Where the file system is mounted: an absolute path of letters, digits, `.`, `_`, `-` and `/`. */
  readonly mountPoint: string;

  /**
   * The directory on it in which the check writes, and cleans up: it has to be there, and the account has to be able to
   * write to it.
   *
   * @default - the mount point
   */
  readonly directory?: string;

  /**
   * The account that reads and writes. On NFS root is nobody.
   *
   * @default 'root'
   */
  readonly user?: string;
}

/**
 * The hosts that are asked, by Systems Manager, whether they got through the failure of a server. They are found by a
 * tag.
 */
export class GameDayClients {
  /**
   * Hosts of the app.
   *
   * @param hosts constructs with EC2 instances in them, for example the `servers` of a `SasGridCluster`; their
   * instances get a tag
   * @throws when there is none; one without EC2 instances in it is refused at synthesis
   */
  static hosts(hosts: IConstruct[], props: GameDayClientsProps): GameDayClients {
    ({ hosts, props } = checkArguments('GameDayClients.hosts', { hosts, props }));
    if (hosts.length === 0) {
      const fix =
        'Name those that have the file system mounted, or leave clients out: without a host nothing is asked.';
      throw invalid(
        undefined,
        'hosts of GameDayClients',
        [],
        'at least one construct with EC2 instances in it',
        fix,
      );
    }
    return new GameDayClients(props, 'cdk-sas-grid:game-day-client', undefined, hosts);
  }

  /** Hosts that have a tag, wherever they come from. They need the agent of Systems Manager. */
  static tagged(key: string, value: string, props: GameDayClientsProps): GameDayClients {
    ({ key, value, props } = checkArguments('GameDayClients.tagged', { key, value, props }));
    return new GameDayClients(props, key, value, []);
  }

  private constructor(
    /** @internal */
    readonly _props: GameDayClientsProps,
    /** @internal */
    readonly _tagKey: string,
    /** @internal */
    readonly _tagValue: string | undefined,
    private readonly hosts: IConstruct[],
  ) {}

  /**
   * Tags the hosts. Whether there are any in what was named is looked at when the app is synthesized: until then they
   * may be added.
   *
   * @internal
   */
  _mark(scope: IConstruct, value: string): void {
    for (const host of this.hosts) {
      addOwnTag(host, this._tagKey, value, { includeResourceTypes: [INSTANCE] });
      scope.node.addValidation({ validate: () => (hasInstance(host) ? [] : [withoutInstance(host)]) });
    }
  }
}

const INSTANCE = 'AWS::EC2::Instance';

const hasInstance = (host: IConstruct): boolean =>
  host.node.findAll().some((node) => CfnResource.isCfnResource(node) && node.cfnResourceType === INSTANCE);

const withoutInstance = (host: IConstruct): string =>
  `hosts of GameDayClients are '${host.node.path}', in which there is no EC2 instance, so that nobody would be ` +
  'asked; allowed: constructs with EC2 instances in them. Servers of an Auto Scaling group are found by a tag ' +
  'that it gives them: GameDayClients.tagged.';
