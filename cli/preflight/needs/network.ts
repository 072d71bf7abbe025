import type { Json } from '../assembly';
import { Reference, textOf } from '../intrinsics';
import type { Made } from '../scopes';
import { zoneOfSubnet } from './hosts';
import type { Endpoint, Rules, Subnet, Vpc } from './needs';

const by = ({ scope, id }: Made): string => `${scope.stack}/${id}`;

export function vpcOf(made: Made): Vpc | undefined {
  if (made.type !== 'AWS::EC2::VPC') return undefined;
  return { by: by(made), cidr: textOf(made.property('CidrBlock')) };
}

export function subnetOf(made: Made): Subnet | undefined {
  if (made.type !== 'AWS::EC2::Subnet') return undefined;
  return { by: by(made), cidr: textOf(made.property('CidrBlock')), vpcId: textOf(made.property('VpcId')) };
}

export function endpointOf(made: Made): Endpoint | undefined {
  const service = textOf(made.property('ServiceName'));
  if (made.type !== 'AWS::EC2::VPCEndpoint' || service === undefined) return undefined;
  const subnets = [made.property('SubnetIds') ?? []].flat();
  return {
    by: by(made),
    service,
    zones: subnets.map(zoneOfSubnet),
    gateway: (made.property('VpcEndpointType') ?? 'Gateway') === 'Gateway',
  };
}

/** How many rules each security group gets, in it and by resources of their own. */
export function rulesOf(resources: readonly Made[]): Rules[] {
  const found = new Map<string, Rules>();
  for (const made of resources) {
    for (const added of rulesIn(made)) {
      const { inbound = 0, outbound = 0, prefixLists = false } = found.get(added.by) ?? {};
      found.set(added.by, {
        ...added,
        inbound: inbound + added.inbound,
        outbound: outbound + added.outbound,
        prefixLists: prefixLists || added.prefixLists,
      });
    }
  }
  return [...found.values()];
}

function rulesIn(made: Made): Rules[] {
  if (made.type === 'AWS::EC2::SecurityGroup') {
    const inbound = (made.property('SecurityGroupIngress') ?? []) as Json[];
    const outbound = (made.property('SecurityGroupEgress') ?? []) as Json[];
    const prefixLists = [...inbound, ...outbound].some(namesPrefixList);
    return [{ by: by(made), inbound: inbound.length, outbound: outbound.length, prefixLists }];
  }
  const [, direction] = /^AWS::EC2::SecurityGroup(In|E)gress$/.exec(made.type) ?? [];
  if (direction === undefined) return [];
  const group = made.property('GroupId');
  const groupId = textOf(group);
  const of = group instanceof Reference ? group.key : groupId;
  if (of === undefined) return [];
  return [
    {
      by: of,
      groupId,
      inbound: direction === 'In' ? 1 : 0,
      outbound: direction === 'E' ? 1 : 0,
      prefixLists:
        made.property('SourcePrefixListId') !== undefined ||
        made.property('DestinationPrefixListId') !== undefined,
    },
  ];
}

const namesPrefixList = ({ SourcePrefixListId, DestinationPrefixListId }: Json): boolean =>
  SourcePrefixListId !== undefined || DestinationPrefixListId !== undefined;
