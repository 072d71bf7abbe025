import type { IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct, IConstruct } from 'constructs';
import type { Slot } from './props';
import type { ServerDescription } from './server-description';
import type { VolumeMap } from './volume-map';

/** A tier of servers that are replaced with their volumes and addresses. `VolumeReattachment` is one. */
export interface IVolumeReattachment extends IConstruct, IConnectable {
  /** The name of the tier. */
  readonly tier: string;

  /** The table that holds which server owns which slot. */
  readonly volumeMap: VolumeMap;

  /** The slots, in order. */
  readonly slots: Slot[];

  /** What needs the tier to be served depends on this: it is complete when all slots are. */
  readonly served: Construct;

  /** The servers' role. */
  readonly role: IRole;

  /** Value of the tag `cdk-sas-grid:tier` on all that belongs to the tier; its permissions rest on it. */
  readonly tierTag: string;

  /**
   * What each of its servers has.
   *
   * @internal
   */
  readonly _server: ServerDescription;

  /** @internal */
  _tierTagIn(scope: IConstruct): string;

  /** @internal */
  _groupNameIn(scope: IConstruct): string;
}
