import type { Stack, StackProps, aws_sns as sns } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { NfsStorageServer } from '../constructs';
import type { ExistingNetworkConfig, NfsConfig } from './config-types';
import { addClientRange, addExistingNetwork } from './existing-network';
import { addNfs } from './nfs-stack';
import { StorageStack } from './storage-stack';
import type { MakeParameter } from './template-parameters';

export interface NfsStorageServerStackProps extends StackProps, NfsStorageServerConfig {
  readonly alarmEmail?: string;
}

/** What a configuration says of a server that stands alone. */
export interface NfsStorageServerConfig {
  readonly nfs: NfsConfig;
  readonly existingNetwork: ExistingNetworkConfig;
}

/** One NFS server in a network that exists, as the template of paper 003 makes it. */
export class NfsStorageServerStack extends StorageStack {
  public readonly sharedFileSystem: NfsStorageServer;

  public constructor(scope: Construct, id: string, props: NfsStorageServerStackProps) {
    super(scope, id, props);
    this.sharedFileSystem = addNfsStorageServer(this, props, this.alarmTopic);
  }
}

/** The server, its parameters and its outputs, in any stack. */
export function addNfsStorageServer(
  stack: Stack,
  { nfs, existingNetwork }: NfsStorageServerConfig,
  alarmTopic?: sns.ITopic,
  make?: MakeParameter,
): NfsStorageServer {
  const network = addExistingNetwork(stack, existingNetwork, make);
  // The range of a VPC that is known by its id alone is not known.
  const clientRanges = nfs.clientRanges ?? [addClientRange(stack, make)];
  return addNfs(stack, { ...nfs, clientRanges }, { network, alarmTopic });
}
