import type { IConstruct } from 'constructs';
import type { GridNode } from '../sas-grid-cluster/grid-node';
import type { ISharedFileSystem } from '../shared-file-system';
import type { IVolumeReattachment } from '../volume-reattachment';

// By their members, never by `instanceof`: there may be two copies of this library in one tree, and a file system may
// be somebody else's.

/** Whether a construct is a file system that hosts mount, or that hosts have together. */
export const isSharedFileSystem = (node: IConstruct): node is ISharedFileSystem =>
  has(node, 'mountOn', 'served', 'fileSystemType');

/** Whether a construct is a tier of servers that are replaced with their volumes. */
export const isTier = (node: IConstruct): node is IVolumeReattachment =>
  has(node, 'slots', 'autoScalingGroup', 'workflow');

/** Whether a construct is a server of a grid. */
export const isGridNode = (node: IConstruct): node is GridNode =>
  has(node, 'hostName', 'hostBundle', 'fullName');

const has = (node: IConstruct, ...members: string[]): boolean => members.every((member) => member in node);
