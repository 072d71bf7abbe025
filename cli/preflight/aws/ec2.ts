import {
  DescribeAddressesCommand,
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  type EC2Client,
  GetEbsDefaultKmsKeyIdCommand,
  type Image,
  paginateDescribeCapacityReservations,
  paginateDescribeInstances,
  paginateDescribeVolumes,
  type Tag,
} from '@aws-sdk/client-ec2';
import { ask, errorName } from './ask';
import type { Aws, ImageInfo, Running, TypeInfo } from './port';

/** What the checks ask of EC2 about machines and disks. */
export type Machines = Pick<
  Aws,
  'zones' | 'offerings' | 'instanceTypes' | 'running' | 'volumes' | 'addresses' | 'images' | 'defaultKey'
>;

export function machinesOf(client: EC2Client): Machines {
  return {
    zones: () => zones(client),
    offerings: (types) => offerings(client, types),
    instanceTypes: (types) => instanceTypes(client, types),
    running: () => running(client),
    volumes: () => volumes(client),
    addresses: () => addresses(client),
    images: (ids) => images(client, ids),
    defaultKey: () => defaultKey(client),
  };
}

export const tagsOf = (tags: readonly Tag[] = []): { [key: string]: string } =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));

/** All pages of a listing. */
export async function allPages<Page, T>(
  pages: AsyncIterable<Page>,
  of: (page: Page) => readonly T[],
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...of(page));
  return found;
}

async function zones(client: EC2Client): Promise<string[]> {
  const { AvailabilityZones = [] } = await ask('ec2:DescribeAvailabilityZones', (abortSignal) =>
    client.send(new DescribeAvailabilityZonesCommand({}), { abortSignal }),
  );
  return AvailabilityZones.filter(
    ({ ZoneType }) => ZoneType === undefined || ZoneType === 'availability-zone',
  )
    .map(({ ZoneName }) => ZoneName!)
    .sort();
}

async function offerings(client: EC2Client, types: readonly string[]) {
  const command = new DescribeInstanceTypeOfferingsCommand({
    LocationType: 'availability-zone',
    Filters: [{ Name: 'instance-type', Values: [...types] }],
  });
  const { InstanceTypeOfferings = [] } = await ask('ec2:DescribeInstanceTypeOfferings', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return InstanceTypeOfferings.map(({ InstanceType, Location }) => ({
    type: InstanceType!,
    zone: Location!,
  }));
}

async function instanceTypes(client: EC2Client, types: readonly string[]): Promise<TypeInfo[]> {
  // By a filter: a type that the region lacks would be an error otherwise.
  const command = new DescribeInstanceTypesCommand({
    Filters: [{ Name: 'instance-type', Values: [...types] }],
  });
  const { InstanceTypes = [] } = await ask('ec2:DescribeInstanceTypes', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return InstanceTypes.map((one) => ({
    type: one.InstanceType!,
    vcpus: one.VCpuInfo?.DefaultVCpus ?? 0,
    architectures: one.ProcessorInfo?.SupportedArchitectures ?? [],
    virtualization: one.SupportedVirtualizationTypes ?? [],
    bootModes: one.SupportedBootModes ?? [],
    enaRequired: one.NetworkInfo?.EnaSupport === 'required',
  }));
}

/** A pending instance does not count against the quotas yet, and will in a moment. */
const COUNTED = ['pending', 'running'];

/** Room that is reserved counts, whether an instance is in it or not (User Guide, On-Demand Instances: quotas). */
async function running(client: EC2Client): Promise<Running[]> {
  const [instances, unused] = await Promise.all([runningInstances(client), unusedReservations(client)]);
  return [...instances, ...unused];
}

async function unusedReservations(client: EC2Client): Promise<Running[]> {
  return ask('ec2:DescribeCapacityReservations', async () => {
    const input = { Filters: [{ Name: 'state', Values: ['active'] }] };
    const found = await allPages(
      paginateDescribeCapacityReservations({ client }, input),
      ({ CapacityReservations = [] }) => CapacityReservations,
    );
    return found.flatMap(({ InstanceType, AvailableInstanceCount = 0, Tags }) =>
      Array.from({ length: AvailableInstanceCount }, () => ({
        type: InstanceType!,
        vcpus: 0,
        tags: tagsOf(Tags),
      })),
    );
  });
}

async function runningInstances(client: EC2Client): Promise<Running[]> {
  return ask('ec2:DescribeInstances', async () => {
    const input = { Filters: [{ Name: 'instance-state-name', Values: COUNTED }] };
    const reservations = await allPages(
      paginateDescribeInstances({ client, pageSize: 1000 }, input),
      ({ Reservations = [] }) => Reservations,
    );
    return reservations
      .flatMap(({ Instances = [] }) => Instances)
      .filter(({ InstanceLifecycle }) => InstanceLifecycle === undefined)
      .map(({ InstanceType, CpuOptions, Tags }) => ({
        type: InstanceType!,
        vcpus: (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 1),
        tags: tagsOf(Tags),
      }));
  });
}

async function volumes(client: EC2Client) {
  return ask('ec2:DescribeVolumes', async () => {
    const found = await allPages(
      paginateDescribeVolumes({ client, pageSize: 500 }, {}),
      ({ Volumes = [] }) => Volumes,
    );
    return found.map(({ VolumeType, Size = 0, Iops = 0, Tags }) => ({
      type: VolumeType!,
      sizeGiB: Size,
      iops: Iops,
      tags: tagsOf(Tags),
    }));
  });
}

async function addresses(client: EC2Client) {
  const { Addresses = [] } = await ask('ec2:DescribeAddresses', (abortSignal) =>
    client.send(new DescribeAddressesCommand({}), { abortSignal }),
  );
  return Addresses.map(({ Tags }) => ({ tags: tagsOf(Tags) }));
}

async function images(client: EC2Client, ids: readonly string[]): Promise<ImageInfo[]> {
  // One by one: an image that is not there is an error for all that are asked for with it.
  const found = await Promise.all(ids.map((id) => image(client, id)));
  return found.filter((one) => one !== undefined);
}

async function image(client: EC2Client, id: string): Promise<ImageInfo | undefined> {
  try {
    const { Images = [] } = await ask('ec2:DescribeImages', (abortSignal) =>
      client.send(new DescribeImagesCommand({ ImageIds: [id], IncludeDeprecated: true }), { abortSignal }),
    );
    return Images[0] && imageInfo(Images[0]);
  } catch (error) {
    if (/^InvalidAMIID\./.test(errorName(error))) return undefined;
    throw error;
  }
}

function imageInfo(one: Image): ImageInfo {
  const root = one.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === one.RootDeviceName);
  return {
    id: one.ImageId!,
    name: one.Name ?? '',
    owner: one.OwnerId ?? '',
    state: one.State ?? '',
    architecture: one.Architecture ?? '',
    virtualization: one.VirtualizationType ?? '',
    bootMode: one.BootMode,
    ena: one.EnaSupport === true,
    rootDevice: one.RootDeviceName,
    rootGiB: root?.Ebs?.VolumeSize,
    deprecated: one.DeprecationTime,
  };
}

async function defaultKey(client: EC2Client): Promise<string | undefined> {
  const { KmsKeyId } = await ask('ec2:GetEbsDefaultKmsKeyId', (abortSignal) =>
    client.send(new GetEbsDefaultKmsKeyIdCommand({}), { abortSignal }),
  );
  return KmsKeyId?.includes(':key/') ? KmsKeyId : undefined;
}
