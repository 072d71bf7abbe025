import { Tokenization } from 'aws-cdk-lib';
import { HostBundle, HostRole } from '../host';
import { invalid } from '../private/validation';
import type { LustreBackend } from './backend';
import { MONITORING_PORT } from './monitoring-page';
import type { LustreSoftware } from './software';
import type { LustreParameter } from './tuning';

const NAME = /^[A-Za-z0-9_.*-]+$/;
const VALUE = /^[A-Za-z0-9_.,:@+-]+$/;

/** What every server of the file system is told. */
export interface ServerSettings {
  readonly fileSystemName: string;
  readonly mgsNid: string;
  readonly backend: LustreBackend;
  readonly software: LustreSoftware;
}

/** What the management server is told besides. */
export interface ManagementSettings {
  readonly monitoring: boolean;
  readonly stripeCount: number;
  readonly stripeSizeBytes: number;
}

/** Roles by the short name of the service, which is also the name of the tier. */
const ROLES: { [service: string]: HostRole } = {
  mgs: HostRole.LUSTRE_MGS,
  mds: HostRole.LUSTRE_MDS,
  oss: HostRole.LUSTRE_OSS,
};

/** The software of the servers of one tier. */
export class ServerHost {
  readonly bundle = new HostBundle();

  constructor(private readonly service: string) {}

  configure(settings: ServerSettings, volumesPerServer: number, parameters: LustreParameter[]): void {
    this.bundle.addRole(ROLES[this.service]!, {
      FSNAME: settings.fileSystemName,
      MGS_NID: settings.mgsNid,
      SERVICE: this.service,
      BACKEND: settings.backend,
      VOLUMES_PER_SLOT: String(volumesPerServer),
      TUNABLES: tunables(parameters),
      ...softwareSettings(settings.software),
    });
  }

  manage(settings: ManagementSettings): void {
    this.bundle.addRole(ROLES[this.service]!, {
      MONITORING: String(settings.monitoring),
      MONITORING_PORT: String(MONITORING_PORT),
      STRIPE_COUNT: Tokenization.stringifyNumber(settings.stripeCount),
      STRIPE_SIZE_BYTES: String(settings.stripeSizeBytes),
    });
  }
}

/** How Lustre gets onto a host, as its scripts read it. */
export function softwareSettings(software: LustreSoftware): { [key: string]: string } {
  return {
    LUSTRE_SOFTWARE: software.source,
    LUSTRE_REPOSITORY: software.repositoryUrl,
    LUSTRE_VERSION: software.version,
    ...(software.keyUrl === undefined ? {} : { LUSTRE_KEY: software.keyUrl }),
    ...(software.debianSuite === undefined ? {} : { LUSTRE_SUITE: software.debianSuite }),
  };
}

/** The parameters in one line, in the order in which the host sets them. */
export function tunables(parameters: LustreParameter[]): string {
  return parameters
    .map(({ name, value }) => {
      if (!NAME.test(name) || !VALUE.test(value)) {
        throw invalid(
          undefined,
          'A Lustre parameter',
          `${name}=${value}`,
          'a name like osc.*.max_dirty_mb and a value without spaces and quotes',
          'Write it as lctl set_param takes it.',
        );
      }
      return `${name}=${value}`;
    })
    .join(' ');
}
