import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete, requireKnownList } from '../private/validation';
import type { VolumeReattachmentProps } from './props';
import { refuseTwice } from './refuse-twice';

/** Rejects fixed addresses that the slots cannot have. */
export function checkAddresses(scope: IConstruct, props: VolumeReattachmentProps): void {
  const { addresses, slotCount, subnet } = props;
  if (addresses === undefined) return;
  requireKnownList(scope, 'addresses', addresses);
  if (addresses.length !== slotCount) {
    const fix = 'Give one address per slot, or leave addresses out and EC2 picks them.';
    throw invalid(scope, 'the number of addresses', addresses.length, `${slotCount}, one per slot`, fix);
  }
  const cidr = cidrOf(subnet);
  for (const address of addresses) {
    if (!isConcrete(address)) continue;
    const number = numberOf(address);
    if (number === undefined) {
      throw invalid(
        scope,
        'addresses',
        address,
        'IPv4 addresses such as 172.16.4.21',
        'Write it in four decimal parts.',
      );
    }
    if (cidr === undefined) continue;
    const [first, last] = usableAddresses(cidr);
    if (number < first || number > last) {
      throw invalid(
        scope,
        'addresses',
        address,
        `an address of the subnet ${cidr}, which are ${textOf(first)} to ${textOf(last)}`,
        'EC2 keeps the first four and the last address of each subnet for itself.',
      );
    }
  }
  refuseTwice(scope, 'addresses', addresses, 'addresses that differ');
}

function cidrOf(subnet: ec2.ISubnet): string | undefined {
  try {
    const cidr = subnet.ipv4CidrBlock;
    return isConcrete(cidr) ? cidr : undefined;
  } catch {
    // An imported subnet knows its range only if it was given.
    return undefined;
  }
}

function numberOf(address: string): number | undefined {
  const parts = address.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** The first and last address of a subnet that EC2 gives away (VPC User Guide, "Subnet CIDR blocks"). */
function usableAddresses(cidr: string): [number, number] {
  const [base, bits] = cidr.split('/');
  const first = numberOf(base!)!;
  return [first + 4, first + 2 ** (32 - Number(bits)) - 2];
}
