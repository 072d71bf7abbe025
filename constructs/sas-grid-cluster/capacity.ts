import type { CfnLaunchTemplate, InstanceType, IPlacementGroup } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct, IDependable } from 'constructs';
import { zoneOf } from '../private/subnet-zone';
import type { SasGridClusterProps } from './props';

/** Capacity that is reserved for the servers of a grid. */
export interface Reserved {
  /** What is there before them. */
  readonly made: IDependable[];
  /** What tells a server of a type where to start; undefined: EC2 knows. */
  templateOf(type: InstanceType): CfnLaunchTemplate | undefined;
}

/**
 * Reserves capacity for all servers of a grid; what somebody else has reserved is of one type, unless it is a resource
 * group.
 */
export function reserve(
  scope: IConstruct,
  props: SasGridClusterProps,
  { control, node }: { readonly control: InstanceType; readonly node: InstanceType },
  placementOf: (type: InstanceType) => IPlacementGroup,
): Reserved {
  const { capacityReservation: reservation, nodeCount, network, subnet } = props;
  if (!reservation) return { made: [], templateOf: () => undefined };
  const zone = zoneOf(subnet ?? network.privateSubnets[0]!);
  const make = (id: string, instanceType: InstanceType, count: number) =>
    reservation._make(scope, id, { instanceType, count, zone, placementGroup: placementOf(instanceType) });
  const isNode = (type: InstanceType) => type.toString() === node.toString();
  const made = isNode(control)
    ? [make('CapacityReservation', node, nodeCount + 1)]
    : [make('CapacityReservation', node, nodeCount), make('ControlCapacityReservation', control, 1)];
  const template = reservation._template(scope, 'ReservedCapacity');
  return { made, templateOf: (type) => (isNode(type) || !reservation._isOfOneType ? template : undefined) };
}
