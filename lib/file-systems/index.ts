import type { DeploymentConfig } from '../config-types';
import { FSX_LUSTRE_KIND } from './fsx-lustre';
import { IO2_KIND } from './io2';
import type { FileSystemKind } from './kind';
import { LUSTRE_KIND } from './lustre';
import { NFS_KIND } from './nfs';

/** The kinds of shared file systems, in the order in which messages name their keys. */
export const FILE_SYSTEM_KINDS: readonly FileSystemKind[] = [
  LUSTRE_KIND,
  FSX_LUSTRE_KIND,
  NFS_KIND,
  IO2_KIND,
];

/** The kind that a valid configuration names. */
export function kindOf(config: DeploymentConfig): FileSystemKind {
  const found = FILE_SYSTEM_KINDS.find(({ key }) => config[key] !== undefined);
  if (found) return found;
  const keys = FILE_SYSTEM_KINDS.map(({ key }) => key).join(', ');
  throw new Error(`the configuration has none of the keys ${keys}`);
}
