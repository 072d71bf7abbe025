import { Port } from 'aws-cdk-lib/aws-ec2';

/**
 * Lustre's own port, and the privileged ports that connections come from, in both directions. Amazon FSx for Lustre
 * User Guide, "File system access control with Amazon VPC"; Amazon names 1018 to 1023, older editions 1021 to 1023.
 */
export const LUSTRE_PORTS = [Port.tcp(988), Port.tcpRange(1018, 1023)];

/** NFS version 4 needs no other: neither the port mapper nor a mount daemon. */
export const NFS_PORT = Port.tcp(2049);
