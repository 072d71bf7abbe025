import { aws_route53 as route53 } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct, IConstruct } from 'constructs';
import { placeOfVpc, takeName } from './shared-names';
import { invalid, isConcrete } from './validation';

/** Which property of a construct says what is published. */
export interface PublishingProperty {
  readonly what: string;
  readonly fix: string;
}

/** The name of a zone, as it was given; undefined without a zone. */
export function zoneNameOf(scope: IConstruct, zone: route53.IHostedZone | undefined): string | undefined {
  try {
    // In DNS a name may end with the dot of the root.
    return zone?.zoneName.replace(/\.$/, '');
  } catch {
    const fix = 'Import it with HostedZone.fromHostedZoneAttributes.';
    throw invalid(scope, 'The name of hostedZone', undefined, 'a zone of which the name is known', fix);
  }
}

/** Rejects a domain that is not the zone's, nor below it. */
export function checkDomainInZone(scope: IConstruct, domain: string, zone: string | undefined): void {
  if (!isConcrete(zone) || !isConcrete(domain) || `.${domain}`.endsWith(`.${zone}`)) return;
  const allowed = `${zone}, the domain of the hosted zone, or one below it`;
  throw invalid(scope, 'domainName', domain, allowed, 'Leave it out, or use another zone.');
}

/**
 * A new private zone in a VPC.
 *
 * @throws when the app has one of that name in that VPC: Route 53 refuses the second one (ConflictingDomainExists of
 * AssociateVPCWithHostedZone)
 */
export function newPrivateZone(
  scope: Construct,
  vpc: IVpc,
  zone: { readonly zoneName: string; readonly comment: string },
  { what, fix }: PublishingProperty,
): route53.PrivateHostedZone {
  const place = placeOfVpc(scope, vpc);
  const other = place && takeName(scope, ['zone', ...place], zone.zoneName);
  if (other) {
    const allowed = `a name that no private zone of the VPC has; ${other} has one of this name`;
    throw invalid(scope, what, zone.zoneName, allowed, fix);
  }
  return new route53.PrivateHostedZone(scope, 'Zone', { vpc, ...zone });
}

/**
 * The record of a host.
 *
 * @throws when another host of the app has that name in that VPC: clients would reach the wrong one
 */
export function publishHost(
  scope: Construct,
  vpc: IVpc,
  host: {
    readonly zone: route53.IHostedZone;
    readonly fullName: string;
    readonly recordName: string;
    readonly address: string;
  },
  { what, fix }: PublishingProperty,
): void {
  const place = placeOfVpc(scope, vpc);
  const other = place && takeName(scope, ['host', ...place], host.fullName);
  if (other) throw invalid(scope, what, host.fullName, `a name that ${other} does not have in the VPC`, fix);
  new route53.ARecord(scope, 'Name', {
    zone: host.zone,
    recordName: host.recordName,
    target: route53.RecordTarget.fromIpAddresses(host.address),
  });
}
