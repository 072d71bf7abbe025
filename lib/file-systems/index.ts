import type { DeploymentConfig } from '../config-types';
import { FSX_LUSTRE_KIND } from './fsx-lustre';
import { IO2_KIND } from './io2';
import { type FileSystemKey, keyOf } from './keys';
import type { FileSystemKind } from './kind';
import { LUSTRE_KIND } from './lustre';
import { NFS_KIND } from './nfs';

const KINDS: Readonly<Record<FileSystemKey, FileSystemKind>> = {
  storage: LUSTRE_KIND,
  fsxLustre: FSX_LUSTRE_KIND,
  nfs: NFS_KIND,
  io2: IO2_KIND,
};

/** The kind that a valid configuration names. */
export const kindOf = (config: DeploymentConfig): FileSystemKind => KINDS[keyOf(config).key];
