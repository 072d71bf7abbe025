import { Stack } from 'aws-cdk-lib';
import {
  CfnCapacityReservation,
  CfnLaunchTemplate,
  type InstanceType,
  type IPlacementGroup,
} from 'aws-cdk-lib/aws-ec2';
import { DependencyGroup, type IConstruct, type IDependable } from 'constructs';
import { requireArnInRegion } from '../private/imported';
import { checkArguments } from '../private/inputs/check';
import { invalid, isConcrete } from '../private/validation';

/**
 * What the image of servers is to EC2, which bills by it: a reservation serves no other. `aws ec2 describe-images` says
 * it (`PlatformDetails`).
 */
export enum CapacityPlatform {
  /** Amazon Linux, AlmaLinux, Rocky Linux, Debian, Ubuntu, and RHEL with a subscription of your own. */
  LINUX = 'Linux/UNIX',
  /** RHEL that is paid by the hour. */
  RED_HAT = 'Red Hat Enterprise Linux',
  /** RHEL with High Availability that is paid by the hour. */
  RED_HAT_HA = 'RHEL with HA',
}

/** Properties of a new capacity reservation. */
export interface NewCapacityReservationProps {
  /**
   * What the image of the servers is to EC2.
   *
   * @default CapacityPlatform.LINUX
   */
  readonly platform?: CapacityPlatform;
}

const GROUP = /^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:\d{12}:group\/[a-zA-Z0-9_.-]{1,300}(\/[a-z0-9]+)?$/;

/** What is to be reserved. */
interface ReservedServers {
  readonly instanceType: InstanceType;
  readonly count: number;
  readonly zone: string;
  readonly placementGroup?: IPlacementGroup;
}

/**
 * Capacity that EC2 holds for servers, so that a failed one can come back: without it a replacement is an order like
 * any other, which ends in `InsufficientInstanceCapacity` when the zone, or the placement group, has no such machine
 * left. It is billed as the servers are, and costs nothing more while they run; a server that is stopped for the night
 * goes on to cost.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html
 */
export class CapacityReservation {
  /**
   * A new one in the stack of the servers, for all of them, in their zone and placement group. It is open: servers of
   * their type take it by themselves, and so do those that run already, whose stack it is added to.
   */
  static create(props: NewCapacityReservationProps = {}): CapacityReservation {
    ({ props } = checkArguments('CapacityReservation.create', { props }));
    return new CapacityReservation(props.platform ?? CapacityPlatform.LINUX, undefined, undefined);
  }

  /**
   * One that exists. Servers start in it only: it has to be of their type, platform, zone and placement group, and
   * large enough.
   *
   * @param reservationId its id, such as `cr-0123456789abcdef0`
   * @throws when it is no such id
   */
  static existing(reservationId: string): CapacityReservation {
    ({ reservationId } = checkArguments('CapacityReservation.existing', { reservationId }));
    if (isConcrete(reservationId) && !/^cr-([0-9a-f]{8}|[0-9a-f]{17})$/.test(reservationId)) {
      const fix = 'aws ec2 describe-capacity-reservations lists them.';
      throw invalid(undefined, 'reservationId', reservationId, "'cr-' and 17 hexadecimal digits", fix);
    }
    return new CapacityReservation(undefined, reservationId, undefined);
  }

  /**
   * A resource group of reservations, such as for several types, or that grows without a deployment.
   *
   * @param groupArn its ARN, such as `arn:aws:resource-groups:us-east-1:111122223333:group/sas`
   * @throws when it is no such ARN
   */
  static resourceGroup(groupArn: string): CapacityReservation {
    ({ groupArn } = checkArguments('CapacityReservation.resourceGroup', { groupArn }));
    if (isConcrete(groupArn) && !GROUP.test(groupArn)) {
      const fix = 'aws resource-groups list-groups lists them.';
      throw invalid(undefined, 'groupArn', groupArn, 'the ARN of a resource group', fix);
    }
    return new CapacityReservation(undefined, undefined, groupArn);
  }

  private constructor(
    private readonly platform: CapacityPlatform | undefined,
    private readonly reservationId: string | undefined,
    private readonly groupArn: string | undefined,
  ) {}

  /**
   * Whether it is of one type only.
   *
   * @internal
   */
  get _isOfOneType(): boolean {
    return this.groupArn === undefined;
  }

  /**
   * Makes it, when it is a new one.
   *
   * @returns what servers come after and go before
   * @internal
   */
  _make(scope: IConstruct, id: string, servers: ReservedServers): IDependable {
    requireArnInRegion(scope, 'capacityReservation', this.groupArn);
    if (this.platform === undefined) return new DependencyGroup();
    const { instanceType, count, zone, placementGroup } = servers;
    return new CfnCapacityReservation(scope, id, {
      instanceType: instanceType.toString(),
      instancePlatform: this.platform,
      instanceCount: count,
      availabilityZone: zone,
      placementGroupArn: placementGroup && arnOf(scope, placementGroup),
      instanceMatchCriteria: 'open',
    });
  }

  /**
   * Lets a launch template start its servers there. EC2 itself knows which start in an open reservation.
   *
   * @internal
   */
  _startIn(template: CfnLaunchTemplate): void {
    if (this.target) template.addPropertyOverride(`LaunchTemplateData.${SPECIFICATION}`, { ...this.target });
  }

  /**
   * A launch template for instances of CloudFormation, which know a reservation by no other way; undefined for an open
   * reservation.
   *
   * @internal
   */
  _template(scope: IConstruct, id: string): CfnLaunchTemplate | undefined {
    if (!this.target) return undefined;
    const { reservationId: capacityReservationId, groupArn: capacityReservationResourceGroupArn } = this;
    const capacityReservationTarget = { capacityReservationId, capacityReservationResourceGroupArn };
    return new CfnLaunchTemplate(scope, id, {
      launchTemplateData: { capacityReservationSpecification: { capacityReservationTarget } },
    });
  }

  /** As CloudFormation spells it. */
  private get target(): object | undefined {
    const { reservationId, groupArn } = this;
    if (reservationId !== undefined)
      return { CapacityReservationTarget: { CapacityReservationId: reservationId } };
    if (groupArn !== undefined)
      return { CapacityReservationTarget: { CapacityReservationResourceGroupArn: groupArn } };
    return undefined;
  }
}

const SPECIFICATION = 'CapacityReservationSpecification';

function arnOf(scope: IConstruct, { placementGroupName }: IPlacementGroup): string {
  return Stack.of(scope).formatArn({
    service: 'ec2',
    resource: 'placement-group',
    resourceName: placementGroupName,
  });
}
