import type { Json } from '../assembly';
import { AskedImage, numberOf, ParameterValue, Reference, textOf } from '../intrinsics';
import type { Made } from '../scopes';
import type { Hosts, Image, RootDevice, UsedKey, Volumes, Zone } from './needs';

/** What EC2 takes when a volume names no type. */
export const TYPE_WITHOUT_NAME = 'gp2';

/** Hosts with what they start from; their data is in `volumes`. */
export interface HostsAndDisks {
  readonly hosts: Hosts[];
  readonly volumes: Volumes[];
  readonly keys: UsedKey[];
}

/** The hosts that a resource makes: an instance, or the members of a group. */
export function hostsOf(made: Made): HostsAndDisks | undefined {
  if (made.type === 'AWS::EC2::Instance') {
    const launch = { ...templateData(made.property('LaunchTemplate')), ...ownProperties(made) };
    const zone = textOf(made.property('AvailabilityZone'));
    return described(made, launch, {
      count: 1,
      grouped: false,
      zone: zone ? { name: zone } : zoneOfInterfaces(launch),
      types: [textOf(launch.InstanceType)],
    });
  }
  if (made.type === 'AWS::ImageBuilder::ImagePipeline') return buildInstance(made);
  if (made.type !== 'AWS::AutoScaling::AutoScalingGroup') return undefined;
  const mixed = made.property('MixedInstancesPolicy') as Json;
  const launch = templateData(
    mixed ? mixed.LaunchTemplate?.LaunchTemplateSpecification : made.property('LaunchTemplate'),
  );
  const overrides = (mixed?.LaunchTemplate?.Overrides ?? []) as Json[];
  const [subnet] = [made.property('VPCZoneIdentifier')].flat();
  return described(made, launch, {
    count: numberOf(made.property('DesiredCapacity')) ?? numberOf(made.property('MinSize')) ?? 0,
    grouped: true,
    zone: zoneOfSubnet(subnet),
    types:
      overrides.length > 0 ? overrides.map((one) => textOf(one.InstanceType)) : [textOf(launch.InstanceType)],
  });
}

/** What builds an image. It is gone after an hour: it counts against no quota, and costs nothing a month. */
function buildInstance(made: Made): HostsAndDisks {
  const place = made.property('InfrastructureConfigurationArn');
  const recipe = made.property('ImageRecipeArn');
  const of = (resource: unknown, name: string) =>
    resource instanceof Reference ? resource.property(name) : undefined;
  const types = ((of(place, 'InstanceTypes') ?? []) as unknown[]).map(textOf);
  const zone = zoneOfSubnet(of(place, 'SubnetId'));
  const launch = { ImageId: of(recipe, 'ParentImage') };
  return described(made, launch, { count: 0, grouped: false, zone, types });
}

interface Description {
  readonly count: number;
  readonly grouped: boolean;
  readonly zone: Zone;
  /** The first is the one that is wanted, the others take its place. */
  readonly types: readonly (string | undefined)[];
}

function described(made: Made, launch: Json, { count, grouped, zone, types }: Description): HostsAndDisks {
  const devices = blockDevices(launch);
  const by = `${made.scope.stack}/${made.id}`;
  const image = imageOf(launch.ImageId);
  const rootDevices: RootDevice[] = devices.map(({ device, sizeGiB }) => ({ device, sizeGiB }));
  return {
    hosts: types.map((type, place) => ({
      by,
      count: place === 0 ? count : 0,
      type,
      image,
      zone,
      grouped,
      rootDevices,
    })),
    volumes: devices.map(({ type, sizeGiB, iops }) => ({ count, type, sizeGiB, iops, system: true })),
    keys: devices.flatMap(({ key }) => (key === undefined ? [] : [{ arn: key, forGroups: grouped }])),
  };
}

const OF_INSTANCES = ['InstanceType', 'ImageId', 'BlockDeviceMappings', 'NetworkInterfaces', 'SubnetId'];

function ownProperties(made: Made): Json {
  const own = OF_INSTANCES.map((name) => [name, made.property(name)] as const);
  return Object.fromEntries(own.filter(([, value]) => value !== undefined));
}

/** The data of a launch template that the same deployment makes. */
function templateData(specification: unknown): Json {
  const { LaunchTemplateId: id, LaunchTemplateName: name } = (specification ?? {}) as Json;
  const template = [id, name].find((one) => one instanceof Reference);
  return (template instanceof Reference && template.property('LaunchTemplateData')) || {};
}

function blockDevices(launch: Json) {
  return ((launch.BlockDeviceMappings ?? []) as Json[]).flatMap(({ DeviceName, Ebs }) =>
    Ebs === undefined
      ? []
      : [
          {
            device: textOf(DeviceName) ?? '',
            type: textOf(Ebs.VolumeType) ?? TYPE_WITHOUT_NAME,
            sizeGiB: numberOf(Ebs.VolumeSize),
            iops: numberOf(Ebs.Iops),
            key: textOf(Ebs.KmsKeyId),
          },
        ],
  );
}

function imageOf(value: unknown): Image {
  if (value instanceof ParameterValue) return { parameter: value.name };
  if (value instanceof AskedImage) return { asked: value.description };
  const text = textOf(value);
  const [, parameter] = /^(?:resolve:|\{\{resolve:)ssm:([^}:]+)/.exec(text ?? '') ?? [];
  return parameter === undefined ? { id: text } : { parameter };
}

function zoneOfInterfaces({ SubnetId, NetworkInterfaces }: Json): Zone {
  if (SubnetId !== undefined) return zoneOfSubnet(SubnetId);
  const [first] = (NetworkInterfaces ?? []) as Json[];
  const own = first?.NetworkInterfaceId;
  return zoneOfSubnet(own instanceof Reference ? own.property('SubnetId') : first?.SubnetId);
}

/** The zone of a subnet that is made, or the subnet that exists. */
export function zoneOfSubnet(subnet: unknown): Zone {
  if (subnet instanceof Reference) return { name: textOf(subnet.property('AvailabilityZone')) };
  return { subnet: textOf(subnet) };
}
