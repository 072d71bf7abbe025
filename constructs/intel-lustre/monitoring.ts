import type * as acm from 'aws-cdk-lib/aws-certificatemanager';

/** The monitoring page of the management server, and who may see it. */
export interface LustreMonitoring {
  /**
   * Whether there is a page, and the load balancer to reach it.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * The address ranges (CIDR) that may open the page, in addition to those that the network names for its load
   * balancer.
   *
   * @default - none: nobody can reach the page until a range is named
   */
  readonly allowedRanges?: string[];

  /**
   * The certificate for HTTPS. With it the page is served on port 443 only, and nothing listens on port 80.
   *
   * @default - none: HTTP on port 80
   */
  readonly certificate?: acm.ICertificate;

  /**
   * Whether the load balancer has a public address. The page is still limited to the ranges named.
   *
   * @default false
   */
  readonly internetFacing?: boolean;

  /**
   * Whether the load balancer refuses to be deleted. It holds nothing; protected, it makes every deletion of the stack
   * fail until the protection is taken off.
   *
   * @default false
   */
  readonly deletionProtection?: boolean;
}
